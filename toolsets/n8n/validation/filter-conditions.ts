import { type Findings, listed, quoted } from './findings.ts';
import { isObject } from './shape.ts';

const EXISTENCE = ['exists', 'notExists', 'empty', 'notEmpty'];

/** What the conditions of IF, Filter and Switch can compare, by the type of the value. */
const OPERATIONS: Record<string, string[]> = {
  any: EXISTENCE,
  string: [
    ...EXISTENCE,
    'equals',
    'notEquals',
    'contains',
    'notContains',
    'startsWith',
    'notStartsWith',
    'endsWith',
    'notEndsWith',
    'regex',
    'notRegex',
  ],
  number: [...EXISTENCE, 'equals', 'notEquals', 'gt', 'lt', 'gte', 'lte'],
  dateTime: [...EXISTENCE, 'equals', 'notEquals', 'after', 'before', 'afterOrEquals', 'beforeOrEquals'],
  boolean: [...EXISTENCE, 'true', 'false', 'equals', 'notEquals'],
  array: [...EXISTENCE, 'contains', 'notContains', 'lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'],
  object: EXISTENCE,
};

/** n8n takes an operator that it does not know for a condition that is never met. */
export function checkConditions(
  value: unknown,
  { findings, node, path }: { findings: Findings; node: { name: string }; path: string },
): void {
  const conditions = isObject(value) ? value['conditions'] : undefined;
  if (!Array.isArray(conditions)) return;
  for (const [index, condition] of conditions.entries()) {
    const operator: unknown = isObject(condition) ? condition['operator'] : undefined;
    if (!isObject(operator) || typeof operator['type'] !== 'string') continue;
    const { type, operation } = operator as { type: string; operation?: unknown };
    const at = { node: node.name, path: `${path}.conditions[${index}].operator` };
    const known = OPERATIONS[type];
    if (!known) {
      findings.error({
        ...at,
        code: 'invalid_operator',
        message: `Conditions cannot compare ${quoted(type)}`,
        fix: `Use the type ${listed(Object.keys(OPERATIONS))}`,
      });
    } else if (typeof operation === 'string' && !known.includes(operation)) {
      findings.error({
        ...at,
        code: 'invalid_operator',
        message: `A condition on a ${type} has no operation ${quoted(operation)}`,
        fix: `Use one of ${listed(known)}`,
      });
    }
  }
}

import { isRecord, nearest, recordOf } from '@millrace/kernel';
import { type Findings, listed, quoted } from './findings.ts';

const EXISTENCE = ['exists', 'notExists', 'empty', 'notEmpty'];

/** What the conditions of IF, Filter and Switch can compare, by the type of the value. */
const OPERATIONS: Record<string, string[]> = {
  any: EXISTENCE,
  string: [
    ...EXISTENCE,
    ...'equals notEquals contains notContains startsWith notStartsWith endsWith notEndsWith regex notRegex'.split(' '),
  ],
  number: [...EXISTENCE, 'equals', 'notEquals', 'gt', 'lt', 'gte', 'lte'],
  dateTime: [...EXISTENCE, 'equals', 'notEquals', 'after', 'before', 'afterOrEquals', 'beforeOrEquals'],
  boolean: [...EXISTENCE, 'true', 'false', 'equals', 'notEquals'],
  array: [...EXISTENCE, 'contains', 'notContains', 'lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'],
  object: EXISTENCE,
};

/** A condition with an unknown operator is never met. Where any one of several is enough, that does no harm. */
export function checkConditions(
  value: unknown,
  { findings, node, path }: { findings: Findings; node: { name: string }; path: string },
): void {
  const conditions = isRecord(value) ? value['conditions'] : undefined;
  if (!isRecord(value) || !Array.isArray(conditions)) return;
  const faults = conditions.map(operatorFault);
  const harmless = value['combinator'] === 'or' && faults.includes(undefined);
  for (const [index, fault] of faults.entries()) {
    const at = findings.at(node.name, `${path}.conditions[${index}].operator`);
    if (fault) at[harmless ? 'warn' : 'error']('invalid_operator', fault.message, fault.fix);
  }
}

function operatorFault(condition: unknown): { message: string; fix: string } | undefined {
  const operator = isRecord(condition) ? condition['operator'] : undefined;
  const { type, operation } = recordOf(operator);
  if (typeof type !== 'string') return undefined;
  const known = OPERATIONS[type];
  if (!known) return { message: `Conditions cannot compare ${quoted(type)}`, fix: `Use the type ${listed(Object.keys(OPERATIONS))}` };
  if (typeof operation !== 'string' || known.includes(operation)) return undefined;
  const [close] = nearest(operation, known, 1);
  return {
    message: `A condition on a ${type} has no operation ${quoted(operation)}`,
    fix: close ? `Use ${close}, or another of ${listed(known)}` : `Use one of ${listed(known)}`,
  };
}

import { isRecord, nearest, recordOf } from '@millrace/kernel';
import { STICKY_NOTE } from '../../document/workflow/model.ts';
import { isGroup, type Property } from '../types/description.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import type { Parameters, RuledNode } from '../types/parameter-rules.ts';
import type { NodeType } from '../types/type-store.ts';
import { type Findings, listed, quoted } from './findings.ts';

export interface ValueContext {
  pack: OpenedPack;
  type: NodeType;
  /** With its parameters as the node will run with them. */
  node: RuledNode;
  path: string;
  findings: Findings;
  /** Where it cannot be known which parameters are shown. */
  isEverythingShown?: boolean;
}

/** n8n's editor once saved these; they mean nothing and harm nothing. */
const LEFTOVER = /^$|^requestOptions$|notice|warning|callout/i;

/** Parameters that the type does not have, and values that a parameter cannot have: n8n silently drops or misreads both. */
export function checkValues(properties: readonly Property[], values: Parameters, context: ValueContext, level?: Parameters): void {
  const { pack, type, node } = context;
  const byName = propertiesByName(properties);
  for (const name of Object.keys(values)) {
    const named = byName.get(name);
    if (!named) {
      // Inside an option, n8n drops what it does not know, which seldom matters.
      reportUnknown(name, byName.keys(), level ? 'warn' : 'error', context);
      continue;
    }
    const value = values[name];
    if (!isChecked(named, value)) continue;
    const shown = named.filter(
      (property) =>
        context.isEverythingShown ||
        pack.rules.displayParameter(level ?? node.parameters, property, node, type.description, node.parameters),
    );
    if (shown.length > 0) checkValue(shown, value, { ...context, path: `${context.path}.${name}` });
  }
}

const known = new WeakMap<readonly Property[], Map<string, Property[]>>();

function propertiesByName(properties: readonly Property[]): Map<string, Property[]> {
  const made = known.get(properties);
  if (made) return made;
  const byName = Map.groupBy(properties, (property) => property.name);
  known.set(properties, byName);
  return byName;
}

const CHECKED = new Set(['options', 'multiOptions', 'collection', 'fixedCollection', 'filter', 'json']);

function isChecked(named: Property[], value: unknown): boolean {
  if (value === undefined || value === null || value === '' || isExpression(value)) return false;
  return named.some(({ type }) => CHECKED.has(type) || (type === 'string' && isUnevaluated(value)));
}

/** Several properties may share a name and be shown at once: the value has to suit one of them. */
function checkValue(shown: Property[], value: unknown, context: ValueContext): void {
  const [property] = shown;
  if (!property || shown.some((other) => other.type !== property.type)) return;
  const { type } = property;
  if (type === 'options') checkOption(shown, [value], context);
  else if (type === 'multiOptions') checkOption(shown, Array.isArray(value) ? value : [value], context);
  else if (type === 'collection') checkCollection(shown, value, context);
  else if (type === 'fixedCollection') checkFixedCollection(shown, value, context);
  else if (type === 'filter') checkConditions(value, context);
  else if (type === 'json') checkJson(value, context);
  else if (type === 'string' && isUnevaluated(value)) checkEvaluated(property, context);
}

const members = new WeakMap<Property, readonly Property[]>();

/** The parameters inside a collection; the same list each time, so that caches keyed by it stay valid. */
function membersOf(shown: Property[]): readonly Property[] {
  const [first, another] = shown;
  const made = first && !another ? members.get(first) : undefined;
  const all = made ?? shown.flatMap((property) => (property.options ?? []) as Property[]);
  if (first && !another) members.set(first, all);
  return all;
}

function checkCollection(shown: Property[], value: unknown, context: ValueContext): void {
  if (typeof value !== 'object') wrongShape(value, 'an object', context);
  const inside = membersOf(shown);
  for (const [item, path] of items(value, context.path)) checkValues(inside, item, { ...context, path }, item);
}

function checkFixedCollection(shown: Property[], value: unknown, context: ValueContext): void {
  const groups = shown.flatMap((property) => property.options ?? []).filter(isGroup);
  if (!isRecord(value)) {
    wrongShape(value, `an object with ${listed(groups.map((group) => group.name))}`, context);
    return;
  }
  const several = shown.every((property) => property.typeOptions?.['multipleValues'] === true);
  for (const [name, content] of Object.entries(value)) {
    const named = groups.filter((group) => group.name === name);
    const path = `${context.path}.${name}`;
    const [group] = named;
    if (!group) {
      reportUnknown(
        name,
        groups.map((other) => other.name),
        'error',
        context,
      );
      continue;
    }
    if (several && content !== null && !Array.isArray(content) && !isExpression(content))
      wrongShape(content, 'a list', { ...context, path });
    const inside = named.length === 1 ? group.values : named.flatMap((other) => other.values);
    for (const [item, at] of items(content, path)) checkValues(inside, item, { ...context, path: at }, item);
  }
}

function* items(value: unknown, path: string): Generator<[Parameters, string]> {
  if (isRecord(value)) yield [value, path];
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) if (isRecord(item)) yield [item, `${path}[${index}]`];
}

/** n8n drops a value that should be an object or a list, or fails on it. */
function wrongShape(value: unknown, wanted: string, { findings, node, path }: ValueContext): void {
  findings.at(node.name, path).error('invalid_value', `${quoted(value)} is not ${wanted}`, `Write ${wanted}`);
}

function checkJson(value: unknown, { findings, node, path }: ValueContext): void {
  if (typeof value !== 'string' || value.trim() === '') return;
  try {
    JSON.parse(value);
  } catch {
    const fix = isUnevaluated(value) ? 'Begin it with =, so that n8n fills in the {{ }} first' : 'Fix the commas, quotes and brackets';
    findings.at(node.name, path).warn('invalid_json', 'This is meant to be JSON, and is not', fix);
  }
}

/** `{{ $json.x }}` in a value that is not an expression. */
function isUnevaluated(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{') && /\{\{\s*\$(json|node|input|items?|now|today|vars|\()/.test(value);
}

/** Editors of code, SQL and HTML fill in `{{ }}` by themselves. */
function checkEvaluated(property: Property, { findings, node, path }: ValueContext): void {
  if (node.type === STICKY_NOTE || property.noDataExpression || property.typeOptions?.['editor'] !== undefined) return;
  const message = 'This contains {{ }}, but is not an expression: n8n takes it as plain text';
  findings.at(node.name, path).warn('not_an_expression', message, 'Begin the value with =');
}

function reportUnknown(name: string, names: Iterable<string>, severity: 'warn' | 'error', { findings, node, path }: ValueContext): void {
  const choices = [...names];
  const [close] = nearest(name, choices, 1);
  const fix = close ? `Rename it to ${close}, or remove it` : `Remove it; there are ${listed(choices)}`;
  const at = findings.at(node.name, `${path}.${name.slice(0, 100)}`);
  at[LEFTOVER.test(name) ? 'warn' : severity]('unknown_parameter', `${node.type} has no parameter ${quoted(name)} here`, fix);
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('=');
}

/** Values that n8n accepts though the descriptions do not list them. */
const ALSO_ACCEPTED = new Set(['__CUSTOM_API_CALL__']);
const ALSO_ACCEPTED_BY: Record<string, string[]> = { 'n8n-nodes-base.code': ['python'] };

/** The kind of a form's field: what n8n does not know becomes a line of text. */
const TOLERANT = new Set(['fieldType']);

/** A value that the parameter does not offer. */
export function checkOption(shown: Property[], chosen: unknown[], { findings, node, path }: ValueContext): void {
  if (shown.some(isOpen)) return;
  const known = new Set(
    shown.flatMap((property) => (property.options ?? []).flatMap((option) => (isGroup(option) ? [] : [String(option.value)]))),
  );
  if (known.size === 0) return;
  const name = path.slice(path.lastIndexOf('.') + 1);
  for (const value of chosen) {
    if (isRecord(value) || value === '' || (typeof value === 'string' && value.startsWith('='))) continue;
    const written = String(value);
    if (known.has(written) || ALSO_ACCEPTED.has(written) || ALSO_ACCEPTED_BY[node.type]?.includes(written)) continue;
    const [close] = nearest(written, known, 1);
    const fix = close ? `Use ${close}, or another of ${listed(known)}` : `Use one of ${listed(known)}`;
    const report = findings.at(node.name, path)[TOLERANT.has(name) ? 'warn' : 'error'];
    report('invalid_option', `${quoted(value)} is none of the values of ${name}`, fix);
  }
}

/** Its values are those of a service, or whatever is written. */
function isOpen({ allowArbitraryValues, typeOptions }: Property): boolean {
  return Boolean(allowArbitraryValues || typeOptions?.['loadOptionsMethod'] || typeOptions?.['loadOptions']);
}

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

import { analyze, MEASURES } from './lexicon.ts';
import { asText, contains, expressionFailure, same, typeName } from './values.ts';

interface ExpressionFunction {
  usage: string;
  least: number;
  most: number;
  apply(values: unknown[]): unknown;
}

function of(usage: string, least: number, most: number, apply: (values: unknown[]) => unknown): ExpressionFunction {
  return { usage, least, most, apply };
}

function textOf(value: unknown, name: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') throw expressionFailure(`${name} needs text, not ${typeName(value)}`);
  return value;
}

function listOf(value: unknown, name: string): unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw expressionFailure(`${name} needs a list, not ${typeName(value)}`);
  return value;
}

function numberOf(value: unknown, name: string): number {
  if (typeof value !== 'number') throw expressionFailure(`${name} needs a number, not ${typeName(value)}`);
  return value;
}

function numbersOf(values: unknown[], name: string): number[] {
  const [only] = values;
  const list = values.length === 1 && Array.isArray(only) ? only : values;
  return list.map((value) => numberOf(value, name));
}

function sizeOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (typeof value === 'object') return Object.keys(value).length;
  throw expressionFailure(`length needs text, a list or an object, not ${typeName(value)}`);
}

function rounded(value: unknown, digits: unknown): number {
  const factor = 10 ** Math.min(10, Math.max(0, digits === undefined ? 0 : numberOf(digits, 'round')));
  return Math.round(numberOf(value, 'round') * factor) / factor;
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const parsed = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(parsed) ? parsed : null;
}

function unique(values: unknown[]): unknown[] {
  return values.filter((value, index) => values.findIndex((other) => same(other, value)) === index);
}

function measured(text: unknown, measure: unknown): number {
  const name = textOf(measure, 'analyze');
  if (!MEASURES.includes(name)) throw expressionFailure(`analyze measures ${MEASURES.join(', ')}, not "${name.slice(0, 40)}"`);
  return analyze(textOf(text, 'analyze'), name);
}

/** Everything that an expression can call. No function reads a clock, a file, the network or the environment. */
export const FUNCTIONS: Readonly<Record<string, ExpressionFunction>> = {
  length: of('(text, list or object)', 1, 1, ([value]) => sizeOf(value)),
  count: of('(text, list or object)', 1, 1, ([value]) => sizeOf(value)),
  empty: of(
    '(value)',
    1,
    1,
    ([value]) => value === null || value === undefined || (typeof value !== 'number' && typeof value !== 'boolean' && sizeOf(value) === 0),
  ),
  exists: of('(value)', 1, 1, ([value]) => value !== null && value !== undefined),
  contains: of('(text or list, part)', 2, 2, ([whole, part]) => contains(whole, part)),
  starts_with: of('(text, start)', 2, 2, ([text, start]) => textOf(text, 'starts_with').startsWith(textOf(start, 'starts_with'))),
  ends_with: of('(text, end)', 2, 2, ([text, end]) => textOf(text, 'ends_with').endsWith(textOf(end, 'ends_with'))),
  lower: of('(text)', 1, 1, ([text]) => textOf(text, 'lower').toLowerCase()),
  upper: of('(text)', 1, 1, ([text]) => textOf(text, 'upper').toUpperCase()),
  trim: of('(text)', 1, 1, ([text]) => textOf(text, 'trim').trim()),
  replace: of('(text, what, with)', 3, 3, ([text, what, by]) =>
    textOf(text, 'replace').replaceAll(textOf(what, 'replace') || '\0', () => textOf(by, 'replace')),
  ),
  split: of('(text, separator)', 2, 2, ([text, by]) => textOf(text, 'split').split(textOf(by, 'split'))),
  join: of('(list, separator)', 1, 2, ([list, by]) =>
    listOf(list, 'join')
      .map(asText)
      .join(by === undefined ? ', ' : textOf(by, 'join')),
  ),
  first: of('(list)', 1, 1, ([list]) => listOf(list, 'first')[0]),
  last: of('(list)', 1, 1, ([list]) => listOf(list, 'last').at(-1)),
  slice: of('(list or text, from, to)', 2, 3, ([value, from, to]) =>
    (typeof value === 'string' ? value : listOf(value, 'slice')).slice(
      numberOf(from, 'slice'),
      to === undefined ? undefined : numberOf(to, 'slice'),
    ),
  ),
  unique: of('(list)', 1, 1, ([list]) => unique(listOf(list, 'unique'))),
  pluck: of('(list, field)', 2, 2, ([list, field]) =>
    listOf(list, 'pluck').map((item) =>
      item !== null && typeof item === 'object' && Object.hasOwn(item, textOf(field, 'pluck'))
        ? (item as Record<string, unknown>)[field as string]
        : null,
    ),
  ),
  keys: of('(object)', 1, 1, ([value]) => (value !== null && typeof value === 'object' ? Object.keys(value) : [])),
  values: of('(object)', 1, 1, ([value]) => (value !== null && typeof value === 'object' ? Object.values(value) : [])),
  number: of('(text)', 1, 1, ([value]) => toNumber(value)),
  text: of('(value)', 1, 1, ([value]) => asText(value)),
  json: of('(value)', 1, 1, ([value]) => JSON.stringify(value ?? null)),
  type: of('(value)', 1, 1, ([value]) => (value === null || value === undefined ? 'null' : Array.isArray(value) ? 'array' : typeof value)),
  round: of('(number, digits)', 1, 2, ([value, digits]) => rounded(value, digits)),
  floor: of('(number)', 1, 1, ([value]) => Math.floor(numberOf(value, 'floor'))),
  ceil: of('(number)', 1, 1, ([value]) => Math.ceil(numberOf(value, 'ceil'))),
  abs: of('(number)', 1, 1, ([value]) => Math.abs(numberOf(value, 'abs'))),
  min: of('(numbers)', 1, 100, (values) => numbersOf(values, 'min').reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)),
  max: of('(numbers)', 1, 100, (values) => numbersOf(values, 'max').reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)),
  sum: of('(numbers)', 1, 100, (values) => numbersOf(values, 'sum').reduce((a, b) => a + b, 0)),
  default: of('(value, otherwise)', 2, 2, ([value, otherwise]) => value ?? otherwise),
  analyze: of(`(text, measure), the measure one of ${MEASURES.join(', ')}`, 2, 2, ([text, measure]) => measured(text, measure)),
};

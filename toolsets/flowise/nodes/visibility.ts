import type { InputDefinition } from './definition.ts';

const LONGEST_PATTERN = 100;
const LONGEST_VALUE = 500;

/** Whether an input counts, given the values of the others: all its `show` rules hold and none of its `hide` rules. */
export function isVisible(input: InputDefinition, values: Record<string, unknown>, index?: number): boolean {
  if (input['hidden'] === true) return false;
  const holds = ([path, expected]: [string, unknown]) => matches(valueAt(values, path, index), expected);
  if (input.show && !Object.entries(input.show).every(holds)) return false;
  return !(input.hide && Object.entries(input.hide).some(holds));
}

/** Paths are dotted and may hold the `[$index]` of the array item that is looked at. */
function valueAt(values: Record<string, unknown>, path: string, index: number | undefined): unknown {
  if (Object.hasOwn(values, path)) return values[path];
  const keys = path
    .replaceAll('$index', String(index ?? 0))
    .split(/[.[\]]+/)
    .filter(Boolean);
  let value: unknown = values;
  for (const key of keys) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function matches(actual: unknown, expected: unknown): boolean {
  const actuals = Array.isArray(actual) ? actual : [actual];
  const wanted = Array.isArray(expected) ? expected : [expected];
  return wanted.some((one) => actuals.some((value) => value === one || fitsPattern(value, one)));
}

/** Flowise's rules may be patterns for text, such as a family of model names. */
function fitsPattern(value: unknown, pattern: unknown): boolean {
  if (typeof value !== 'string' || typeof pattern !== 'string' || !/[.*^$|()[\]]/.test(pattern)) return false;
  if (pattern.length > LONGEST_PATTERN || value.length > LONGEST_VALUE) return false;
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return false;
  }
}

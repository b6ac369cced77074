import { isRecord } from '@millrace/kernel';
import { equal } from '../document/text/json.ts';

const MAX_DIFFERENCES = 10;

/** Where two values differ, as lines for people. `{"$any": true}` fits everything, `{"$type": "string"}` everything of that type. */
export function differences(expected: unknown, actual: unknown, path: string): string[] {
  const lines: string[] = [];
  compare(expected, actual, path, lines);
  return lines.length <= MAX_DIFFERENCES
    ? lines
    : [...lines.slice(0, MAX_DIFFERENCES), `and ${lines.length - MAX_DIFFERENCES} more differences`];
}

function compare(expected: unknown, actual: unknown, path: string, lines: string[]): void {
  const matcher = matcherOf(expected);
  if (matcher) {
    if (actual === undefined || !matcher(actual)) lines.push(`${path}: expected ${shown(expected)}, got ${shown(actual)}`);
    return;
  }
  if (isContainer(expected) && isContainer(actual) && Array.isArray(expected) === Array.isArray(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(Reflect.get(expected, key), Reflect.get(actual, key), Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`, lines);
    }
    return;
  }
  if (expected === undefined || actual === undefined ? expected !== actual : !equal(expected, actual)) {
    lines.push(`${path}: expected ${shown(expected)}, got ${shown(actual)}`);
  }
}

function matcherOf(expected: unknown): ((actual: unknown) => boolean) | undefined {
  if (!isRecord(expected) || Object.keys(expected).length !== 1) return undefined;
  const { $any, $type } = expected;
  if ($any === true) return () => true;
  return typeof $type === 'string' ? (actual) => typeOf(actual) === $type : undefined;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing');
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

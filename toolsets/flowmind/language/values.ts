import { Failure } from '@millrace/kernel';

/** How an expression that cannot be evaluated fails: catchable in a flow as `expression`. */
export function expressionFailure(message: string): Failure {
  return new Failure('invalid_input', message, { details: { code: 'EXPRESSION_FAILED', error: 'expression' } });
}

/** Missing, false, zero, empty text and the empty list count as false. */
export function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

export function same(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || left === undefined || right === null || right === undefined) return (left ?? null) === (right ?? null);
  if (typeof left !== 'object' || typeof right !== 'object') return false;
  return JSON.stringify(left) === JSON.stringify(right);
}

export function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return whole.some((item) => same(item, part));
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part);
  if (whole !== null && typeof whole === 'object') return typeof part === 'string' && Object.hasOwn(whole, part);
  return false;
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'true or false', object: 'an object' };

export function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return TYPE_NAMES[typeof value] ?? 'a value';
}

export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

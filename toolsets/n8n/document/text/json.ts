import { isRecord } from '@millrace/kernel';
/** Whether two JSON values say the same; a member that is undefined is absent, and a number too large for JSON is null. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return normalized(a) === normalized(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, index) => equal(element, b[index]));
  }
  return isRecord(a) && isRecord(b) && equalMembers(a, b);
}

function equalMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  if (keys.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && b[key] !== undefined && equal(a[key], b[key]));
}

function normalized(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return value === undefined ? null : value;
}

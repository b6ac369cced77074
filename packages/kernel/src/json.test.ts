import { describe, expect, test } from 'vitest';
import { isNestedDeeperThan, isRecord, jsonIn, recordOf } from './json.ts';

describe('what came as JSON', () => {
  test('is an object, or is read as one without members', () => {
    expect(recordOf({ name: 'Ada' })).toEqual({ name: 'Ada' });
    for (const other of [null, undefined, 'text', 1, ['a']]) {
      expect(isRecord(other)).toBe(false);
      expect(recordOf(other)).toEqual({});
    }
  });

  test('is undefined where a text is not JSON', () => {
    expect(jsonIn('{"a":[1]}')).toEqual({ a: [1] });
    expect(jsonIn('null')).toBe(null);
    expect(jsonIn('<html>')).toBe(undefined);
  });

  test('is nested too deep, even where recursion would overflow the stack', () => {
    expect(isNestedDeeperThan({ a: [1] }, 1)).toBe(false);
    expect(isNestedDeeperThan({ a: [{}] }, 1)).toBe(true);
    expect(isNestedDeeperThan(JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`), 100)).toBe(true);
  });
});

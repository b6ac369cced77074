import { expect, test } from 'vitest';
import { runInputOf } from './run-input.ts';

test.each([
  [undefined, {}],
  [{}, {}],
  [{ name: 'Ada' }, { items: [{ json: { name: 'Ada' } }] }],
  [{ items: [{ a: 1 }, { json: { b: 2 }, binary: {} }] }, { items: [{ json: { a: 1 } }, { json: { b: 2 }, binary: {} }] }],
  [{ items: [], total: 0 }, { items: [{ json: { items: [], total: 0 } }] }],
  [{ pinned: { A: [{ a: 1 }] } }, { pinned: { A: [{ json: { a: 1 } }] } }],
  [
    { items: [{ a: 1 }], pinned: { A: [] } },
    { items: [{ json: { a: 1 } }], pinned: { A: [] } },
  ],
  [{ items: 'three' }, { items: [{ json: { items: 'three' } }] }],
])('%j', (testData, input) => {
  expect(runInputOf(testData)).toEqual(input);
});

test('refuses what are not items', () => {
  expect(() => runInputOf({ items: [1] })).toThrow('testData.items[0] must be an object');
  expect(() => runInputOf({ pinned: { A: 'x' } })).toThrow('testData.pinned.A must be a list of objects');
});

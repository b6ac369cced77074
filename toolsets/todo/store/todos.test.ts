import { expect, test } from 'vitest';
import { TodoIds } from './todos.ts';

test('ids are UUIDs of version 7, all different, in the order in which they were made', () => {
  const ids = new TodoIds();
  const times = [1_000_000, 1_000_000, 999_000, 1_000_001];
  const made = times.flatMap((time) => Array.from({ length: 5_000 }, () => ids.next(new Date(time))));
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
});

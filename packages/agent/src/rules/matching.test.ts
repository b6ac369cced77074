import { expect, test } from 'vitest';
import { aboutTopic, bestMatch } from './matching.ts';
import type { Todo } from './memory.ts';

const todos: Todo[] = ['Buy milk', 'Buy oat milk', 'Call mom', 'Water the plants', 'Finish the report'].map((title, index) => ({
  id: String(index),
  title,
  status: 'open',
  priority: 'medium',
  ...(index < 2 && { tags: ['groceries'] }),
}));

test.each([
  ['buy milk', 'exact', ['Buy milk']],
  ['Milk', 'all', ['Buy milk', 'Buy oat milk']],
  ['got the oat milk', 'all', ['Buy oat milk']],
  ['watered plants', 'exact', ['Water the plants']],
  ['reprot', 'nearly', ['Finish the report']],
  ['call my mother', 'exact', ['Call mom']],
  ['groceries', 'all', ['Buy milk', 'Buy oat milk']],
  ['quarterly report', 'part', ['Finish the report']],
])('%s fits %s', (name, fit, titles) => {
  const match = bestMatch(name, todos);
  expect(match?.fit).toBe(fit);
  expect(match?.todos.map(({ title }) => title)).toEqual(titles);
});

test.each(['elephant', 'call', '', 'mix'])('"%s" names none for sure', (name) => {
  expect(['part', undefined, 'all']).toContain(bestMatch(name, todos)?.fit);
  expect(bestMatch(name, todos)?.todos.length ?? 0).toBeLessThan(2);
});

test('a topic is a tag or a word', () => {
  expect(aboutTopic('grocery', todos).map(({ title }) => title)).toEqual(['Buy milk', 'Buy oat milk']);
  expect(aboutTopic('plant', todos).map(({ title }) => title)).toEqual(['Water the plants']);
  expect(aboutTopic('', todos)).toEqual([]);
});

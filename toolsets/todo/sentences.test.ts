import { describe, expect, test } from 'vitest';
import { Calendar } from './calendar/calendar.ts';
import type { Todo } from './schema.ts';
import { sayAdded, sayAddedMany, sayDeleted, sayList, sayUpdated } from './sentences.ts';

const calendar = new Calendar({ now: () => new Date('2026-01-04T10:30:00Z') }, 'UTC');
const todo = (change: Partial<Todo> = {}): Todo => ({
  id: '770e8400-e29b-41d4-a716-446655440002',
  user_id: 'ada',
  title: 'Buy milk',
  status: 'open',
  priority: 'medium',
  created_at: '2026-01-04T10:30:00.000Z',
  updated_at: '2026-01-04T10:30:00.000Z',
  ...change,
});
const friday = '2026-01-09T17:00:00.000Z';

test('adding', () => {
  expect(sayAdded(todo(), calendar)).toBe('Added "Buy milk".');
  expect(sayAdded(todo({ due_at: friday }), calendar)).toBe('Added "Buy milk", due Friday at 5 pm.');
  expect(sayAdded(todo({ priority: 'high', due_at: friday }), calendar)).toBe('Added "Buy milk" with high priority, due Friday at 5 pm.');
  expect(sayAdded(todo({ title: `${'x'.repeat(90)}` }), calendar)).toBe(`Added "${'x'.repeat(80)}…".`);
  expect(sayAdded(todo({ title: 'two\nlines' }), calendar)).toBe('Added "two lines".');
  expect(sayAddedMany([todo()], 0)).toBe('Added "Buy milk".');
  expect(
    sayAddedMany(
      Array.from({ length: 7 }, (_, n) => todo({ title: `${n}` })),
      1,
    ),
  ).toBe('Added "0", "1", "2", "3", "4" and 2 more. One could not be added.');
});

describe('listing', () => {
  test('names a few', () => {
    expect(sayList([], 0, '', calendar)).toBe('You have no todos.');
    expect(sayList([], 0, 'open ', calendar)).toBe('You have no open todos.');
    expect(sayList([todo()], 1, '', calendar)).toBe('You have one todo: "Buy milk".');
    expect(sayList([todo({ due_at: friday }), todo({ title: 'Call mom' })], 2, '', calendar)).toBe(
      'You have 2 todos: "Buy milk", due Friday at 5 pm and "Call mom".',
    );
  });

  test('says what is overdue', () => {
    expect(sayList([todo({ due_at: '2026-01-03T17:00:00.000Z' }), todo({ title: 'Call mom' })], 2, '', calendar)).toBe(
      'You have 2 todos: "Buy milk", due yesterday at 5 pm and "Call mom". One is overdue.',
    );
  });

  test('sums up many, and pages', () => {
    const many = Array.from({ length: 12 }, (_, n) => todo({ title: `${n}` }));
    expect(sayList(many, 12, '', calendar)).toBe('You have 12 todos. First "0", "1" and "2".');
    expect(sayList(many, 250, 'open ', calendar)).toBe('You have 250 open todos. Here are 12 of them. First "0", "1" and "2".');
    expect(sayList([todo()], 3, '', calendar)).toBe('You have 3 todos. Here is one of them: "Buy milk".');
    expect(sayList([], 3, '', calendar)).toBe('There are no more: you have 3 todos.');
  });
});

test('updating', () => {
  const before = todo();
  expect(sayUpdated(before, todo({ status: 'completed' }), calendar)).toBe('Marked "Buy milk" as done.');
  expect(sayUpdated(before, todo({ status: 'archived' }), calendar)).toBe('Archived "Buy milk".');
  expect(sayUpdated(todo({ status: 'archived' }), before, calendar)).toBe('Brought back "Buy milk".');
  expect(sayUpdated(todo({ status: 'completed' }), before, calendar)).toBe('Reopened "Buy milk".');
  expect(sayUpdated(before, todo({ title: 'Buy oat milk' }), calendar)).toBe('Updated "Buy oat milk": it was called "Buy milk".');
  expect(sayUpdated(before, todo({ due_at: friday, tags: ['home'] }), calendar)).toBe(
    'Updated "Buy milk": it is due Friday at 5 pm and it is tagged home.',
  );
  expect(sayUpdated(todo({ due_at: friday }), before, calendar)).toBe('Updated "Buy milk": it is no longer due.');
  expect(sayUpdated(before, before, calendar)).toBe('"Buy milk" is already like that.');
});

test('deleting', () => {
  const before = todo();
  expect(sayDeleted(before, todo({ status: 'archived' }))).toBe('Deleted "Buy milk". Say so if you want it back.');
  expect(sayDeleted(before, before)).toBe('"Buy milk" was already deleted.');
});

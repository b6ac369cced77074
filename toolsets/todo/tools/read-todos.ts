import { z } from 'zod';
import type { Calendar } from '../calendar/calendar.ts';
import { type TodoFilter, todo, todoFilter } from '../schema.ts';
import { sayList } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../services.ts';
import type { TodoQuery } from '../store/todo-query.ts';

const WEEK_DAYS = 7;

export const readTodos = tool({
  name: 'read_todos',
  description: 'List todos of the signed-in user: all non-archived, newest first, unless filtered. total counts all matches.',
  said: [
    'show me my open todos',
    'what is on my todo list',
    'what do I still have to do today',
    'which tasks are due this week',
    'list everything I have not finished',
    'do I have a todo about the dentist',
  ],
  access: 'read',
  annotations: { title: 'Read todos', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: todoFilter,
  output: z.object({ todos: z.array(todo), count: z.int(), total: z.int() }),
  phrases: { failed: 'Failed to read todos', doing: 'reading your todos', toDo: 'show your todos' },

  async run(filter, { services: { todos, calendar }, user }) {
    const page = await todos.list(user.id, await queryOf(filter, calendar));
    return { todos: page.todos, count: page.todos.length, total: page.total };
  },

  present: (data, { input, services: { calendar } }) => ({ data, words: sayList(data.todos, data.total, adjectives(input), calendar) }),
});

async function queryOf(filter: TodoFilter, calendar: Calendar): Promise<TodoQuery> {
  const { limit, offset, sort, priority } = filter;
  const due = dueRange(filter.due, calendar);
  const before = filter.due_before ? await calendar.read(filter.due_before, 'due_before') : undefined;
  const after = filter.due_after ? await calendar.read(filter.due_after, 'due_after') : undefined;
  return {
    limit,
    offset,
    sort,
    priority,
    status: filter.status ?? (filter.due === 'overdue' ? 'open' : undefined),
    words: filter.search?.toLowerCase().split(/\s+/).filter(Boolean) ?? [],
    tags: filter.tags ?? [],
    dueFrom: latest(due.from, after && momentLater(after)),
    dueBefore: earliest(due.before, before && momentLater(before)),
    hasDue: due.has,
  };
}

function dueRange(due: TodoFilter['due'], calendar: Calendar): { from?: Date; before?: Date; has?: boolean } {
  switch (due) {
    case 'overdue':
      return { before: calendar.now() };
    case 'today':
      return { from: calendar.days(1).from, before: calendar.days(1).until };
    case 'week':
      return { from: calendar.days(1).from, before: calendar.days(WEEK_DAYS).until };
    case 'any':
      return { has: true };
    case 'none':
      return { has: false };
    case undefined:
      return {};
  }
}

/** A day alone means its last second: what is due then is due by that day. */
function momentLater(date: Date): Date {
  return new Date(date.getTime() + 1);
}

function latest(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a > b ? a : b) : (a ?? b);
}

function earliest(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a < b ? a : b) : (a ?? b);
}

/** "no overdue high-priority todos": what was asked for, in words. */
function adjectives({ status, due, priority, search, tags, due_before, due_after }: TodoFilter): string {
  const words = [
    ...(due === 'overdue' ? ['overdue'] : []),
    ...(status ? [status === 'archived' ? 'deleted' : status] : []),
    ...(priority ? [`${priority}-priority`] : []),
  ];
  const other = search || tags?.length || due_before || due_after || (due && due !== 'overdue');
  return [...words, ...(other ? ['matching'] : []), ''].join(' ');
}

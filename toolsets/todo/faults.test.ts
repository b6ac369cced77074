import { Failure } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { afterEach, expect, vi } from 'vitest';
import { verifies } from '../../test/requirements.ts';
import type { TodoTables } from './migrations.ts';
import { todoCatalog } from './testing/catalog.ts';

const ID = '770e8400-e29b-41d4-a716-446655440002';

afterEach(() => {
  vi.useRealTimers();
});

/** A store in which everything fails, as it does on a full disk or a broken file. */
function failing(error: () => Error) {
  return (store: Store<TodoTables>): Store<TodoTables> => {
    const fail = async (): Promise<never> => {
      throw error();
    };
    const db = new Proxy(store.db, {
      get() {
        throw error();
      },
    });
    return { dialect: store.dialect, db, rows: fail, transaction: fail, withLock: fail, check: fail, close: fail };
  };
}

const FAULTS = [
  () => new Failure('storage', 'The disk that holds /home/ada/.millrace/millrace.db is full'),
  () => new Error('SQLITE_IOERR: disk I/O error'),
  () => new TypeError('Cannot read properties of undefined'),
];

async function sentenceOf(tool: string, parameters: object): Promise<void> {
  const published = {
    create_todo: 'Failed to create todo',
    read_todos: 'Failed to read todos',
    update_todo: 'Failed to update todo',
    delete_todo: 'Failed to delete todo',
  };
  for (const fault of FAULTS) {
    const todos = await todoCatalog({ wrap: failing(fault) });
    const reply = await todos.call(tool, parameters);
    expect(reply.isError).toBe(true);
    expect(JSON.parse(reply.text)).toEqual({
      success: false,
      error: published[tool as keyof typeof published],
      data: null,
      user_message: expect.stringMatching(/^I'm having trouble .* Please try again\./),
    });
    // A bug can be found in the log, by the id of the call.
    const isBug = !(fault() instanceof Failure);
    expect(reply.text.includes(String(todos.rows[0]?.id))).toBe(isBug);
    expect(reply.text).not.toMatch(/disk|sqlite|undefined|millrace\.db/i);
    expect(todos.rows).toMatchObject([{ tool, status: 'failure' }]);
  }
}

verifies('todo-create-database-error', 'a storage fault answers "Failed to create todo"', () => sentenceOf('create_todo', { title: 'A' }));
verifies('todo-read-database-error', 'a storage fault answers "Failed to read todos"', () => sentenceOf('read_todos', {}));
verifies('todo-update-delete-database-error', 'a storage fault answers "Failed to update todo" and "Failed to delete todo"', async () => {
  await sentenceOf('update_todo', { id: ID, title: 'A' });
  await sentenceOf('delete_todo', { id: ID });
});

verifies('todo-validated-before-storage', 'arguments are refused before anything reaches the storage', async () => {
  const todos = await todoCatalog({ wrap: failing(() => new Error('the storage was reached')) });
  for (const [tool, parameters] of [
    ['create_todo', { title: ' ' }],
    ['create_todo', { title: 'A', priority: 'urgent' }],
    ['create_todo', { title: 'A', due: 'next banana' }],
    ['create_todo', { title: 'a\0b' }],
    ['create_todos', { todos: [] }],
    ['create_todos', { todos: [{ title: '' }] }],
    ['read_todos', { limit: -1 }],
    ['read_todos', { due_before: 'next banana' }],
    ['update_todo', { id: ID }],
    ['update_todo', { id: 'x', title: 'A' }],
    ['delete_todo', { id: ID, force: true }],
  ] as const) {
    const reply = await todos.call(tool, parameters);
    expect(reply.failure?.code).toBe('invalid_input');
  }
});

verifies('todo-deadline', 'a call that takes longer than 5 seconds is stopped, answered, and leaves nothing behind', async () => {
  vi.useFakeTimers();
  const slow = Promise.withResolvers<void>();
  const written = Promise.withResolvers<unknown>();
  const todos = await todoCatalog({
    wrap: (store) => ({
      dialect: store.dialect,
      db: store.db,
      rows: (statement) => store.rows(statement),
      async transaction(body) {
        await slow.promise;
        const outcome = store.transaction(body);
        outcome.then(() => written.resolve('written'), written.resolve);
        return outcome;
      },
      withLock: (name, work) => store.withLock(name, work),
      check: () => store.check(),
      close: () => store.close(),
    }),
  });
  let answered = false;
  const call = todos.call('create_todo', { title: 'A' }).finally(() => {
    answered = true;
  });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(answered).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const reply = await call;
  expect(reply.isError).toBe(true);
  expect(JSON.parse(reply.text)).toEqual({
    success: false,
    error: 'The call took longer than 5 seconds and was stopped',
    data: null,
    user_message: 'That took too long, so I stopped. Please try again.',
  });
  slow.resolve();
  expect(await written.promise).toMatchObject({ code: 'timeout' });
  expect(await todos.store.db.selectFrom('todos').selectAll().execute()).toEqual([]);
});

import { Failure } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { type TodoTables, todoMigrations } from '@millrace/todo/migrations';
import { todoToolset } from '@millrace/todo/toolset';
import { expect, test } from 'vitest';
import { type TestCatalog, testCatalog, user } from '../harness/catalog.ts';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

const ada = user('ada');

onEachDatabase('todos', (database) => {
  const openTodos = async (): Promise<TestCatalog> => {
    const { store } = await database().open({ migrations: todoMigrations });
    return testCatalog([todoToolset({ store: store as Store<TodoTables>, clock: database().clock, timeZone: 'UTC' })]);
  };
  const ask = async (todos: TestCatalog, tool: string, parameters: object = {}, as = ada) =>
    JSON.parse((await todos.call(tool, parameters, as)).text);
  const titles = async (todos: TestCatalog, parameters: object) =>
    (await ask(todos, 'read_todos', parameters)).todos.map((todo: { title: string }) => todo.title);

  verifies('kernel-postgres', 'are created, listed newest first, changed, deleted and brought back', async () => {
    const todos = await openTodos();
    const other = await openTodos();
    const { todo: first } = await ask(todos, 'create_todo', { title: ' Äpfel kaufen 🍎 ', description: "O'Neil; DROP TABLE todos --" });
    const { todo: second } = await ask(todos, 'create_todo', { title: 'Call mom', tags: ['Family'], due: 'tomorrow 5pm' });
    expect(second).toMatchObject({ tags: ['family'], due_at: '2026-01-05T17:00:00.000Z' });
    expect((await ask(other, 'read_todos')).todos).toEqual([second, first]);
    const { todo: changed } = await ask(other, 'update_todo', { id: first.id, status: 'completed', description: '' });
    expect(changed).toEqual({ ...first, status: 'completed', description: '', updated_at: '2026-01-04T10:30:00.001Z' });
    await ask(todos, 'delete_todo', { id: first.id });
    expect(await ask(todos, 'read_todos', { status: 'archived' })).toMatchObject({ count: 1, total: 1, todos: [{ id: first.id }] });
    expect(await ask(other, 'update_todo', { id: first.id, status: 'open' })).toMatchObject({ success: true });
    expect((await ask(todos, 'read_todos')).total).toBe(2);
    expect(await ask(todos, 'update_todo', { id: first.id, title: 'x' }, user('bob'))).toMatchObject({ error: 'Access denied' });
  });

  verifies('kernel-postgres', 'are found by words, tags, priority and due dates, and sorted', async () => {
    const todos = await openTodos();
    const batch = [
      { title: 'Äpfel kaufen', description: '100% bio', tags: ['Einkauf'], priority: 'low', due: '2026-01-03' },
      { title: 'Call mom', tags: ['family', 'phone'], priority: 'high', due: 'today 6pm' },
      { title: 'Call dad', tags: ['family'], due: 'friday' },
      { title: 'under_score', description: 'back\\slash "quoted"', due: '2026-02-01' },
      { title: 'Someday' },
    ];
    expect(await ask(todos, 'create_todos', { todos: batch })).toMatchObject({ count: 5, failed: [] });
    expect(await titles(todos, { search: 'äPFEL' })).toEqual(['Äpfel kaufen']);
    expect(await titles(todos, { search: '100%' })).toEqual(['Äpfel kaufen']);
    expect(await titles(todos, { search: '%' })).toEqual(['Äpfel kaufen']);
    expect(await titles(todos, { search: '_' })).toEqual(['under_score']);
    expect(await titles(todos, { search: '\\ "quo' })).toEqual(['under_score']);
    expect(await titles(todos, { search: 'call FAMILY' })).toEqual(['Call dad', 'Call mom']);
    expect(await titles(todos, { search: 'call milk' })).toEqual([]);
    expect(await titles(todos, { tags: ['Family'] })).toEqual(['Call dad', 'Call mom']);
    expect(await titles(todos, { tags: ['family', 'phone'] })).toEqual(['Call mom']);
    expect(await titles(todos, { tags: ['fam'] })).toEqual([]);
    expect(await titles(todos, { priority: 'high' })).toEqual(['Call mom']);
    expect(await titles(todos, { due: 'overdue' })).toEqual(['Äpfel kaufen']);
    expect(await titles(todos, { due: 'today' })).toEqual(['Call mom']);
    expect(await titles(todos, { due: 'week' })).toEqual(['Call dad', 'Call mom']);
    expect(await titles(todos, { due: 'none' })).toEqual(['Someday']);
    expect((await titles(todos, { due: 'any' })).length).toBe(4);
    expect(await titles(todos, { due_before: 'friday', due_after: '2026-01-03' })).toEqual(['Call dad', 'Call mom']);
    expect(await titles(todos, { due_after: 'friday' })).toEqual(['under_score']);
    expect(await titles(todos, { sort: 'due' })).toEqual(['Äpfel kaufen', 'Call mom', 'Call dad', 'under_score', 'Someday']);
    expect(await titles(todos, { sort: 'priority' })).toEqual(['Call mom', 'Someday', 'under_score', 'Call dad', 'Äpfel kaufen']);
    expect((await titles(todos, { sort: 'oldest' }))[0]).toBe('Äpfel kaufen');
    expect(await ask(todos, 'read_todos', { search: 'call', limit: 1 })).toMatchObject({ count: 1, total: 2 });
  });

  verifies('kernel-postgres', 'are counted right when many are written at once', async () => {
    const stores = [await openTodos(), await openTodos()];
    const created = await Promise.all(
      Array.from({ length: 30 }, (_, n) => ask(stores[n % 2] as TestCatalog, 'create_todo', { title: `todo ${n}` })),
    );
    expect(created.map(({ error }) => error)).toEqual(Array.from({ length: 30 }, () => null));
    await Promise.all(
      created.map(({ todo }, n) =>
        ask(stores[n % 2] as TestCatalog, 'update_todo', { id: todo.id, status: n % 3 ? 'completed' : 'archived' }),
      ),
    );
    const todos = stores[0] as TestCatalog;
    expect(await ask(todos, 'read_todos')).toMatchObject({ count: 20, total: 20 });
    expect(await ask(todos, 'read_todos', { status: 'archived' })).toMatchObject({ count: 10, total: 10 });
    expect(await ask(todos, 'read_todos', { status: 'open' })).toMatchObject({ count: 0, total: 0 });
  });

  test('lose no change when two edit different fields at once', async () => {
    const stores = [await openTodos(), await openTodos()] as [TestCatalog, TestCatalog];
    const { todo } = await ask(stores[0], 'create_todo', { title: 'A' });
    await Promise.all([
      ask(stores[0], 'update_todo', { id: todo.id, title: 'B' }),
      ask(stores[1], 'update_todo', { id: todo.id, priority: 'high' }),
      ask(stores[0], 'update_todo', { id: todo.id, description: 'C' }),
      ask(stores[1], 'update_todo', { id: todo.id, tags: ['d'] }),
    ]);
    const [after] = (await ask(stores[0], 'read_todos')).todos;
    expect(after).toMatchObject({ title: 'B', priority: 'high', description: 'C', tags: ['d'], updated_at: '2026-01-04T10:30:00.004Z' });
  });

  test('of a batch are all kept or none', async () => {
    const { store } = await database().open({ migrations: todoMigrations });
    const toolset = todoToolset({ store: store as Store<TodoTables>, clock: database().clock, timeZone: 'UTC' });
    const stopped = AbortSignal.abort(new Failure('cancelled', 'no'));
    const contents = [{ title: 'A', priority: 'low' as const }];
    await expect(toolset.services.todos.create('ada', contents, stopped)).rejects.toMatchObject({ code: 'cancelled' });
    expect(await store.db.selectFrom('todos').selectAll().execute()).toEqual([]);
    expect(await store.db.selectFrom('todo_counts').selectAll().execute()).toEqual([]);
  });
});

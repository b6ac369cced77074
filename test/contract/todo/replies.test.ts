import { expect } from 'vitest';
import { z } from 'zod';
import { user } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';
import { openTodos, type TestTodos } from './todos.ts';

const ada = user('user-123');
const bob = user('user-456');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const add = async (todos: TestTodos, parameters: object, as = ada) => (await todos.ask('create_todo', parameters, as)).todo;
const titles = async (todos: TestTodos, parameters: object = {}, as = ada) =>
  (await todos.ask('read_todos', parameters, as)).todos.map((todo: { title: string }) => todo.title);

verifies('todo-tools-listed', 'the four published tools are there, with exactly their parameters', async () => {
  const { catalog } = await openTodos();
  const published = catalog.entries().filter((entry) => !entry.tool.extra);
  expect(published.map((entry) => entry.tool.name)).toEqual(['create_todo', 'read_todos', 'update_todo', 'delete_todo']);
  const parameters = Object.fromEntries(
    published.map(({ tool, inputSchema }) => [
      tool.name,
      { properties: Object.keys(inputSchema.properties as object), required: inputSchema.required ?? [] },
    ]),
  );
  expect(parameters).toMatchObject({
    create_todo: { properties: expect.arrayContaining(['title', 'description', 'priority']), required: ['title'] },
    read_todos: { properties: expect.arrayContaining(['status', 'limit', 'offset']), required: [] },
    update_todo: { properties: expect.arrayContaining(['id', 'title', 'description', 'status', 'priority']), required: ['id'] },
    delete_todo: { properties: ['id'], required: ['id'] },
  });
});

verifies(['todo-create-reply', 'todo-create-initial-state'], 'create_todo answers as published', async () => {
  const todos = await openTodos();
  const reply = await todos.call('create_todo', { title: 'Buy groceries', description: 'Milk, eggs, bread', priority: 'medium' }, ada);
  const todo = {
    id: expect.stringMatching(UUID),
    user_id: 'user-123',
    title: 'Buy groceries',
    description: 'Milk, eggs, bread',
    status: 'open',
    priority: 'medium',
    created_at: '2026-01-04T10:30:00.000Z',
    updated_at: '2026-01-04T10:30:00.000Z',
  };
  expect(reply.isError).toBe(false);
  expect(JSON.parse(reply.text)).toEqual({ success: true, error: null, todo, data: { todo }, user_message: 'Added "Buy groceries".' });
  expect(reply.structured).toEqual(JSON.parse(reply.text));
});

verifies(['todo-envelope', 'todo-data-same-payload', 'todo-user-message'], 'every reply has the same four fields', async () => {
  const todos = await openTodos();
  const { id } = await add(todos, { title: 'Buy groceries' });
  const foreign = await add(todos, { title: 'Call mom' }, bob);
  const replies = [
    await todos.call('create_todo', { title: 'A' }, ada),
    await todos.call('create_todo', { title: '' }, ada),
    await todos.call('create_todo', { name: 'A' }, ada),
    await todos.call('create_todos', { todos: [{ title: 'A' }, { title: '' }] }, ada),
    await todos.call('create_todos', { todos: [{ title: '' }] }, ada),
    await todos.call('read_todos', {}, ada),
    await todos.call('read_todos', { limit: -1 }, ada),
    await todos.call('update_todo', { id, status: 'completed' }, ada),
    await todos.call('update_todo', { id }, ada),
    await todos.call('update_todo', { id: foreign.id, title: 'Mine' }, ada),
    await todos.call('delete_todo', { id }, ada),
    await todos.call('delete_todo', { id }, ada),
    await todos.call('delete_todo', { id: 'x' }, ada),
    await todos.call('delete_todo', { id: '770e8400-e29b-41d4-a716-446655440002' }, ada),
    await todos.call('delete_todo', [] as never, ada),
  ];
  for (const { text, isError } of replies) {
    const { success, error, data, user_message, ...payload } = JSON.parse(text);
    expect(success).toBe(!isError);
    expect(data).toEqual(success ? payload : null);
    if (!success) expect(payload).toEqual({});
    expect(typeof error).toBe(success ? 'object' : 'string');
    expect(user_message).toMatch(/^[A-Z"].{5,}[.?]$/);
    expect(user_message).not.toMatch(/_|\berror\b|undefined|null|invalid/i);
  }
});

verifies('todo-envelope', 'every reply conforms to the advertised schema', async () => {
  const todos = await openTodos();
  const { id } = await add(todos, { title: 'Buy groceries', due: 'tomorrow', tags: ['home'] });
  for (const [tool, parameters] of [
    ['create_todo', { title: 'A' }],
    ['create_todo', {}],
    ['create_todos', { todos: [{ title: 'A' }, {}] }],
    ['read_todos', {}],
    ['read_todos', { status: 'lost' }],
    ['update_todo', { id, title: 'B' }],
    ['update_todo', { id: 'x' }],
    ['delete_todo', { id }],
    ['delete_todo', { id: crypto.randomUUID() }],
  ] as const) {
    const entry = todos.catalog.find(tool);
    const schema = z.fromJSONSchema(entry?.outputSchema as Parameters<typeof z.fromJSONSchema>[0]);
    expect(entry?.outputSchema.type).toBe('object');
    expect(schema.safeParse((await todos.call(tool, parameters, ada)).structured).error).toBeUndefined();
  }
});

verifies(['todo-failure-envelope', 'todo-empty-title'], 'an empty title is refused as published, and nothing changes', async () => {
  const todos = await openTodos();
  const todo = await add(todos, { title: 'Buy groceries' });
  for (const title of ['', '   ', '\t\n', '\u00a0']) {
    for (const [tool, parameters] of [
      ['create_todo', { title }],
      ['update_todo', { id: todo.id, title }],
    ] as const) {
      const reply = await todos.call(tool, parameters, ada);
      expect(reply.isError).toBe(true);
      expect(JSON.parse(reply.text)).toMatchObject({ success: false, error: 'Title cannot be empty' });
    }
  }
  expect((await todos.ask('read_todos', {}, ada)).todos).toEqual([todo]);
});

verifies(['todo-create-title-required', 'todo-failure-envelope'], 'create_todo without a title is refused and stores nothing', async () => {
  const todos = await openTodos();
  for (const parameters of [{}, { title: null }, { title: 5 }, { title: ['a'] }, { description: 'x' }]) {
    expect(await todos.ask('create_todo', parameters, ada)).toMatchObject({ success: false, error: expect.stringMatching(/title/i) });
  }
  expect(await todos.store.db.selectFrom('todos').selectAll().execute()).toEqual([]);
});

verifies('todo-create-description', 'a description comes back from every tool, and is absent when none was given', async () => {
  const todos = await openTodos();
  const described = await add(todos, { title: 'Buy groceries', description: '  Milk, eggs\nbread ' });
  const plain = await add(todos, { title: 'Call mom' });
  expect(described.description).toBe('  Milk, eggs\nbread ');
  expect(plain).not.toHaveProperty('description');
  const { todos: listed } = await todos.ask('read_todos', {}, ada);
  expect(listed).toEqual([plain, described]);
  const { todo } = await todos.ask('update_todo', { id: described.id, priority: 'low' }, ada);
  expect(todo.description).toBe('  Milk, eggs\nbread ');
});

verifies('todo-priority', 'priority is low, medium or high, and medium when it is not given', async () => {
  const todos = await openTodos();
  const { id, priority } = await add(todos, { title: 'Buy groceries' });
  expect(priority).toBe('medium');
  for (const value of ['low', 'medium', 'high']) {
    expect((await add(todos, { title: 'A', priority: value })).priority).toBe(value);
    expect((await todos.ask('update_todo', { id, priority: value }, ada)).todo.priority).toBe(value);
  }
  for (const value of ['urgent', 'HIGH', '', 1, null]) {
    for (const [tool, parameters] of [
      ['create_todo', { title: 'A', priority: value }],
      ['update_todo', { id, priority: value }],
    ] as const) {
      expect(await todos.ask(tool, parameters, ada)).toMatchObject({ success: false, error: 'Priority must be low, medium or high' });
    }
  }
});

verifies(['todo-read-default', 'todo-read-status'], 'read_todos lists what is not archived, or exactly one status', async () => {
  const todos = await openTodos();
  const done = await add(todos, { title: 'done' });
  const gone = await add(todos, { title: 'gone' });
  await add(todos, { title: 'open' });
  await todos.ask('update_todo', { id: done.id, status: 'completed' }, ada);
  await todos.ask('delete_todo', { id: gone.id }, ada);
  expect((await titles(todos)).sort()).toEqual(['done', 'open']);
  expect(await titles(todos, { status: 'open' })).toEqual(['open']);
  expect(await titles(todos, { status: 'completed' })).toEqual(['done']);
  expect(await titles(todos, { status: 'archived' })).toEqual(['gone']);
  for (const status of ['all', 'Open', '', 7]) {
    expect(await todos.ask('read_todos', { status }, ada)).toMatchObject({
      success: false,
      error: 'Status must be open, completed or archived',
    });
  }
});

verifies(['todo-read-newest-first', 'todo-read-count-total'], 'read_todos answers as published, newest first', async () => {
  const todos = await openTodos();
  todos.clock.time = Date.parse('2026-01-04T10:25:00Z');
  const call = await add(todos, { title: 'Call mom', priority: 'high' });
  todos.clock.time = Date.parse('2026-01-04T10:30:00Z');
  const buy = await add(todos, { title: 'Buy groceries' });
  const payload = { todos: [buy, call], count: 2, total: 2 };
  expect(await todos.ask('read_todos', { status: 'open' }, ada)).toEqual({
    success: true,
    error: null,
    ...payload,
    data: payload,
    user_message: 'You have 2 open todos: "Buy groceries" and "Call mom".',
  });
  expect(await todos.ask('read_todos', { limit: 1 }, ada)).toMatchObject({ todos: [buy], count: 1, total: 2 });
  expect(await todos.ask('read_todos', { offset: 1, status: 'open' }, ada)).toMatchObject({ todos: [call], count: 1, total: 2 });
  expect(await todos.ask('read_todos', {}, bob)).toMatchObject({ todos: [], count: 0, total: 0 });
  for (const title of ['a', 'b', 'c']) await add(todos, { title });
  expect(await titles(todos)).toEqual(['c', 'b', 'a', 'Buy groceries', 'Call mom']);
});

verifies('todo-read-limit', 'read_todos returns 100 at most, or as many as limit says', async () => {
  const todos = await openTodos();
  for (const part of [100, 5])
    await todos.call('create_todos', { todos: Array.from({ length: part }, (_, n) => ({ title: `${n}` })) }, ada);
  expect(await todos.ask('read_todos', {}, ada)).toMatchObject({ count: 100, total: 105 });
  expect(await todos.ask('read_todos', { limit: 3 }, ada)).toMatchObject({ count: 3, total: 105 });
  expect(await todos.ask('read_todos', { limit: 0 }, ada)).toMatchObject({ count: 0, total: 105, todos: [] });
  expect(await todos.ask('read_todos', { limit: 1000 }, ada)).toMatchObject({ count: 105 });
  for (const field of ['limit', 'offset']) {
    for (const value of [-1, 1.5, '3', null, Number.MAX_VALUE]) {
      expect(await todos.ask('read_todos', { [field]: value }, ada)).toMatchObject({
        success: false,
        error: expect.stringContaining(field),
      });
    }
  }
});

verifies('todo-id-uuid', 'update_todo and delete_todo need an id that is a UUID', async () => {
  const todos = await openTodos();
  for (const tool of ['update_todo', 'delete_todo']) {
    const other = tool === 'update_todo' ? { title: 'A' } : {};
    expect(await todos.ask(tool, other, ada)).toMatchObject({ success: false, error: 'id is required' });
    for (const id of ['1', '', 'not-a-uuid', '770e8400e29b41d4a716446655440002', 7, null]) {
      expect(await todos.ask(tool, { id, ...other }, ada)).toMatchObject({ success: false, error: 'id must be a UUID' });
    }
  }
});

verifies('todo-update-reply', 'update_todo answers the whole todo with a later updated_at', async () => {
  const todos = await openTodos();
  const { id } = await add(todos, { title: 'Buy groceries' });
  todos.clock.time = Date.parse('2026-01-04T11:45:00Z');
  const todo = {
    id,
    user_id: 'user-123',
    title: 'Buy groceries',
    status: 'completed',
    priority: 'low',
    created_at: '2026-01-04T10:30:00.000Z',
    updated_at: '2026-01-04T11:45:00.000Z',
  };
  expect(await todos.ask('update_todo', { id, status: 'completed', priority: 'low' }, ada)).toEqual({
    success: true,
    error: null,
    todo,
    data: { todo },
    user_message: 'Marked "Buy groceries" as done: its priority is now low.',
  });
  const again = (await todos.ask('update_todo', { id, priority: 'high' }, ada)).todo;
  expect(again.updated_at > todo.updated_at).toBe(true);
});

verifies('todo-update-status-enum', 'update_todo takes the three statuses and no other', async () => {
  const todos = await openTodos();
  const { id } = await add(todos, { title: 'Buy groceries' });
  for (const status of ['completed', 'archived', 'open']) {
    expect((await todos.ask('update_todo', { id, status }, ada)).todo.status).toBe(status);
  }
  for (const status of ['done', 'deleted', 'OPEN', null]) {
    expect(await todos.ask('update_todo', { id, status }, ada)).toMatchObject({
      success: false,
      error: 'Status must be open, completed or archived',
    });
  }
});

verifies('todo-not-found', 'an unknown id answers "Todo not found"', async () => {
  const todos = await openTodos();
  const id = '770e8400-e29b-41d4-a716-446655440002';
  expect(await todos.ask('update_todo', { id, title: 'A' }, ada)).toMatchObject({ success: false, error: 'Todo not found' });
  expect(await todos.ask('delete_todo', { id }, ada)).toMatchObject({ success: false, error: 'Todo not found' });
});

verifies('todo-access-denied', 'another user\'s todo answers "Access denied" and stays as it is', async () => {
  const todos = await openTodos();
  const todo = await add(todos, { title: 'Call mom' }, bob);
  expect(await todos.ask('update_todo', { id: todo.id, title: 'Mine' }, ada)).toMatchObject({ success: false, error: 'Access denied' });
  expect(await todos.ask('delete_todo', { id: todo.id }, ada)).toMatchObject({ success: false, error: 'Access denied' });
  expect((await todos.ask('read_todos', {}, bob)).todos).toEqual([todo]);
});

verifies(['todo-delete-reply', 'todo-delete-soft'], 'delete_todo archives, and update_todo brings the todo back', async () => {
  const todos = await openTodos();
  const { id } = await add(todos, { title: 'Buy groceries' });
  const deleted = { success: true, error: null, deleted_id: id, data: { deleted_id: id } };
  expect(await todos.ask('delete_todo', { id }, ada)).toEqual({
    ...deleted,
    user_message: 'Deleted "Buy groceries". Say so if you want it back.',
  });
  expect(await titles(todos)).toEqual([]);
  expect(await todos.ask('read_todos', { status: 'archived' }, ada)).toMatchObject({
    count: 1,
    total: 1,
    todos: [{ id, status: 'archived' }],
  });
  expect(await todos.ask('delete_todo', { id: id.toUpperCase() }, ada)).toEqual({
    ...deleted,
    user_message: '"Buy groceries" was already deleted.',
  });
  expect(await todos.ask('update_todo', { id, status: 'open' }, ada)).toMatchObject({ success: true, todo: { id, status: 'open' } });
  expect(await titles(todos)).toEqual(['Buy groceries']);
});

verifies('todo-update-partial', 'update_todo with only an id answers "Nothing to update"', async () => {
  const todos = await openTodos();
  const todo = await add(todos, { title: 'Buy groceries' });
  expect(await todos.ask('update_todo', { id: todo.id }, ada)).toMatchObject({ success: false, error: 'Nothing to update' });
  expect((await todos.ask('read_todos', {}, ada)).todos).toEqual([todo]);
});

verifies('todo-user-from-identity', 'the user comes from the identity; a user_id argument is refused', async () => {
  const todos = await openTodos();
  expect((await add(todos, { title: 'A' }, bob)).user_id).toBe('user-456');
  for (const [tool, parameters] of [
    ['create_todo', { title: 'B' }],
    ['read_todos', {}],
    ['update_todo', { id: crypto.randomUUID(), title: 'B' }],
    ['delete_todo', { id: crypto.randomUUID() }],
  ] as const) {
    expect(await todos.ask(tool, { ...parameters, user_id: 'user-456' }, ada)).toMatchObject({
      success: false,
      error: expect.stringContaining('Unknown argument "user_id"'),
    });
  }
  expect(await titles(todos, {}, bob)).toEqual(['A']);
});

verifies(
  ['todo-bench-write', 'todo-bench-read'],
  'what the benchmark measures works: a hundred items written, changed, deleted and read',
  async () => {
    const todos = await openTodos();
    for (let index = 0; index < 110; index += 1) await add(todos, { title: `Todo ${index}` });
    const { todos: page, count, total } = await todos.ask('read_todos', {}, ada);
    expect([count, total]).toEqual([100, 110]);
    for (const { id } of page.slice(0, 10))
      expect(await todos.ask('update_todo', { id, status: 'completed' }, ada)).toMatchObject({ success: true });
    for (const { id } of page.slice(0, 5)) expect(await todos.ask('delete_todo', { id }, ada)).toMatchObject({ success: true });
    expect(await todos.ask('read_todos', {}, ada)).toMatchObject({ count: 100, total: 105 });
  },
);

import fc from 'fast-check';
import { expect } from 'vitest';
import { user } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';
import { openTodos, type TestTodos } from './todos.ts';

const USERS = ['ada', 'bob', 'eve'].map((name) => user(name));
const status = fc.constantFrom('open', 'completed', 'archived');
const priority = fc.constantFrom('low', 'medium', 'high');
const title = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== '' && !text.includes('\0'));
const edit = fc
  .record({ title, description: fc.string({ unit: 'grapheme', maxLength: 40 }), status, priority }, { requiredKeys: [] })
  .filter((change) => Object.keys(change).length > 0);
const who = fc.nat({ max: USERS.length - 1 });
const which = fc.nat({ max: 50 });

type Action =
  | { kind: 'create'; who: number; title: string; priority: string }
  | { kind: 'update'; who: number; which: number; edit: Record<string, string> }
  | { kind: 'delete'; who: number; which: number }
  | { kind: 'read'; who: number; status: string | undefined; passed: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create' as const), who, title, priority }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('update' as const), who, which, edit: edit as fc.Arbitrary<Record<string, string>> }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), who, which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      who,
      status: fc.option(status, { nil: undefined }),
      passed: fc.nat({ max: 2 }),
    }),
  },
);

interface Known {
  id: string;
  user_id: string;
  title: string;
  description?: string;
  status: string;
  priority: string;
  created_at: string;
  updated_at: string;
}

/** What the todos must be, kept beside the real ones. */
class Model {
  readonly known: Known[] = [];
  readonly #todos: TestTodos;

  constructor(todos: TestTodos) {
    this.#todos = todos;
  }

  async act(step: Action): Promise<void> {
    const actor = USERS[step.who] as (typeof USERS)[number];
    if (step.kind === 'create') {
      const { todo } = await this.#todos.ask('create_todo', { title: step.title, priority: step.priority }, actor);
      expect(todo).toMatchObject({ user_id: actor.id, title: step.title.trim(), priority: step.priority, status: 'open' });
      expect(todo.updated_at).toBe(todo.created_at);
      this.known.push(todo);
    } else if (step.kind === 'read') {
      this.#todos.clock.time += step.passed;
      const reply = await this.#todos.ask('read_todos', step.status ? { status: step.status } : {}, actor);
      const mine = this.known.filter((todo) => todo.user_id === actor.id);
      const wanted = mine.filter((todo) => (step.status ? todo.status === step.status : todo.status !== 'archived')).reverse();
      expect(reply.todos).toEqual(wanted);
      expect(reply.total).toBe(wanted.length);
    } else {
      await this.#change(step, actor.id);
    }
  }

  async #change(step: Extract<Action, { kind: 'update' | 'delete' }>, actor: string): Promise<void> {
    const index = this.known.length === 0 ? -1 : step.which % this.known.length;
    const target = this.known[index];
    const id = target?.id ?? crypto.randomUUID();
    const change = step.kind === 'update' ? step.edit : { status: 'archived' };
    const reply = await this.#todos.ask(`${step.kind}_todo`, step.kind === 'update' ? { id, ...change } : { id }, user(actor));
    if (!target) {
      expect(reply).toMatchObject({ success: false, error: 'Todo not found' });
    } else if (target.user_id !== actor) {
      expect(reply).toMatchObject({ success: false, error: 'Access denied' });
    } else {
      expect(reply.success).toBe(true);
      const changed = { ...target, ...change, ...(change.title !== undefined && { title: change.title.trim() }) };
      const same = JSON.stringify(changed) === JSON.stringify(target);
      const row = (await this.rows()).find((stored) => stored.id === id) as Known;
      expect(row.updated_at > target.updated_at).toBe(!same);
      this.known[index] = { ...changed, updated_at: row.updated_at };
      if (step.kind === 'update') expect(reply.todo).toEqual(this.known[index]);
    }
  }

  /** All rows as they are stored, oldest first. */
  async rows(): Promise<Known[]> {
    const rows = await this.#todos.store.db
      .selectFrom('todos')
      .select(['id', 'user_id', 'title', 'description', 'status', 'priority', 'created_at', 'updated_at'])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(({ description, ...row }) => ({ ...row, ...(description !== null && { description }) }));
  }
}

verifies(
  ['todo-isolation', 'todo-nothing-removed', 'todo-timestamps', 'todo-update-partial'],
  'whatever users do, each sees and changes only what is theirs, and nothing is ever removed',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), async (steps) => {
        const todos = await openTodos();
        const model = new Model(todos);
        for (const step of steps) await model.act(step);
        expect(await model.rows()).toEqual(model.known);
        await todos.close();
      }),
      { numRuns: 40 },
    );
  },
  60_000,
);

verifies('todo-timestamps', 'no argument sets a time', async () => {
  const todos = await openTodos();
  const { todo } = await todos.ask('create_todo', { title: 'A' });
  for (const field of ['created_at', 'updated_at']) {
    const time = '2020-01-01T00:00:00Z';
    expect(await todos.ask('create_todo', { title: 'B', [field]: time })).toMatchObject({ success: false });
    expect(await todos.ask('update_todo', { id: todo.id, title: 'B', [field]: time })).toMatchObject({ success: false });
  }
  expect((await todos.ask('read_todos')).todos).toEqual([todo]);
});

verifies('todo-timestamps', 'updated_at moves on even when the clock goes back', async () => {
  const todos = await openTodos();
  const { todo } = await todos.ask('create_todo', { title: 'A' });
  todos.clock.time -= 3_600_000;
  let last = todo.updated_at;
  for (const name of ['B', 'C', 'D']) {
    const { todo: changed } = await todos.ask('update_todo', { id: todo.id, title: name });
    expect(changed.updated_at > last).toBe(true);
    expect(changed.created_at).toBe(todo.created_at);
    last = changed.updated_at;
  }
});

verifies('todo-read-offset', 'pages of any limit together hold every todo once', async () => {
  const filter = fc.constantFrom(
    {},
    { status: 'open' },
    { sort: 'priority' },
    { sort: 'due' },
    { sort: 'oldest' },
    { sort: 'updated' },
    { search: 'o' },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 12 }), filter, async (amount, limit, filters) => {
      const todos = await openTodos();
      if (amount > 0) {
        const batch = Array.from({ length: amount }, (_, n) => ({
          title: `todo ${n}`,
          priority: ['low', 'medium', 'high'][n % 3],
          ...(n % 2 === 0 && { due: 'friday' }),
        }));
        await todos.call('create_todos', { todos: batch });
      }
      const seen: string[] = [];
      for (let offset = 0; ; offset += limit) {
        const page = await todos.ask('read_todos', { limit, offset, ...filters });
        expect(page).toMatchObject({ count: page.todos.length, total: amount });
        seen.push(...page.todos.map((todo: Known) => todo.id));
        if (page.count < limit) break;
      }
      expect(new Set(seen).size).toBe(amount);
      expect(seen).toHaveLength(amount);
      await todos.close();
    }),
    { numRuns: 40 },
  );
});

const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u3000'), maxLength: 5 });

verifies('todo-title-trimmed', 'titles are trimmed before they are checked and stored', async () => {
  const todos = await openTodos();
  const { todo: other } = await todos.ask('create_todo', { title: 'other' });
  await fc.assert(
    fc.asyncProperty(blank, fc.string({ unit: 'grapheme', maxLength: 20 }), blank, async (before, text, after) => {
      fc.pre(!text.includes('\0'));
      const padded = before + text + after;
      const created = await todos.ask('create_todo', { title: padded });
      const updated = await todos.ask('update_todo', { id: other.id, title: padded });
      if (padded.trim() === '') {
        expect([created.error, updated.error]).toEqual(['Title cannot be empty', 'Title cannot be empty']);
      } else {
        expect([created.todo.title, updated.todo.title]).toEqual([padded.trim(), padded.trim()]);
      }
    }),
  );
});

verifies('todo-title-limit', 'a trimmed title has at most 255 characters', async () => {
  const todos = await openTodos();
  const { todo: other } = await todos.ask('create_todo', { title: 'other' });
  const character = fc.constantFrom('x', 'ä', '€', '🥛');
  await fc.assert(
    fc.asyncProperty(character, fc.integer({ min: 250, max: 260 }), blank, async (unit, length, padding) => {
      const long = padding + unit.repeat(length) + padding;
      for (const [tool, parameters] of [
        ['create_todo', { title: long }],
        ['update_todo', { id: other.id, title: long }],
      ] as const) {
        const reply = await todos.ask(tool, parameters);
        if (length <= 255) expect(reply.todo.title).toBe(unit.repeat(length));
        else expect(reply).toMatchObject({ success: false, error: 'Title can have at most 255 characters' });
      }
    }),
  );
});

import { randomBytes } from 'node:crypto';
import { type Clock, Failure } from '@millrace/kernel';
import { all, first, reusable, run, type Statement, type Store, type TransactionBody } from '@millrace/storage';
import type { Kysely } from 'kysely';
import type { TodoTables } from '../migrations.ts';
import type { Priority, Status, Todo } from '../schema.ts';
import { countTodos, EVERYDAY, isEveryday, selectTodos, type TodoQuery } from './todo-query.ts';

type Row = Omit<TodoTables['todos'], 'search_text'>;

export interface TodoContent {
  title: string;
  description?: string | undefined;
  priority: Priority;
  dueAt?: Date | undefined;
  tags?: string[] | undefined;
}

/** Only what is given changes; a due date of null is removed. */
export interface TodoEdit {
  title?: string | undefined;
  description?: string | undefined;
  status?: Status | undefined;
  priority?: Priority | undefined;
  dueAt?: Date | null | undefined;
  tags?: string[] | undefined;
}

export interface TodoPage {
  todos: Todo[];
  /** All that match, on this page or not. */
  total: number;
}

/** The todos of every user. Each statement names the user whose todos it may touch. */
export class Todos {
  readonly #store: Store<TodoTables>;
  readonly #clock: Clock;
  readonly #ids = new TodoIds();
  readonly #newest;

  constructor(store: Store<TodoTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#newest = reusable((userId: string, limit: number, offset: number) =>
      selectTodos(store.db, userId, { ...EVERYDAY, limit, offset }),
    );
  }

  /** All of them or none. */
  async create(userId: string, contents: readonly TodoContent[], signal: AbortSignal): Promise<Todo[]> {
    const now = this.#clock.now();
    const rows = contents.map((content) => newRow(this.#ids.next(now), userId, content, now.toISOString()));
    await this.#change(signal, function* (db) {
      for (const row of rows) yield* run(db.insertInto('todos').values(row));
      yield* addToCount(db, userId, 'open', rows.length);
    });
    return rows.map(todoOf);
  }

  async list(userId: string, query: TodoQuery): Promise<TodoPage> {
    const { db } = this.#store;
    const everyday = isEveryday(query);
    const rows = everyday
      ? await this.#newest.rows(this.#store, userId, query.limit, query.offset)
      : await selectTodos(db, userId, query).execute();
    const todos = rows.map(todoOf);
    // A page that is not full is the last one: what lies before it is all that there is.
    if (rows.length < query.limit && (rows.length > 0 || query.offset === 0)) return { todos, total: query.offset + rows.length };
    const counts = await countTodos(db, userId, query).execute();
    return { todos, total: counts.reduce((sum, { count }) => sum + count, 0) };
  }

  /** Answers the todo before and after; they are the same object when nothing was different. */
  async update(userId: string, id: string, edit: TodoEdit, signal: AbortSignal): Promise<{ before: Todo; after: Todo }> {
    const now = this.#clock.now();
    return this.#change(signal, function* (db) {
      const row = yield* ownRow(db, userId, id);
      const before = todoOf(row);
      const content = { ...row, ...columnsOf(edit) };
      if (sameContent(row, content)) return { before, after: before };
      const changed = { ...content, search_text: searchText(content), updated_at: laterThan(row.updated_at, now) };
      const { id: _id, user_id: _userId, created_at: _createdAt, ...columns } = changed;
      yield* run(db.updateTable('todos').set(columns).where('id', '=', id).where('user_id', '=', userId));
      if (changed.status !== row.status) {
        yield* addToCount(db, userId, row.status, -1);
        yield* addToCount(db, userId, changed.status, 1);
      }
      return { before, after: todoOf(changed) };
    });
  }

  /** A transaction that keeps nothing when the call is over before it is. */
  #change<Result>(signal: AbortSignal, body: (db: Kysely<TodoTables>) => TransactionBody<Result>): Promise<Result> {
    return this.#store.transaction((db) => unlessAborted(body(db), signal));
  }
}

function* unlessAborted<Result>(body: TransactionBody<Result>, signal: AbortSignal): Generator<Statement, Result, unknown[]> {
  signal.throwIfAborted();
  let step = body.next();
  while (!step.done) {
    const rows = yield step.value;
    signal.throwIfAborted();
    step = body.next(rows);
  }
  return step.value;
}

const COLUMNS = ['id', 'user_id', 'title', 'description', 'status', 'priority', 'due_at', 'tags', 'created_at', 'updated_at'] as const;

/** The row when it is the user's own. Whether an id exists is not a secret: ids are random. */
function* ownRow(db: Kysely<TodoTables>, userId: string, id: string): Generator<Statement, Row, unknown[]> {
  const row = yield* first(db.selectFrom('todos').select(COLUMNS).where('id', '=', id).where('user_id', '=', userId));
  if (row) return row;
  const [foreign] = yield* all(db.selectFrom('todos').select('id').where('id', '=', id));
  throw foreign ? new Failure('forbidden', 'Access denied') : new Failure('not_found', 'Todo not found');
}

function* addToCount(db: Kysely<TodoTables>, userId: string, status: Status, change: number): Generator<Statement, void, unknown[]> {
  yield* run(
    db
      .insertInto('todo_counts')
      .values({ user_id: userId, status, count: change })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'status']).doUpdateSet((set) => ({ count: set('todo_counts.count', '+', change) })),
      ),
  );
}

function newRow(id: string, userId: string, content: TodoContent, now: string): TodoTables['todos'] {
  const row: Row = {
    id,
    user_id: userId,
    title: content.title,
    description: content.description ?? null,
    status: 'open',
    priority: content.priority,
    due_at: content.dueAt?.toISOString() ?? null,
    tags: JSON.stringify(content.tags ?? []),
    created_at: now,
    updated_at: now,
  };
  return { ...row, search_text: searchText(row) };
}

function columnsOf(edit: TodoEdit): Partial<Row> {
  return {
    ...(edit.title !== undefined && { title: edit.title }),
    ...(edit.description !== undefined && { description: edit.description }),
    ...(edit.status !== undefined && { status: edit.status }),
    ...(edit.priority !== undefined && { priority: edit.priority }),
    ...(edit.dueAt !== undefined && { due_at: edit.dueAt?.toISOString() ?? null }),
    ...(edit.tags !== undefined && { tags: JSON.stringify(edit.tags) }),
  };
}

function sameContent(a: Row, b: Row): boolean {
  return COLUMNS.every((column) => a[column] === b[column]);
}

function searchText(row: Pick<Row, 'title' | 'description' | 'tags'>): string {
  return [row.title, row.description ?? '', ...(JSON.parse(row.tags) as string[])].join('\n').toLowerCase();
}

/** Strictly later, even when the clock has not moved on or went back. */
function laterThan(previous: string, now: Date): string {
  return new Date(Math.max(now.getTime(), Date.parse(previous) + 1)).toISOString();
}

function todoOf(row: Row): Todo {
  const tags = JSON.parse(row.tags) as string[];
  return {
    id: row.id,
    user_id: row.user_id,
    title: row.title,
    ...(row.description !== null && { description: row.description }),
    status: row.status,
    priority: row.priority,
    ...(row.due_at !== null && { due_at: row.due_at }),
    ...(tags.length > 0 && { tags }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

const MAX_SEQUENCE = 0xfff;

/** Random UUIDs (version 7) that sort in the order in which this process made them, also within one millisecond. */
export class TodoIds {
  #time = 0;
  #sequence = 0;

  next(now: Date): string {
    const time = now.getTime();
    if (time > this.#time) {
      this.#time = time;
      this.#sequence = 0;
    } else if (this.#sequence < MAX_SEQUENCE) {
      this.#sequence += 1;
    } else {
      this.#time += 1;
      this.#sequence = 0;
    }
    const bytes = randomBytes(8);
    bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x80;
    const hex = this.#time.toString(16).padStart(12, '0') + (0x7000 | this.#sequence).toString(16) + bytes.toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}

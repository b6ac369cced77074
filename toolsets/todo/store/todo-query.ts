import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { TodoTables } from '../migrations.ts';
import type { Priority, Status } from '../schema.ts';

/** Which todos are wanted, in which order. */
export interface TodoQuery {
  limit: number;
  offset: number;
  sort: 'newest' | 'oldest' | 'due' | 'priority' | 'updated';
  status?: Status | undefined;
  /** Lower-case words that all must occur. */
  words: readonly string[];
  priority?: Priority | undefined;
  tags: readonly string[];
  dueFrom?: Date | undefined;
  dueBefore?: Date | undefined;
  /** With a due date, or without one. */
  hasDue?: boolean | undefined;
}

/** What most calls ask for: all that is not archived, the newest first. */
export const EVERYDAY = { sort: 'newest', words: [], tags: [] } as const;

export function isEveryday(query: TodoQuery): boolean {
  return query.sort === 'newest' && query.status === undefined && isPlain(query);
}

type Selection<Row> = SelectQueryBuilder<TodoTables, 'todos', Row>;

/** The order is total, so that pages neither repeat nor miss a todo. */
export function selectTodos(db: Kysely<TodoTables>, userId: string, query: TodoQuery) {
  const selected = db
    .selectFrom('todos')
    .select(['id', 'user_id', 'title', 'description', 'status', 'priority', 'due_at', 'tags', 'created_at', 'updated_at']);
  return ordered(filtered(selected, userId, query), query.sort)
    .limit(query.limit)
    .offset(query.offset);
}

/** One row or several whose counts add up. Plain lists are counted in advance; the rest is counted now. */
export function countTodos(db: Kysely<TodoTables>, userId: string, query: TodoQuery) {
  if (isPlain(query)) {
    const counts = db.selectFrom('todo_counts').select('count').where('user_id', '=', userId);
    return query.status ? counts.where('status', '=', query.status) : counts.where('status', '<>', 'archived');
  }
  const counted = db.selectFrom('todos').select((select) => select.fn.countAll<number>().as('count'));
  return filtered(counted, userId, query);
}

function isPlain({ words, priority, tags, dueFrom, dueBefore, hasDue }: TodoQuery): boolean {
  return words.length + tags.length === 0 && [priority, dueFrom, dueBefore, hasDue].every((filter) => filter === undefined);
}

function filtered<Row>(selection: Selection<Row>, userId: string, query: TodoQuery): Selection<Row> {
  let todos = selection.where('user_id', '=', userId);
  // Written out, not bound: only then does the index on what is not archived serve.
  todos = query.status ? todos.where('status', '=', query.status) : todos.where('status', '<>', sql.lit('archived' as const));
  for (const word of query.words) todos = todos.where(contains('search_text', word));
  for (const tag of query.tags) todos = todos.where(contains('tags', JSON.stringify(tag)));
  if (query.priority) todos = todos.where('priority', '=', query.priority);
  if (query.dueFrom) todos = todos.where('due_at', '>=', query.dueFrom.toISOString());
  if (query.dueBefore) todos = todos.where('due_at', '<', query.dueBefore.toISOString());
  if (query.hasDue !== undefined) todos = todos.where('due_at', query.hasDue ? 'is not' : 'is', null);
  return todos;
}

function contains(column: 'search_text' | 'tags', text: string) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`${sql.ref(column)} LIKE ${pattern} ESCAPE '\\'`;
}

function ordered<Row>(todos: Selection<Row>, sort: TodoQuery['sort']): Selection<Row> {
  switch (sort) {
    case 'oldest':
      return todos.orderBy('created_at').orderBy('id');
    case 'due':
      return newestFirst(todos.orderBy(sql`CASE WHEN due_at IS NULL THEN 1 ELSE 0 END`).orderBy('due_at'));
    case 'priority':
      return newestFirst(todos.orderBy(sql`CASE priority WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END`));
    case 'updated':
      return newestFirst(todos.orderBy('updated_at', 'desc'));
    case 'newest':
      return newestFirst(todos);
  }
}

function newestFirst<Row>(todos: Selection<Row>): Selection<Row> {
  return todos.orderBy('created_at', 'desc').orderBy('id', 'desc');
}

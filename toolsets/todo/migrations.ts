import type { Migration } from '@millrace/storage';
import { sql } from 'kysely';
import type { Priority, Status } from './schema.ts';

export interface TodoTables {
  todos: {
    id: string;
    user_id: string;
    title: string;
    description: string | null;
    status: Status;
    priority: Priority;
    due_at: string | null;
    /** A JSON list. */
    tags: string;
    /** Title, description and tags in lower case. */
    search_text: string;
    created_at: string;
    updated_at: string;
  };
  /** How many todos a user has, by status: counting a hundred thousand rows would take longer than reading a page. */
  todo_counts: { user_id: string; status: Status; count: number };
}

export const todoMigrations: readonly Migration[] = [
  {
    name: 'todo-0001-todos',
    *up(db) {
      yield db.schema
        .createTable('todos')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('description', 'text')
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('priority', 'text', (column) => column.notNull())
        .addColumn('due_at', 'text')
        .addColumn('tags', 'text', (column) => column.notNull())
        .addColumn('search_text', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull());
      yield sql`CREATE INDEX todos_by_status ON todos (user_id, status, created_at DESC, id DESC)`;
      // The default list is of two statuses in one order, which the index above cannot give.
      yield sql`CREATE INDEX todos_current ON todos (user_id, created_at DESC, id DESC) WHERE status <> 'archived'`;
      yield db.schema
        .createTable('todo_counts')
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('todo_counts_key', ['user_id', 'status']);
    },
  },
];

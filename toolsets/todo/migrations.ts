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
    *up() {
      yield sql`CREATE TABLE todos (id text PRIMARY KEY, user_id text NOT NULL, title text NOT NULL, description text,
        status text NOT NULL, priority text NOT NULL, due_at text, tags text NOT NULL, search_text text NOT NULL,
        created_at text NOT NULL, updated_at text NOT NULL)`;
      yield sql`CREATE INDEX todos_by_status ON todos (user_id, status, created_at DESC, id DESC)`;
      // The default list is of two statuses in one order, which the index above cannot give.
      yield sql`CREATE INDEX todos_current ON todos (user_id, created_at DESC, id DESC) WHERE status <> 'archived'`;
      yield sql`CREATE TABLE todo_counts (user_id text NOT NULL, status text NOT NULL, count integer NOT NULL,
        CONSTRAINT todo_counts_key PRIMARY KEY (user_id, status))`;
    },
  },
];

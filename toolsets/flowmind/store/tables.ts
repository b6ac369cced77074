import type { Migration } from '@millrace/storage';

/** The tables of sessions. Times are ISO text, JSON is text, booleans are 0 and 1. */
export interface FlowmindTables {
  flowmind_sessions: {
    id: string;
    user_id: string;
    /** Who it acts as: the user as JSON. */
    user: string;
    uri: string;
    name: string;
    mode: string;
    /** A published status, or `running`. */
    status: string;
    /** Why it waits. */
    reason: string | null;
    /** Grows with every transition: two processes cannot both make the next one. */
    version: number;
    state: string;
    steps_done: number;
    lease_holder: string | null;
    lease_until: string | null;
    created_at: string;
    updated_at: string;
  };
  flowmind_journal: { session_id: string; seq: number; at: string; kind: string; node: string; data: string };
  flowmind_definitions: { hash: string; uri: string; kind: string; text: string };
  flowmind_composed: { user_id: string; uri: string; text: string; created_at: string };
  flowmind_saved_state: { user_id: string; key: string; value: string; expires_at: string | null };
}

export const sessionMigrations: readonly Migration[] = [
  {
    name: 'flowmind-0001-sessions',
    *up(db) {
      yield db.schema
        .createTable('flowmind_sessions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('user', 'text', (column) => column.notNull())
        .addColumn('uri', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('mode', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('version', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('steps_done', 'integer', (column) => column.notNull())
        .addColumn('lease_holder', 'text')
        .addColumn('lease_until', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull());
      yield db.schema.createIndex('flowmind_sessions_by_user').on('flowmind_sessions').columns(['user_id', 'updated_at']);
      yield db.schema.createIndex('flowmind_sessions_by_status').on('flowmind_sessions').columns(['status', 'updated_at']);
      yield db.schema
        .createTable('flowmind_journal')
        .addColumn('session_id', 'text', (column) => column.notNull())
        .addColumn('seq', 'integer', (column) => column.notNull())
        .addColumn('at', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('node', 'text', (column) => column.notNull())
        .addColumn('data', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('flowmind_journal_key', ['session_id', 'seq']);
      yield db.schema
        .createTable('flowmind_definitions')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('uri', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull());
      yield db.schema
        .createTable('flowmind_composed')
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('uri', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('flowmind_composed_key', ['user_id', 'uri']);
      yield db.schema
        .createTable('flowmind_saved_state')
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'text')
        .addPrimaryKeyConstraint('flowmind_saved_state_key', ['user_id', 'key']);
    },
  },
];

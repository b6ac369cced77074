import type { Migration } from '@millrace/storage';
import type { ContextSource } from './flow/context.ts';

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
  flowmind_definitions: { hash: string; uri: string; kind: ContextSource['kind']; text: string };
  flowmind_composed: { user_id: string; uri: string; text: string; created_at: string };
  flowmind_saved_state: { user_id: string; key: string; value: string; expires_at: string | null };
}

/** The tables of contexts and their index. */
export interface ContextTables {
  /** Context files as parsed, so that an unchanged one is not parsed again. */
  flowmind_parsed_files: { path: string; stamp: string; parsed: string };
  /** Vectors of texts, one byte a dimension. */
  flowmind_embeddings: { model: string; hash: string; vector: Uint8Array };
  /** The whole index as it was last saved, one row a model. */
  flowmind_index: { model: string; header: string; body: Uint8Array; saved_at: string };
}

export interface TeachingTables {
  /** What a user was taught and uses. A lesson is taught once. */
  flowmind_lessons: {
    user_id: string;
    lesson: string;
    taught_at: string | null;
    /** Whether the next call of the same tool used it: 0, 1, or null while there was none. */
    improved: number | null;
    /** When the user first did it, taught or not. */
    used_at: string | null;
  };
  /** What field_request offered, and how sure the caller was; the outcome is known when a session of it ends. */
  flowmind_predictions: {
    call_id: string;
    user_id: string;
    stated: number;
    offered: string;
    made_at: string;
    outcome: number | null;
  };
  flowmind_outcomes: { session_id: string; user_id: string; uri: string; status: string; ended_at: string };
}

type NewTable = ReturnType<Parameters<Migration['up']>[0]['schema']['createTable']>;
type Columns = ReturnType<NewTable['addColumn']>;

/** Columns of text that always have a value. */
const texts =
  (...names: string[]) =>
  (table: Columns): Columns =>
    names.reduce((columns, name) => columns.addColumn(name, 'text', required), table);

const required = <Column extends { notNull(): Column }>(column: Column) => column.notNull();

export const sessionMigrations: readonly Migration[] = [
  {
    name: 'flowmind-0001-sessions',
    *up(db) {
      yield db.schema
        .createTable('flowmind_sessions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .$call(texts('user_id', 'user', 'uri', 'name', 'mode', 'status'))
        .addColumn('reason', 'text')
        .addColumn('version', 'integer', required)
        .addColumn('state', 'text', required)
        .addColumn('steps_done', 'integer', required)
        .addColumn('lease_holder', 'text')
        .addColumn('lease_until', 'text')
        .$call(texts('created_at', 'updated_at'));
      yield db.schema.createIndex('flowmind_sessions_by_user').on('flowmind_sessions').columns(['user_id', 'updated_at']);
      yield db.schema.createIndex('flowmind_sessions_by_status').on('flowmind_sessions').columns(['status', 'updated_at']);
      yield db.schema
        .createTable('flowmind_journal')
        .addColumn('session_id', 'text', required)
        .addColumn('seq', 'integer', required)
        .$call(texts('at', 'kind', 'node', 'data'))
        .addPrimaryKeyConstraint('flowmind_journal_key', ['session_id', 'seq']);
      yield db.schema
        .createTable('flowmind_definitions')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .$call(texts('uri', 'kind', 'text'));
      yield db.schema
        .createTable('flowmind_composed')
        .$call(texts('user_id', 'uri', 'text', 'created_at'))
        .addPrimaryKeyConstraint('flowmind_composed_key', ['user_id', 'uri']);
      yield db.schema
        .createTable('flowmind_saved_state')
        .$call(texts('user_id', 'key', 'value'))
        .addColumn('expires_at', 'text')
        .addPrimaryKeyConstraint('flowmind_saved_state_key', ['user_id', 'key']);
    },
  },
];

export const contextMigrations: readonly Migration[] = [
  {
    name: 'flowmind-0101-contexts',
    up: (db, types) => [
      db.schema
        .createTable('flowmind_parsed_files')
        .addColumn('path', 'text', (column) => column.primaryKey())
        .$call(texts('stamp', 'parsed')),
      db.schema
        .createTable('flowmind_embeddings')
        .$call(texts('model', 'hash'))
        .addColumn('vector', types.bytes, required)
        .addPrimaryKeyConstraint('flowmind_embeddings_key', ['model', 'hash']),
      db.schema
        .createTable('flowmind_index')
        .addColumn('model', 'text', (column) => column.primaryKey())
        .addColumn('header', 'text', required)
        .addColumn('body', types.bytes, required)
        .addColumn('saved_at', 'text', required),
    ],
  },
];

export const teachingMigrations: readonly Migration[] = [
  {
    name: 'flowmind-0201-teaching',
    *up(db, types) {
      yield db.schema
        .createTable('flowmind_lessons')
        .$call(texts('user_id', 'lesson'))
        .addColumn('taught_at', 'text')
        .addColumn('improved', 'integer')
        .addColumn('used_at', 'text')
        .addPrimaryKeyConstraint('flowmind_lessons_key', ['user_id', 'lesson']);
      yield db.schema
        .createTable('flowmind_predictions')
        .addColumn('call_id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', required)
        .addColumn('stated', types.real, required)
        .$call(texts('offered', 'made_at'))
        .addColumn('outcome', 'integer');
      yield db.schema.createIndex('flowmind_predictions_by_user').on('flowmind_predictions').columns(['user_id', 'made_at']);
      yield db.schema
        .createTable('flowmind_outcomes')
        .addColumn('session_id', 'text', (column) => column.primaryKey())
        .$call(texts('user_id', 'uri', 'status', 'ended_at'));
      yield db.schema.createIndex('flowmind_outcomes_by_uri').on('flowmind_outcomes').column('uri');
    },
  },
];

/** Every table of FlowMind, in the order of their names. */
export const flowmindMigrations: readonly Migration[] = [...sessionMigrations, ...contextMigrations, ...teachingMigrations];

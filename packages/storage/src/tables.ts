import { sql } from 'kysely';
import type { Migration } from './migrate.ts';
import type { Level } from './users.ts';

/** The tables that belong to no toolset. Times are ISO text, JSON is text, booleans are 0 and 1. */
export interface CoreTables {
  users: {
    id: string;
    name: string;
    level: Level;
    owner: number;
    token_hash: string | null;
    created_at: string;
    revoked_at: string | null;
  };
  server_keys: { name: string; value: string; created_at: string };
  pending_calls: {
    id: string;
    user_id: string;
    tool: string;
    arguments_hash: string;
    journal: string;
    closed: number;
    claimed_by: string | null;
    claimed_until: string | null;
    updated_at: string;
    expires_at: string;
  };
  jobs: {
    id: string;
    tool: string;
    key: string;
    user_id: string;
    status: string;
    progress: string;
    started_at: string;
    updated_at: string;
    alive_at: string;
  };
}

/** Written with every call: on SQLite in a separate file. */
export interface AuditTables {
  tool_invocations: {
    id: string;
    user_id: string | null;
    message_id: string | null;
    parent_id: string | null;
    tool_name: string;
    parameters: string;
    result: string;
    status: 'success' | 'failure';
    error_code: string | null;
    duration_ms: number;
    timestamp: string;
  };
  distinct_successes: { user_id: string; tool: string; arguments_hash: string; counted_at: string };
}

/** Rate limits that replicas share; only on Postgres. */
export interface LimitTables {
  rate_limits: { key: string; points: number; expire: number | null };
  running_calls: { id: string; user_id: string; tool: string; expires_at: string };
}

export const coreMigrations: readonly Migration[] = [
  {
    name: 'core-0001-tables',
    *up(db) {
      yield db.schema
        .createTable('users')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('level', 'text', (column) => column.notNull())
        .addColumn('owner', 'integer', (column) => column.notNull())
        .addColumn('token_hash', 'text', (column) => column.unique())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('revoked_at', 'text');
      yield db.schema.createIndex('users_name').unique().on('users').column('name').where(sql.ref('revoked_at'), 'is', null);
      yield db.schema
        .createTable('server_keys')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull());
      yield db.schema
        .createTable('pending_calls')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('tool', 'text', (column) => column.notNull())
        .addColumn('arguments_hash', 'text', (column) => column.notNull())
        .addColumn('journal', 'text', (column) => column.notNull())
        .addColumn('closed', 'integer', (column) => column.notNull())
        .addColumn('claimed_by', 'text')
        .addColumn('claimed_until', 'text')
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'text', (column) => column.notNull());
      yield db.schema.createIndex('pending_calls_waiting').on('pending_calls').columns(['user_id', 'tool', 'arguments_hash', 'closed']);
      yield db.schema.createIndex('pending_calls_expiry').on('pending_calls').column('expires_at');
      yield db.schema
        .createTable('jobs')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('tool', 'text', (column) => column.notNull())
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('progress', 'text', (column) => column.notNull())
        .addColumn('started_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addColumn('alive_at', 'text', (column) => column.notNull());
    },
  },
];

export const auditMigrations: readonly Migration[] = [
  {
    name: 'audit-0001-tables',
    *up(db, types) {
      yield db.schema
        .createTable('tool_invocations')
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text')
        .addColumn('message_id', 'text')
        .addColumn('parent_id', 'text')
        .addColumn('tool_name', 'text', (column) => column.notNull())
        .addColumn('parameters', 'text', (column) => column.notNull())
        .addColumn('result', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('error_code', 'text')
        .addColumn('duration_ms', types.real, (column) => column.notNull())
        .addColumn('timestamp', 'text', (column) => column.notNull());
      // The only index: rows are appended with every call, and read by time.
      yield db.schema.createIndex('tool_invocations_time').on('tool_invocations').columns(['timestamp', 'id']);
      yield db.schema
        .createTable('distinct_successes')
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('tool', 'text', (column) => column.notNull())
        .addColumn('arguments_hash', 'text', (column) => column.notNull())
        .addColumn('counted_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('distinct_successes_key', ['user_id', 'tool', 'arguments_hash']);
    },
  },
];

export const limitMigrations: readonly Migration[] = [
  {
    name: 'limits-0001-tables',
    *up(db) {
      // The columns are those that rate-limiter-flexible expects.
      yield db.schema
        .createTable('rate_limits')
        .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
        .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
        .addColumn('expire', 'bigint');
      yield db.schema
        .createTable('running_calls')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('tool', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'text', (column) => column.notNull());
      yield db.schema.createIndex('running_calls_user').on('running_calls').columns(['user_id', 'tool']);
    },
  },
];

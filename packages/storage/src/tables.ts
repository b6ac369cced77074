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
    *up() {
      yield sql`CREATE TABLE users (id text PRIMARY KEY, name text NOT NULL, level text NOT NULL, owner integer NOT NULL,
        token_hash text UNIQUE, created_at text NOT NULL, revoked_at text)`;
      yield sql`CREATE UNIQUE INDEX users_name ON users (name) WHERE revoked_at IS NULL`;
      yield sql`CREATE TABLE server_keys (name text PRIMARY KEY, value text NOT NULL, created_at text NOT NULL)`;
      yield sql`CREATE TABLE pending_calls (id text PRIMARY KEY, user_id text NOT NULL, tool text NOT NULL, arguments_hash text NOT NULL,
        journal text NOT NULL, closed integer NOT NULL, claimed_by text, claimed_until text, updated_at text NOT NULL,
        expires_at text NOT NULL)`;
      yield sql`CREATE INDEX pending_calls_waiting ON pending_calls (user_id, tool, arguments_hash, closed)`;
      yield sql`CREATE INDEX pending_calls_expiry ON pending_calls (expires_at)`;
      yield sql`CREATE TABLE jobs (id text PRIMARY KEY, tool text NOT NULL, key text NOT NULL, user_id text NOT NULL, status text NOT NULL,
        progress text NOT NULL, started_at text NOT NULL, updated_at text NOT NULL, alive_at text NOT NULL)`;
    },
  },
];

export const auditMigrations: readonly Migration[] = [
  {
    name: 'audit-0001-tables',
    *up(_db, { real }) {
      yield sql`CREATE TABLE tool_invocations (id text NOT NULL, user_id text, message_id text, parent_id text, tool_name text NOT NULL,
        parameters text NOT NULL, result text NOT NULL, status text NOT NULL, error_code text, duration_ms ${sql.raw(real)} NOT NULL,
        timestamp text NOT NULL)`;
      // The only index: rows are appended with every call, and read by time.
      yield sql`CREATE INDEX tool_invocations_time ON tool_invocations (timestamp, id)`;
      yield sql`CREATE TABLE distinct_successes (user_id text NOT NULL, tool text NOT NULL, arguments_hash text NOT NULL,
        counted_at text NOT NULL, CONSTRAINT distinct_successes_key PRIMARY KEY (user_id, tool, arguments_hash))`;
    },
  },
];

export const limitMigrations: readonly Migration[] = [
  {
    name: 'limits-0001-tables',
    *up() {
      // The columns are those that rate-limiter-flexible expects.
      yield sql`CREATE TABLE rate_limits (key varchar(255) PRIMARY KEY, points integer DEFAULT 0 NOT NULL, expire bigint)`;
      yield sql`CREATE TABLE running_calls (id text PRIMARY KEY, user_id text NOT NULL, tool text NOT NULL, expires_at text NOT NULL)`;
      yield sql`CREATE INDEX running_calls_user ON running_calls (user_id, tool)`;
    },
  },
];

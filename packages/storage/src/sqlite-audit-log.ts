import type { Clock, InvocationRecord } from '@millrace/kernel';
import type Database from 'better-sqlite3';
import { AuditReader, type AuditTrail, storedRow } from './audit-log.ts';
import { sqliteFailure } from './sqlite-failure.ts';
import { patiently } from './sqlite-patience.ts';
import type { SqliteStore } from './sqlite-store.ts';
import type { AuditTables } from './tables.ts';

const INSERT = `INSERT INTO tool_invocations
  (id, user_id, message_id, parent_id, tool_name, parameters, result, status, error_code, duration_ms, timestamp)
  VALUES (@id, @user_id, @message_id, @parent_id, @tool_name, @parameters, @result, @status, @error_code, @duration_ms, @timestamp)`;

/** One prepared insert, done when record() is: a killed process has lost nothing that it answered. */
export class SqliteAuditLog extends AuditReader implements AuditTrail {
  readonly #connection: Database.Database;
  #insert: Database.Statement | undefined;

  constructor(store: SqliteStore<AuditTables>, clock: Clock, retentionDays: number) {
    super(store, clock, retentionDays);
    this.#connection = store.connection;
  }

  record(record: InvocationRecord): void | Promise<void> {
    const row = storedRow(record);
    const failed = (error: unknown): never => {
      throw sqliteFailure(error, this.#connection.name);
    };
    try {
      const written = patiently(() => {
        this.#insert ??= this.#connection.prepare(INSERT);
        this.#insert.run(row);
      });
      return written instanceof Promise ? written.catch(failed) : undefined;
    } catch (error) {
      return failed(error);
    }
  }
}

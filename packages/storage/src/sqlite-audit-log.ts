import type { Clock, InvocationRecord } from '@millrace/kernel';
import type Database from 'better-sqlite3';
import { AuditReader, type AuditTrail, storedRow } from './audit-log.ts';
import { patiently, sqliteFailure } from './sqlite-failure.ts';
import type { SqliteStore } from './sqlite-store.ts';
import type { AuditTables } from './tables.ts';

const INSERT = `INSERT INTO tool_invocations
  (id, user_id, message_id, parent_id, tool_name, parameters, result, status, error_code, duration_ms, timestamp)
  VALUES (@id, @user_id, @message_id, @parent_id, @tool_name, @parameters, @result, @status, @error_code, @duration_ms, @timestamp)`;

type Row = ReturnType<typeof storedRow>;

/** Rows of one turn of the event loop are one commit. record() waits for it: a killed process loses no call that it answered. */
export class SqliteAuditLog extends AuditReader implements AuditTrail {
  readonly #connection: Database.Database;
  readonly #secrets: readonly string[];
  #insert: Database.Statement | undefined;
  #begin: Database.Statement | undefined;
  #end: Database.Statement | undefined;
  #waiting: Row[] = [];
  #commit: Promise<void> | undefined;

  constructor(store: SqliteStore<AuditTables>, clock: Clock, retentionDays: number, secrets: readonly string[]) {
    super(store, clock, retentionDays);
    this.#secrets = secrets;
    this.#connection = store.connection;
  }

  record(record: InvocationRecord): Promise<void> {
    this.#waiting.push(storedRow(record, this.#secrets));
    this.#commit ??= new Promise((resolve, reject) => {
      setImmediate(() => this.#write().then(resolve, reject));
    });
    return this.#commit;
  }

  async #write(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#commit = undefined;
    try {
      await patiently(() => this.#insertAll(rows));
    } catch (error) {
      throw sqliteFailure(error, this.#connection.name);
    }
  }

  #insertAll(rows: readonly Row[]): void {
    this.#insert ??= this.#connection.prepare(INSERT);
    const [only] = rows;
    if (only && rows.length === 1) {
      this.#insert.run(only);
      return;
    }
    this.#begin ??= this.#connection.prepare('BEGIN IMMEDIATE');
    this.#end ??= this.#connection.prepare('COMMIT');
    this.#begin.run();
    try {
      for (const row of rows) this.#insert.run(row);
      this.#end.run();
    } finally {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
    }
  }
}

import { Failure } from '@millrace/kernel';
import Database from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Statement, Store, TransactionBody } from './store.ts';

export interface SqliteOptions {
  path: string;
  /** FULL for what a user was told is saved; NORMAL for the audit log, which survives a killed process but not a power cut. */
  synchronous: 'FULL' | 'NORMAL';
  readOnly?: boolean;
}

const BUSY_TIMEOUT_MS = 10_000;

/** Opens the one connection that this process has to the file. */
export function openSqlite(options: SqliteOptions): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(options.path, { timeout: BUSY_TIMEOUT_MS, readonly: options.readOnly ?? false });
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${options.synchronous}`);
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    database?.close();
    throw unusable(options.path, error);
  }
}

function unusable(path: string, error: unknown): Failure {
  const code = (error as { code?: string }).code ?? '';
  const details = { path, sqlite: code };
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new Failure('storage', `${path} is damaged or not a database`, {
      details,
      fix: { instruction: `Move the file away and put a backup in its place, or let a new one be made: mv "${path}" "${path}.damaged"` },
      cause: error,
    });
  }
  return new Failure('storage', `${path} cannot be opened for writing`, {
    details,
    fix: { instruction: 'Check that the folder exists, belongs to you and the disk has room' },
    cause: error,
  });
}

export class SqliteStore<Tables> implements Store<Tables> {
  readonly dialect = 'sqlite';
  readonly db: Kysely<Tables>;
  readonly connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(connection: Database.Database) {
    this.connection = connection;
    this.db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new SharedConnectionDriver((statement) => this.#execute(statement)),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
  }

  /** Runs the whole body at once, between two turns of the event loop: nothing can come in between. */
  async transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result> {
    this.connection.exec('BEGIN IMMEDIATE');
    try {
      const generator = body(this.db);
      let step = generator.next();
      while (!step.done) {
        let rows: unknown[];
        try {
          rows = this.#execute(step.value).rows;
        } catch (error) {
          step = generator.throw(error);
          continue;
        }
        step = generator.next(rows);
      }
      this.connection.exec('COMMIT');
      return step.value;
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      throw error;
    }
  }

  #execute(query: Statement): QueryResult<unknown> {
    let statement = this.#statements.get(query.sql);
    if (!statement) {
      statement = this.connection.prepare(query.sql);
      if (this.#statements.size < 500) this.#statements.set(query.sql, statement);
    }
    const parameters = query.parameters.map(toSqlite);
    if (statement.reader) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Processes on one machine take turns through a row that expires, so that a killed holder blocks nobody for long. */
  async withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const { withLockRow } = await import('./sqlite-lock.ts');
    return withLockRow(this.connection, name, work);
  }

  async check(): Promise<void> {
    this.connection.exec('BEGIN IMMEDIATE; ROLLBACK');
  }

  async close(): Promise<void> {
    if (this.connection.open) this.connection.close();
  }
}

function toSqlite(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value === undefined ? null : value;
}

/** Kysely's view of the shared connection. Its own transactions are refused: they would span turns of the event loop. */
class SharedConnectionDriver implements Driver {
  #connection: DatabaseConnection;

  constructor(execute: (statement: Statement) => QueryResult<unknown>) {
    this.#connection = {
      executeQuery: async <Row>(query: CompiledQuery) => execute(query as Statement) as QueryResult<Row>,
      // biome-ignore lint/correctness/useYield: streaming is not offered on the shared connection
      streamQuery: async function* () {
        throw new Error('streaming queries are not supported');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<never> {
    throw new Error('use store.transaction()');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import Database from 'better-sqlite3';
import { Kysely, type LimitNode, type OffsetNode, type QueryResult, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { withLease } from './lease.ts';
import { patiently, SQLITE_WAIT_MS, sqliteFailure } from './sqlite-failure.ts';
import { type Statement, StatementDriver, type Store, type TransactionBody, toParameter } from './store.ts';
import { Turns } from './turns.ts';

export interface SqliteOptions {
  path: string;
  /** FULL for users' data; NORMAL for the audit log, which survives a killed process but not a power cut. */
  synchronous: 'FULL' | 'NORMAL';
  readOnly?: boolean;
}

const BUSY_TIMEOUT_MS = 10_000;
const WAL_SIZE_LIMIT = 64 * 1024 * 1024;
const KEPT_STATEMENTS = 500;
const LOCKS = 'CREATE TABLE IF NOT EXISTS locks (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID';

/** Opens the one connection that this process has to the file; a new file is readable by its owner alone. */
export function openSqlite(options: SqliteOptions): Database.Database {
  const { path, synchronous, readOnly = false } = options;
  let database: Database.Database | undefined;
  try {
    if (!readOnly && path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    database = new Database(path, { timeout: BUSY_TIMEOUT_MS, readonly: readOnly });
    if (!readOnly) useWriteAheadLog(database);
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma('foreign_keys = ON');
    database.pragma(`journal_size_limit = ${WAL_SIZE_LIMIT}`);
    database.pragma(`busy_timeout = ${SQLITE_WAIT_MS}`);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteFailure(toSqliteError(error), path);
  }
}

/** SQLite does not wait for others while it changes the journal mode, so processes that open a new file at the same time retry. */
function useWriteAheadLog(database: Database.Database): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY') || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}

/** If the file cannot even be created, the error comes from the operating system, not from SQLite. */
function toSqliteError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return Object.assign(new Error('disk full', { cause: error }), { code: 'SQLITE_FULL' });
  if (code && code in constants.errno) return Object.assign(new Error('cannot open', { cause: error }), { code: 'SQLITE_CANTOPEN' });
  return error;
}

/**
 * SQLite plans a prepared statement again each time a value of its LIMIT or OFFSET is bound, which costs many times
 * more than running it. It leaves an expression alone, and `+?` is one.
 */
export class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit +');
    this.visitNode(node.limit);
  }

  protected override visitOffset(node: OffsetNode): void {
    this.append('offset +');
    this.visitNode(node.offset);
  }
}

export class SqliteStore<Tables> implements Store<Tables> {
  readonly dialect = 'sqlite';
  readonly db: Kysely<Tables>;
  readonly connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #turns = new Turns();

  constructor(connection: Database.Database) {
    this.connection = connection;
    this.db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new StatementDriver((statement) => this.#guarded(() => this.#execute(statement))),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new PlannedOnceCompiler(),
      },
    });
  }

  async rows(statement: Statement): Promise<unknown[]> {
    return (await this.#guarded(() => this.#execute(statement))).rows;
  }

  /** Runs the whole body at once, between two turns of the event loop: nothing can interrupt it. */
  async transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result> {
    return this.#guarded(() => {
      this.connection.exec('BEGIN IMMEDIATE');
      try {
        const generator = body(this.db);
        let step = generator.next();
        while (!step.done) step = generator.next(this.#execute(step.value).rows);
        this.connection.exec('COMMIT');
        return step.value;
      } finally {
        if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      }
    });
  }

  #execute(query: Statement): QueryResult<unknown> {
    let statement = this.#statements.get(query.sql);
    if (!statement) {
      statement = this.connection.prepare(query.sql);
      if (this.#statements.size < KEPT_STATEMENTS) this.#statements.set(query.sql, statement);
    }
    const parameters = query.parameters.map(toParameter);
    if (statement.reader) return { rows: statement.all(...parameters) };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  async #guarded<Result>(work: () => Result): Promise<Result> {
    try {
      return await patiently(work);
    } catch (error) {
      throw sqliteFailure(error, this.connection.name);
    }
  }

  /** Taken before any migration has run, so the table is made here. */
  async withLock<Result>(name: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    await this.#guarded(() => this.connection.exec(LOCKS));
    const write = async (statement: Statement) => (this.connection.open ? this.rows(statement) : []);
    const locks = { table: 'locks', clock: { now: () => new Date() }, store: this, write };
    return this.#turns.take(name, () => withLease(locks, name, {}, work));
  }

  async check(): Promise<void> {
    await this.#guarded(() => this.connection.exec('BEGIN IMMEDIATE; ROLLBACK'));
  }

  async close(): Promise<void> {
    if (this.connection.open) this.connection.close();
  }
}

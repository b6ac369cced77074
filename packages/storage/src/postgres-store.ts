import { Failure } from '@millrace/kernel';
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type QueryResult } from 'kysely';
import pg from 'pg';
import { isSerializationConflict, postgresFailure } from './postgres-failure.ts';
import { type Statement, StatementDriver, type Store, type TransactionBody, toParameter } from './store.ts';
import { pause, Turns } from './turns.ts';

export { postgresFailure } from './postgres-failure.ts';

const INT8 = 20;
const NUMERIC = 1700;
const MAX_ATTEMPTS = 30;
const MAX_PAUSE_MS = 100;
const LOCK = "SELECT pg_advisory_lock(hashtextextended('millrace ' || current_schema() || ' ' || $1, 0))";

/** Numbers stay numbers on both dialects. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text')),
};

export function openPostgres(url: string, options: { onIdleError?: (error: Error) => void } = {}): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Failure('storage', 'The address of the database is not one of Postgres', {
      fix: { instruction: 'Set DATABASE_URL to postgres://user:password@host:port/database' },
    });
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'millrace',
    types,
  });
  // Without a listener, a restart of the database server would end this process.
  pool.on('error', options.onIdleError ?? (() => {}));
  return pool;
}

export class PostgresStore<Tables> implements Store<Tables> {
  readonly dialect = 'postgres';
  readonly db: Kysely<Tables>;
  readonly pool: pg.Pool;
  readonly #turns = new Turns();

  constructor(pool: pg.Pool) {
    this.pool = pool;
    this.db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new StatementDriver((statement) => this.#guarded(() => execute(this.pool, statement))),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    });
  }

  async rows(statement: Statement): Promise<unknown[]> {
    return (await this.#guarded(() => execute(this.pool, statement))).rows;
  }

  /** Serializable, as on SQLite; retried when it collides with another transaction. */
  async transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result> {
    return this.#guarded(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#attempt(body);
        } catch (error) {
          if (!isSerializationConflict(error) || attempt === MAX_ATTEMPTS) throw error;
          await pause(attempt, MAX_PAUSE_MS);
        }
      }
    });
  }

  async #attempt<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      const generator = body(this.db);
      let step = generator.next();
      while (!step.done) step = generator.next((await execute(client, step.value)).rows);
      await client.query('COMMIT');
      return step.value;
    } catch (error) {
      await client.query('ROLLBACK').catch(onError);
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw postgresFailure(error);
    }
  }

  /** An advisory lock, no lease: it needs no table, so migrations run under it, and it ends with its holder wherever that was killed. */
  async withLock<Result>(name: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    return this.#turns.take(name, () => this.#locked(name, work));
  }

  /** On a connection of its own: a lock that took one from the pool could leave none for the work it guards. */
  async #locked<Result>(name: string, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const client = new pg.Client(this.pool.options);
    const lost = new AbortController();
    client.on('error', (error) => lost.abort(error));
    try {
      await this.#guarded(async () => {
        await client.connect();
        await client.query(LOCK, [name]);
      });
      return await work(lost.signal);
    } finally {
      await client.end().catch(() => {});
    }
  }

  async check(): Promise<void> {
    const { rows } = await this.#guarded(() => this.pool.query<{ transaction_read_only: string }>('SHOW transaction_read_only'));
    if (rows[0]?.transaction_read_only === 'off') return;
    throw new Failure('storage', 'The database takes no writes now', { fix: { instruction: 'Point DATABASE_URL at the primary server' } });
  }

  async close(): Promise<void> {
    if (!this.pool.ending) await this.pool.end();
  }
}

async function execute(client: pg.Pool | pg.PoolClient, statement: Statement): Promise<QueryResult<unknown>> {
  const { rows, rowCount, command } = await client.query(statement.sql, statement.parameters.map(toParameter));
  return command === 'SELECT' || rowCount === null ? { rows } : { rows, numAffectedRows: BigInt(rowCount) };
}

import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Store, TransactionBody } from './store.ts';

const INT8 = 20;
const LOCK_NAMESPACE = 0x6d696c6c;

/** Numbers stay numbers on both dialects. */
pg.types.setTypeParser(INT8, Number);

export function openPostgres(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 5_000, application_name: 'millrace' });
}

export class PostgresStore<Tables> implements Store<Tables> {
  readonly dialect = 'postgres';
  readonly db: Kysely<Tables>;
  readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.pool = pool;
    this.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  }

  async transaction<Result>(body: (db: Kysely<Tables>) => TransactionBody<Result>): Promise<Result> {
    return this.#withClient(async (client) => {
      await client.query('BEGIN');
      try {
        const generator = body(this.db);
        let step = generator.next();
        while (!step.done) {
          const { sql, parameters } = step.value;
          const { rows } = await client.query(sql, [...parameters]);
          step = generator.next(rows);
        }
        await client.query('COMMIT');
        return step.value;
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    });
  }

  async withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return this.#withClient(async (client) => {
      await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK_NAMESPACE, name]);
      try {
        return await work();
      } finally {
        await client.query('SELECT pg_advisory_unlock($1, hashtext($2))', [LOCK_NAMESPACE, name]);
      }
    });
  }

  async check(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  async #withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    client.on('error', (error) => {
      broken = error;
    });
    try {
      return await work(client);
    } finally {
      client.removeAllListeners('error');
      client.release(broken);
    }
  }
}

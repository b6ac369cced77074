import pg from 'pg';
import { postgresFailure } from './postgres-failure.ts';

const LOCK = "SELECT pg_advisory_lock(hashtextextended('millrace ' || current_schema() || ' ' || $1, 0))";

/**
 * An advisory lock on a connection of its own: a lock that took one from the pool could leave none for the work it guards.
 * It ends with the connection, so a killed holder blocks nobody.
 */
export async function withAdvisoryLock<Result>(
  options: pg.ClientConfig,
  name: string,
  work: (lost: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(options);
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  try {
    try {
      await client.connect();
      await client.query(LOCK, [name]);
    } catch (error) {
      throw postgresFailure(error);
    }
    return await work(lost.signal);
  } finally {
    await client.end().catch(() => {});
  }
}

import type { Clock } from '@millrace/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimitCounts } from './call-limiter.ts';
import { holdEnd, type KeptHold, keepHold, newHolder } from './lease.ts';
import type { PostgresStore } from './postgres-store.ts';
import { isGone } from './process-identity.ts';
import { all, run } from './store.ts';
import type { LimitTables } from './tables.ts';

/** Counts that replicas share. A running call is a row that its replica holds, so that a killed one frees its places. */
export class PostgresLimitCounts implements LimitCounts {
  readonly #store: PostgresStore<LimitTables>;
  readonly #clock: Clock;
  readonly #limiters = new Map<number, RateLimiterAbstract>();
  readonly #running = new Set<KeptHold>();

  constructor(store: PostgresStore<LimitTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async perMinute(points: number): Promise<RateLimiterAbstract> {
    const { default: RateLimiterPostgres } = await import('rate-limiter-flexible/lib/RateLimiterPostgres.js');
    const known = this.#limiters.get(points);
    if (known) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: this.#store.pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      points,
      duration: 60,
    });
    this.#limiters.set(points, limiter);
    return limiter;
  }

  async takePlace(userId: string, tool: string, places: number): Promise<(() => void) | undefined> {
    const id = newHolder();
    const clock = this.#clock;
    const taken = await this.#store.transaction(function* (db) {
      yield* run(db.deleteFrom('running_calls').where('expires_at', '<', clock.now().toISOString()));
      const calls = yield* all(db.selectFrom('running_calls').select('id').where('user_id', '=', userId).where('tool', '=', tool));
      if (calls.filter((call) => !isGone(call.id)).length >= places) return false;
      yield* run(db.insertInto('running_calls').values({ id, user_id: userId, tool, expires_at: holdEnd(clock) }));
      return true;
    });
    return taken ? this.#hold(id) : undefined;
  }

  close(): void {
    for (const kept of this.#running) kept.stop();
    this.#running.clear();
  }

  #hold(id: string): () => void {
    const { db } = this.#store;
    const kept = keepHold(this.#clock, async (expires_at) => {
      return (await db.updateTable('running_calls').set({ expires_at }).where('id', '=', id).executeTakeFirst()).numUpdatedRows > 0;
    });
    this.#running.add(kept);
    return () => {
      kept.stop();
      this.#running.delete(kept);
      // A row that stays behind runs out by itself.
      db.deleteFrom('running_calls')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    };
  }
}

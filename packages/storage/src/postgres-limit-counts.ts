import { randomUUID } from 'node:crypto';
import type { Clock } from '@millrace/kernel';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimitCounts } from './call-limiter.ts';
import type { PostgresStore } from './postgres-store.ts';
import { first, run } from './store.ts';
import type { LimitTables } from './tables.ts';

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;

/** Counts that replicas share. A running call is a row with a lease, so that a killed replica frees its slots. */
export class PostgresLimitCounts implements LimitCounts {
  readonly #store: PostgresStore<LimitTables>;
  readonly #clock: Clock;
  readonly #limiters = new Map<number, RateLimiterAbstract>();
  readonly #renewals = new Set<NodeJS.Timeout>();

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
    const id = randomUUID();
    const now = this.#clock.now().toISOString();
    const expires_at = this.#leaseEnd();
    const taken = await this.#store.transaction(function* (db) {
      yield* run(db.deleteFrom('running_calls').where('expires_at', '<', now));
      const row = yield* first(
        db
          .selectFrom('running_calls')
          .select((select) => select.fn.countAll<number>().as('running'))
          .where('user_id', '=', userId)
          .where('tool', '=', tool),
      );
      if ((row?.running ?? 0) >= places) return false;
      yield* run(db.insertInto('running_calls').values({ id, user_id: userId, tool, expires_at }));
      return true;
    });
    return taken ? this.#hold(id) : undefined;
  }

  close(): void {
    for (const renewal of this.#renewals) clearInterval(renewal);
    this.#renewals.clear();
  }

  #hold(id: string): () => void {
    const renewal = setInterval(() => {
      this.#store.db
        .updateTable('running_calls')
        .set({ expires_at: this.#leaseEnd() })
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    }, RENEW_MS);
    renewal.unref();
    this.#renewals.add(renewal);
    return () => {
      clearInterval(renewal);
      this.#renewals.delete(renewal);
      // A row that is not removed expires.
      this.#store.db
        .deleteFrom('running_calls')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    };
  }

  #leaseEnd(): string {
    return new Date(this.#clock.now().getTime() + LEASE_MS).toISOString();
  }
}

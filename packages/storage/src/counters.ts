import type { Clock } from '@millrace/kernel';
import { first, run, type Store } from './store.ts';
import type { AuditTables } from './tables.ts';

/** A user's progress: successful calls with distinct arguments. */
export class Counters {
  readonly #store: Store<AuditTables>;
  readonly #clock: Clock;

  constructor(store: Store<AuditTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Counts a success unless one with these arguments was counted before; returns the user's new total over all tools. */
  countDistinctSuccess(userId: string, tool: string, argumentsHash: string): Promise<number> {
    const counted_at = this.#clock.now().toISOString();
    return this.#store.transaction(function* (db) {
      yield* run(
        db
          .insertInto('distinct_successes')
          .values({ user_id: userId, tool, arguments_hash: argumentsHash, counted_at })
          .onConflict((conflict) => conflict.doNothing()),
      );
      const row = yield* first(
        db
          .selectFrom('distinct_successes')
          .select((select) => select.fn.countAll<number>().as('total'))
          .where('user_id', '=', userId),
      );
      return row?.total ?? 0;
    });
  }

  /** The user's total so far, over all tools or of one. */
  async distinctSuccesses(userId: string, tool?: string): Promise<number> {
    let query = this.#store.db
      .selectFrom('distinct_successes')
      .select((select) => select.fn.countAll<number>().as('total'))
      .where('user_id', '=', userId);
    if (tool !== undefined) query = query.where('tool', '=', tool);
    return (await query.executeTakeFirstOrThrow()).total;
  }
}

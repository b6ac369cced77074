import type { Clock } from '@millrace/kernel';
import { all, first, run, type Store } from '@millrace/storage';
import type { SessionOutcome } from '../ports.ts';
import type { TeachingTables } from './migrations.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;
const LOOKED_BACK = 20;

/** What became of requests: how often a context was run, and whether a caller's confidence was borne out. */
export class Outcomes {
  readonly #store: Store<TeachingTables>;
  readonly #clock: Clock;

  constructor(store: Store<TeachingTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The newest open request of this user that offered the context gets its outcome. A session counts once. */
  async ended({ sessionId, userId, uri, status }: SessionOutcome): Promise<void> {
    const now = this.#clock.now();
    const since = new Date(now.getTime() - REMEMBERED_MS).toISOString();
    await this.#store.transaction(function* (db) {
      const known = yield* first(db.selectFrom('flowmind_outcomes').select('session_id').where('session_id', '=', sessionId));
      if (known) return;
      yield* run(
        db.insertInto('flowmind_outcomes').values({ session_id: sessionId, user_id: userId, uri, status, ended_at: now.toISOString() }),
      );
      const open = yield* all(
        db
          .selectFrom('flowmind_predictions')
          .select(['call_id', 'offered'])
          .where('user_id', '=', userId)
          .where('outcome', 'is', null)
          .where('made_at', '>=', since)
          .orderBy('made_at', 'desc')
          .limit(LOOKED_BACK),
      );
      const meant = open.find((row) => (JSON.parse(row.offered) as string[]).includes(uri));
      if (!meant) return;
      yield* run(
        db
          .updateTable('flowmind_predictions')
          .set({ outcome: status === 'completed' ? 1 : 0 })
          .where('call_id', '=', meant.call_id),
      );
    });
  }

  /** Stated confidence beside what came of it, over the latest finished requests; undefined when none has finished. */
  async calibration(userId: string): Promise<{ stated: number; actual: number; requests: number } | undefined> {
    const rows = await this.#store.db
      .selectFrom('flowmind_predictions')
      .select(['stated', 'outcome'])
      .where('user_id', '=', userId)
      .where('outcome', 'is not', null)
      .orderBy('made_at', 'desc')
      .limit(LOOKED_BACK)
      .execute();
    if (rows.length === 0) return undefined;
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    return { stated: mean(rows.map((row) => row.stated)), actual: mean(rows.map((row) => row.outcome ?? 0)), requests: rows.length };
  }

  /** How often each context was run to an end. */
  async popularity(): Promise<Map<string, number>> {
    const rows = await this.#store.db
      .selectFrom('flowmind_outcomes')
      .select((select) => ['uri', select.fn.countAll<number>().as('runs')])
      .groupBy('uri')
      .execute();
    return new Map(rows.map((row) => [row.uri, Number(row.runs)]));
  }
}

export function calibrationText({ stated, actual, requests }: { stated: number; actual: number; requests: number }): string {
  const over = requests === 1 ? 'your finished request' : `your last ${requests} finished requests`;
  const said = `Your ${stated.toFixed(2)} was actually ${actual.toFixed(2)} over ${over}`;
  if (Math.abs(stated - actual) < 0.1) return `${said} - well judged`;
  return actual > stated ? `${said} - be more confident!` : `${said} - be more careful`;
}

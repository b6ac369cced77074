import type { Clock } from '@millrace/kernel';
import { all, first, run, type Store } from '@millrace/storage';
import type { TeachingTables } from '../migrations.ts';

export type LessonState = Omit<TeachingTables['flowmind_lessons'], 'user_id'>;

export interface Learner {
  /** Nothing is known about them yet. */
  isNew: boolean;
  lessons: Map<string, LessonState>;
}

/** What field_request offered, and how sure the caller was. */
export interface Prediction {
  callId: string;
  stated: number;
  offered: readonly string[];
}

export interface SessionOutcome {
  sessionId: string;
  userId: string;
  uri: string;
  status: 'completed' | 'failed' | 'cancelled';
}

/** A caller's stated confidence and what came of it, over the latest finished requests. */
export interface Calibration {
  stated: number;
  actual: number;
  requests: number;
}

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;
const LOOKED_BACK = 20;

/** What each user was taught and uses, and what became of their requests. */
export class TeachingStore {
  readonly #store: Store<TeachingTables>;
  readonly #clock: Clock;

  constructor(store: Store<TeachingTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async learner(userId: string): Promise<Learner> {
    const columns = ['lesson', 'taught_at', 'improved', 'used_at'] as const;
    const rows = await this.#store.db.selectFrom('flowmind_lessons').select(columns).where('user_id', '=', userId).execute();
    return { isNew: rows.length === 0, lessons: new Map(rows.map((row) => [row.lesson, row])) };
  }

  /** Notes what a call showed, and whether it used what was taught before. Returns what changed. */
  observe({ lessons }: Learner, relevant: readonly string[], used: readonly string[]): LessonState[] {
    const now = this.#clock.now().toISOString();
    return relevant.flatMap((lesson) => {
      const state = lessons.get(lesson) ?? fresh(lesson);
      const uses = used.includes(lesson);
      const measures = state.taught_at !== null && state.improved === null;
      if (!measures && (!uses || state.used_at !== null)) return [];
      const changed = { ...state, ...(measures && { improved: Number(uses) }), ...(uses && { used_at: state.used_at ?? now }) };
      lessons.set(lesson, changed);
      return [changed];
    });
  }

  teach({ lessons }: Learner, lesson: string): LessonState {
    const state = { ...(lessons.get(lesson) ?? fresh(lesson)), taught_at: this.#clock.now().toISOString(), improved: null };
    lessons.set(lesson, state);
    return state;
  }

  /** Everything a call changed, in one commit; most calls change nothing. */
  async save(userId: string, changed: readonly LessonState[], prediction?: Prediction): Promise<void> {
    const made_at = this.#clock.now().toISOString();
    const rows = [...new Map(changed.map((state) => [state.lesson, state])).values()];
    const predicts = prediction !== undefined && prediction.offered.length > 0;
    if (rows.length === 0 && !predicts) return;
    await this.#store.transaction(function* (db) {
      for (const row of rows) {
        yield* run(
          db
            .insertInto('flowmind_lessons')
            .values({ user_id: userId, ...row })
            .onConflict((conflict) => conflict.columns(['user_id', 'lesson']).doUpdateSet(row)),
        );
      }
      if (!predicts) return;
      const { callId: call_id, stated } = prediction;
      const offered = JSON.stringify(prediction.offered);
      yield* run(db.insertInto('flowmind_predictions').values({ call_id, user_id: userId, stated, offered, made_at, outcome: null }));
    });
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
      const meant = open.find((row) => {
        const offered: Prediction['offered'] = JSON.parse(row.offered);
        return offered.includes(uri);
      });
      if (!meant) return;
      const outcome = status === 'completed' ? 1 : 0;
      yield* run(db.updateTable('flowmind_predictions').set({ outcome }).where('call_id', '=', meant.call_id));
    });
  }

  /** Undefined while no request has finished. */
  async calibration(userId: string): Promise<Calibration | undefined> {
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

  /** How often each context was run to its end. */
  async popularity(): Promise<Map<string, number>> {
    const rows = await this.#store.db
      .selectFrom('flowmind_outcomes')
      .select((select) => ['uri', select.fn.countAll<number>().as('runs')])
      .groupBy('uri')
      .execute();
    return new Map(rows.map((row) => [row.uri, Number(row.runs)]));
  }
}

function fresh(lesson: string): LessonState {
  return { lesson, taught_at: null, improved: null, used_at: null };
}

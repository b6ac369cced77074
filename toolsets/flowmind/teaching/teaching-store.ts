import type { Clock } from '@millrace/kernel';
import { all, first, run, type Store } from '@millrace/storage';
import type { TeachingTables } from '../migrations.ts';

export interface LessonState {
  lesson: string;
  taughtAt: string | undefined;
  /** Whether the next call of the same tool used it; undefined while there was none. */
  improved: boolean | undefined;
  usedAt: string | undefined;
}

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
    const rows = await this.#store.db.selectFrom('flowmind_lessons').selectAll().where('user_id', '=', userId).execute();
    const lessons = rows.map(({ lesson, taught_at, improved, used_at }): [string, LessonState] => [
      lesson,
      { lesson, taughtAt: taught_at ?? undefined, improved: improved === null ? undefined : improved === 1, usedAt: used_at ?? undefined },
    ]);
    return { isNew: rows.length === 0, lessons: new Map(lessons) };
  }

  /** Notes what a call showed, and whether it used what was taught before. Returns what changed. */
  observe({ lessons }: Learner, relevant: readonly string[], used: readonly string[]): LessonState[] {
    const now = this.#clock.now().toISOString();
    return relevant.flatMap((lesson) => {
      const state = lessons.get(lesson) ?? fresh(lesson);
      const uses = used.includes(lesson);
      const measures = state.taughtAt !== undefined && state.improved === undefined;
      if (!measures && (!uses || state.usedAt !== undefined)) return [];
      const changed = { ...state, ...(measures && { improved: uses }), ...(uses && { usedAt: state.usedAt ?? now }) };
      lessons.set(lesson, changed);
      return [changed];
    });
  }

  teach({ lessons }: Learner, lesson: string): LessonState {
    const state = { ...(lessons.get(lesson) ?? fresh(lesson)), taughtAt: this.#clock.now().toISOString(), improved: undefined };
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
      for (const { lesson, taughtAt, improved, usedAt } of rows) {
        const row = { taught_at: taughtAt ?? null, improved: improved === undefined ? null : Number(improved), used_at: usedAt ?? null };
        yield* run(
          db
            .insertInto('flowmind_lessons')
            .values({ user_id: userId, lesson, ...row })
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
  return { lesson, taughtAt: undefined, improved: undefined, usedAt: undefined };
}

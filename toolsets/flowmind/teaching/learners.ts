import type { Clock } from '@millrace/kernel';
import { run, type Store } from '@millrace/storage';
import type { TeachingTables } from './migrations.ts';

export interface LessonState {
  lesson: string;
  taughtAt: string | undefined;
  /** Whether the next call of the same tool took it up; undefined while there was none. */
  improved: boolean | undefined;
  usedAt: string | undefined;
}

export interface Learner {
  /** Nothing is known about them yet. */
  isNew: boolean;
  lessons: Map<string, LessonState>;
}

export interface Prediction {
  callId: string;
  stated: number;
  offered: readonly string[];
}

/** What each user was taught and uses. */
export class Learners {
  readonly #store: Store<TeachingTables>;
  readonly #clock: Clock;

  constructor(store: Store<TeachingTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async read(userId: string): Promise<Learner> {
    const rows = await this.#store.db.selectFrom('flowmind_lessons').selectAll().where('user_id', '=', userId).execute();
    const lessons = new Map<string, LessonState>();
    for (const row of rows) {
      lessons.set(row.lesson, {
        lesson: row.lesson,
        taughtAt: row.taught_at ?? undefined,
        improved: row.improved === null ? undefined : row.improved === 1,
        usedAt: row.used_at ?? undefined,
      });
    }
    return { isNew: rows.length === 0, lessons };
  }

  /** Notes what a call showed, and measures whether the lessons before it were taken up. Answers what changed. */
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

  taught({ lessons }: Learner, lesson: string): LessonState {
    const state = { ...(lessons.get(lesson) ?? fresh(lesson)), taughtAt: this.#clock.now().toISOString(), improved: undefined };
    lessons.set(lesson, state);
    return state;
  }

  /** What a call leaves behind, in one commit; most calls leave nothing. */
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
      yield* run(
        db.insertInto('flowmind_predictions').values({
          call_id: prediction.callId,
          user_id: userId,
          stated: prediction.stated,
          offered: JSON.stringify(prediction.offered),
          made_at,
          outcome: null,
        }),
      );
    });
  }
}

function fresh(lesson: string): LessonState {
  return { lesson, taughtAt: undefined, improved: undefined, usedAt: undefined };
}

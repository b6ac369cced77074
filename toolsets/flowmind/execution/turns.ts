import { setTimeout as sleep } from 'node:timers/promises';

/** One thing at a time for a session, within this process. */
export class Turns {
  readonly #turns = new Map<string, Promise<unknown>>();

  /** What is under way, if anything; never rejects. */
  current(id: string): Promise<unknown> | undefined {
    return this.#turns.get(id);
  }

  take<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const turn = before.then(work);
    this.extend(id, turn);
    return turn;
  }

  /** The next turn waits for this work too. */
  extend(id: string, work: Promise<unknown>): void {
    const all = Promise.allSettled([this.#turns.get(id), work]);
    this.#turns.set(id, all);
    all.then(() => {
      if (this.#turns.get(id) === all) this.#turns.delete(id);
    });
  }

  async idle(): Promise<void> {
    await Promise.all(this.#turns.values());
  }
}

/** Waits for work, but not for ever. */
export async function patiently(work: Promise<unknown> | undefined, until: number): Promise<'done' | 'late'> {
  if (!work) return 'done';
  if (until === Number.POSITIVE_INFINITY) return work.then(() => 'done' as const);
  const over = new AbortController();
  const late = sleep(Math.max(0, until - performance.now()), 'late' as const, { signal: over.signal });
  try {
    return await Promise.race([work.then(() => 'done' as const), late]);
  } finally {
    over.abort();
  }
}

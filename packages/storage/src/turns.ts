import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Waiting } from './lease.ts';

/** Callers of one process take turns by name, so that only one of them at a time competes with other processes. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<Result>(name: string, work: () => Promise<Result>, { signal, onWait }: Waiting = {}): Promise<Result> {
    const before = this.#last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    // Whoever gives up waiting does not let the next one pass the one before.
    const mine = Promise.all([before, promise]).then(() => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    });
    this.#last.set(name, mine);
    try {
      if (before) onWait?.();
      await unlessAborted(before ?? Promise.resolve(), signal);
      return await work();
    } finally {
      resolve();
    }
  }
}

/** Stops waiting when the signal aborts; work that cannot be stopped ends by itself and is not used. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  signal?.throwIfAborted();
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const listener = addAbortListener(signal, () => reject(signal.reason));
  try {
    return await Promise.race([work, aborted]);
  } finally {
    listener[Symbol.dispose]();
  }
}

const FIRST_MS = 2;

/** Before another try: longer each time, and random, so that processes that collided once do not collide again. */
export async function pause(attempt: number, longestMs: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.random() * Math.min(longestMs, FIRST_MS * 1.5 ** attempt), undefined, signal && { signal });
}

import { setImmediate } from 'node:timers/promises';

/** Long enough to make progress, short enough that nobody notices the wait. */
const SLICE_MS = 8;

/** Knows when a slice of work is over; the next one begins after other work had its turn. */
export class Slices {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get over(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  async next(): Promise<void> {
    await turn(this.#signal);
    this.#began = performance.now();
  }
}

/** Lets other work run, and stops when asked to. */
export async function turn(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

/** Does long work in slices. The work yields wherever it may pause. */
export async function inSlices<Result>(work: Generator<void, Result, void>, signal?: AbortSignal): Promise<Result> {
  const slices = new Slices(signal);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slices.over) await slices.next();
  }
}

/** One result a value, as work for inSlices. */
export function* each<Value, Result>(
  values: readonly Value[],
  make: (value: Value, index: number) => Result,
): Generator<void, Result[], void> {
  const results: Result[] = [];
  for (const [index, value] of values.entries()) {
    results.push(make(value, index));
    yield;
  }
  return results;
}

import { setImmediate } from 'node:timers/promises';

/** Long enough to get on, short enough that nobody notices the wait. */
const SLICE_MS = 8;

/** Tells when a slice of work is over; a new one begins when others have had their turn. */
export class Slices {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get over(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  /** Lets others have their turn, and stops where that was asked for. */
  async next(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
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

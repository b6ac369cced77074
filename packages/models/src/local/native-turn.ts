/**
 * Says across threads whether native code is running. A thread that is ended meanwhile would abort the whole process,
 * so a process that exits first waits for the run, and no new one begins.
 */
export class NativeTurn {
  readonly shared: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#state = new Int32Array(shared);
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    Atomics.store(this.#state, BUSY, 1);
    try {
      return await work();
    } finally {
      Atomics.store(this.#state, BUSY, 0);
      Atomics.notify(this.#state, BUSY);
      // The process is about to end this thread: it stands still until then.
      if (Atomics.load(this.#state, ENDING) === 1) Atomics.wait(this.#state, ENDING, 1);
    }
  }

  /** For the last moment of a process: blocks until nothing native runs. */
  end(patienceMs: number): void {
    Atomics.store(this.#state, ENDING, 1);
    Atomics.wait(this.#state, BUSY, 1, patienceMs);
  }
}

const BUSY = 0;
const ENDING = 1;

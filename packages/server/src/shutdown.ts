import { constants } from 'node:os';
import { Failure } from '@millrace/kernel';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** However long the work takes to stop, the process is gone within three seconds. */
const DEADLINE_MS = 2_000;
/** npx and our own launcher pass on the Ctrl-C that the terminal has already sent to every process. */
const SAME_REQUEST_MS = 500;

/** How a program stops: in order at the first request, at once at the second, and at the deadline in any case. */
export class Shutdown {
  readonly #stop = new AbortController();
  #code = 1;
  #begunAt = 0;

  constructor() {
    for (const name of SIGNALS) process.on(name, () => this.#receive(128 + constants.signals[name]));
    // The launcher that started this process was killed.
    process.on('disconnect', () => this.begin());
  }

  /** Aborted by the first request. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get requested(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Also starts without a signal, for example when the only client disconnects. */
  begin(): void {
    if (this.signal.aborted) return;
    this.#begunAt = performance.now();
    setTimeout(() => process.exit(this.#code), DEADLINE_MS);
    this.#stop.abort(new Failure('cancelled', 'Stopped'));
  }

  /** Work that a signal stopped exits with 128 + the signal number; finished work keeps its 0. */
  exitCode(code: number): number {
    return code !== 0 && this.signal.aborted ? this.#code : code;
  }

  /** Whether the error only reports that the work was stopped. */
  caused(error: unknown): boolean {
    return this.signal.aborted && error instanceof Error && error.name === 'AbortError';
  }

  #receive(code: number): void {
    if (!this.signal.aborted) this.#code = code;
    else if (performance.now() - this.#begunAt > SAME_REQUEST_MS) process.exit(code);
    this.begin();
  }
}

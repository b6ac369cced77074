import { Failure } from '../failure.ts';
import type { Step } from '../pipeline.ts';

const DEFAULT_DEADLINE_MS = 60_000;

/** Aborts the work at its deadline or with the client's cancellation; the caller is answered even if the work is slow to stop. */
export const deadline: Step = async (invocation, next) => {
  const stop = new AbortController();
  const timer = new PausableTimer(invocation.tool.job ? undefined : (invocation.tool.deadlineMs ?? DEFAULT_DEADLINE_MS), (ms) => {
    stop.abort(new Failure('timeout', `The call took longer than ${seconds(ms)} and was stopped`, { details: { deadlineMs: ms } }));
  });
  const clientSignal = invocation.origin.signal;
  const cancel = () => stop.abort(new Failure('cancelled', 'The call was cancelled'));
  if (clientSignal?.aborted) cancel();
  clientSignal?.addEventListener('abort', cancel, { once: true });
  invocation.signal = stop.signal;
  invocation.clock = timer;
  try {
    stop.signal.throwIfAborted();
    return await Promise.race([next(), aborted(stop.signal)]);
  } finally {
    timer.pause();
    clientSignal?.removeEventListener('abort', cancel);
  }
};

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} seconds` : `${ms} ms`;
}

class PausableTimer {
  #remaining: number | undefined;
  #full: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #onEnd: (ms: number) => void;

  constructor(ms: number | undefined, onEnd: (ms: number) => void) {
    this.#remaining = ms;
    this.#full = ms ?? 0;
    this.#onEnd = onEnd;
    this.resume();
  }

  pause(): void {
    if (!this.#timer || this.#remaining === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#remaining -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (this.#timer || this.#remaining === undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#onEnd(this.#full), Math.max(0, this.#remaining));
  }
}

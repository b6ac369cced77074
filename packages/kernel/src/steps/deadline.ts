import { Failure } from '../failure.ts';
import type { Step } from '../pipeline.ts';

const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Aborts the work at its deadline or when the client cancels; the caller gets an answer even if the work is slow to
 * stop. A question ends the round, so the clock does not run while a person thinks. A closing server stops it too.
 */
export const deadline =
  (closing: AbortSignal): Step =>
  async (invocation, next) => {
    const work = new AbortController();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    stopped.catch(() => {});
    const stop = (failure: Failure) => {
      work.abort(failure);
      reject(failure);
    };
    const { job, deadlineMs = DEFAULT_DEADLINE_MS, whenCancelled } = invocation.tool;
    const overdue = () =>
      stop(new Failure('timeout', `The call took longer than ${seconds(deadlineMs)} and was stopped`, { details: { deadlineMs } }));
    const cancelled = (why: string) => () => stop(new Failure('cancelled', [why, ...(whenCancelled ? [whenCancelled] : [])].join('. ')));
    const cancel = cancelled('The call was cancelled');
    const close = cancelled('The server is shutting down');
    const timer = job ? undefined : setTimeout(overdue, deadlineMs);
    const client = invocation.origin.signal;
    client?.addEventListener('abort', cancel, { once: true });
    closing.addEventListener('abort', close, { once: true });
    if (client?.aborted) cancel();
    if (closing.aborted) close();
    invocation.signal = work.signal;
    try {
      work.signal.throwIfAborted();
      return await Promise.race([next(), stopped]);
    } finally {
      clearTimeout(timer);
      client?.removeEventListener('abort', cancel);
      closing.removeEventListener('abort', close);
    }
  };

function seconds(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000} seconds` : `${ms} ms`;
}

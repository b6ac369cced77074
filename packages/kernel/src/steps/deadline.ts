import { Failure } from '../failure.ts';
import type { Step } from '../pipeline.ts';

const DEFAULT_DEADLINE_MS = 60_000;

/**
 * Aborts the work at its deadline or with the client's cancellation; the caller is answered even if the work is slow to
 * stop. A question ends the round, so the clock does not run while a person thinks.
 */
export const deadline: Step = async (invocation, next) => {
  const stop = new AbortController();
  const ms = invocation.tool.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const overdue = () =>
    stop.abort(new Failure('timeout', `The call took longer than ${seconds(ms)} and was stopped`, { details: { deadlineMs: ms } }));
  const timer = invocation.tool.job ? undefined : setTimeout(overdue, ms);
  const clientSignal = invocation.origin.signal;
  const cancel = () => stop.abort(new Failure('cancelled', 'The call was cancelled'));
  if (clientSignal?.aborted) cancel();
  clientSignal?.addEventListener('abort', cancel, { once: true });
  invocation.signal = stop.signal;
  try {
    stop.signal.throwIfAborted();
    return await Promise.race([next(), aborted(stop.signal)]);
  } finally {
    clearTimeout(timer);
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

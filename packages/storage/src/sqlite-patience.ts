import { pause } from './pause.ts';

/** SQLite itself waits only this long for another process: it blocks the event loop while it waits. */
export const SQLITE_WAIT_MS = 2;

const LONGEST_WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 30;

/** Works at once if possible; while another process holds the file, retries between turns of the event loop. */
export function patiently<Result>(work: () => Result): Result | Promise<Result> {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return tryAgain(work);
  }
}

async function tryAgain<Result>(work: () => Result): Promise<Result> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (let attempt = 0; ; attempt += 1) {
    await pause(attempt, LONGEST_PAUSE_MS);
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && code.startsWith('SQLITE_BUSY');
}

import { Failure } from '@millrace/kernel';
import { pause } from './turns.ts';

/** What SQLite reports, in words that say what to do. What only a bug can cause stays as it is. */
export function sqliteFailure(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return error;
  const failure = (message: string, instruction: string) =>
    new Failure('storage', message, { details: { path, sqlite: code }, fix: { instruction }, cause: error });
  if (code === 'MILLRACE_NATIVE_MISSING') return new Failure('storage', (error as Error).message, { cause: error });
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new Failure('conflict', 'This already exists', { details: { sqlite: code }, cause: error });
  }
  if (code === 'SQLITE_FULL') return failure(`The disk that holds ${path} is full`, 'Free some space; nothing that was saved is lost');
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return failure(
      `${path} is damaged or not a database`,
      `Put a backup in its place, or move it away so that a new one is made: mv "${path}" "${path}.damaged"`,
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') {
    return failure(`${path} is held by another program`, 'Try again; if it stays so, close the program that has the file open');
  }
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN') || code === 'SQLITE_PERM') {
    return failure(`${path} cannot be opened for writing`, 'Check that the file and its folder exist and belong to you');
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return failure(`${path} cannot be read or written`, 'Check the disk: it may be full, failing or no longer mounted');
  }
  return error;
}

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

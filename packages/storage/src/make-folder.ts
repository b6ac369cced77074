import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';

/** Creates a folder and its parents. Node's own function never ends if an existing parent denies new children, as /proc does. */
export function makeFolder(path: string, options: { mode?: number } = {}): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, options);
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The folder of this person's Millrace, made where it is missing. */
export function makeHome(home: string): void {
  try {
    makeFolder(home, { mode: 0o700 });
    if (statSync(home).isDirectory()) return;
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new Failure('storage', `The folder ${home} cannot be made`, {
      details: { path: home, system: cause.code ?? null },
      fix: { instruction: 'Check that its parent folder belongs to you and the disk has room, or set MILLRACE_HOME to another folder' },
      cause,
    });
  }
  throw homeIsNoFolder(home);
}

function homeIsNoFolder(home: string): Failure {
  return new Failure('storage', `${home} is not a folder`, {
    details: { path: home },
    fix: { instruction: 'Set MILLRACE_HOME to a folder of yours' },
  });
}

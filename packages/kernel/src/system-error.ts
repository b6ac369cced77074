import { Failure } from './failure.ts';

/** An error of the operating system: a file, a folder, a process. Errors caused by bugs name no system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** For `.catch`: an operating system error means absent; a bug passes through. */
export function absent(error: unknown): undefined {
  if (!isSystemError(error)) throw error;
}

/** Refusals of the operating system that mean the same wherever they occur; undefined for every other error. */
export function systemFailure(error: unknown): Failure | undefined {
  if (!isSystemError(error)) return undefined;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new Failure('storage', 'The disk is full', {
        fix: { instruction: 'Free some space; nothing that was saved is lost' },
        cause: error,
      });
    case 'ENAMETOOLONG':
      return new Failure('invalid_input', 'A name in the path is longer than this system allows', {
        fix: { instruction: 'Use a shorter name' },
        cause: error,
      });
    default:
      return undefined;
  }
}

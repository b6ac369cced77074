/** An error of the operating system: a file, a folder, a process. Errors caused by bugs name no system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** For `.catch`: an operating system error means absent; a bug passes through. */
export function absent(error: unknown): undefined {
  if (!isSystemError(error)) throw error;
}

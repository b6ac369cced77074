/** What the operating system refused: a file, a folder, a process. A bug names no system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** For `.catch`: what the operating system does not give is absent; a bug passes through. */
export function absent(error: unknown): undefined {
  if (!isSystemError(error)) throw error;
}

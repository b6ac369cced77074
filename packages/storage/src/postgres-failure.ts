import { Failure } from '@millrace/kernel';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE']);
const REFUSED = new Set(['28000', '28P01', '3D000']);
const CONNECTION_CLASS = '08';
const SHUTDOWN = new Set(['57P01', '57P02', '57P03']);
const PG_POOL_TIMEOUT = 'timeout exceeded when trying to connect';
const PG_TERMINATED = 'Connection terminated';

/** What Postgres reports, in words that say what to do. What only a bug can cause stays as it is. */
export function postgresFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  const code = String((error as { code?: unknown }).code ?? '');
  const failure = (message: string, instruction: string) =>
    new Failure('storage', message, { details: { postgres: code }, fix: { instruction }, cause: error });
  if (code === '23505') return new Failure('conflict', 'This already exists', { details: { postgres: code }, cause: error });
  if (code === '53100') return failure('The disk of the database server is full', 'Free some space there; nothing that was saved is lost');
  if (code === '25006') return failure('The database takes no writes now', 'Point DATABASE_URL at the primary server');
  if (REFUSED.has(code)) {
    return failure('The database server refused the connection', 'Check the user, the password and the database name in DATABASE_URL');
  }
  if (code === '42501') return failure('The database user may not create or change tables', 'Grant it CREATE on its schema');
  if (isUnreachable(error, code)) {
    return failure('The database server cannot be reached', 'Check that it runs, and the host and port in DATABASE_URL');
  }
  if (isSerializationConflict(error)) return failure('Too many changes at once', 'Try again');
  return error;
}

/** Another transaction got in the way: running it again may succeed. */
export function isSerializationConflict(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '40001' || code === '40P01';
}

function isUnreachable(error: Error, code: string): boolean {
  if (UNREACHABLE.has(code) || SHUTDOWN.has(code) || code.startsWith(CONNECTION_CLASS) || code === '53300') return true;
  return error.message.startsWith(PG_POOL_TIMEOUT) || error.message.startsWith(PG_TERMINATED);
}

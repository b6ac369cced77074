import type { Log } from '@millrace/kernel';
import pino from 'pino';

/** Logs go to stderr: on stdio, stdout belongs to the protocol. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, redact: { paths: ['*.token', '*.authorization', '*.apiKey', '*.password', '*.secret'], censor: '(hidden)' } },
    pino.destination({ fd: 2, sync: true }),
  );
}

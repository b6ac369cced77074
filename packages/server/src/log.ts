import type { Log } from '@millrace/kernel';
import pino from 'pino';

const LONGEST_MESSAGE = 1_000;
const LONGEST_STACK = 4_000;
const MOST_CAUSES = 5;

/** Logs go to stderr: on stdio, stdout belongs to the protocol. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      serializers: { err: (error: unknown) => plainError(error, MOST_CAUSES) },
      redact: { paths: ['*.token', '*.authorization', '*.apiKey', '*.password', '*.secret'], censor: '(hidden)' },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Only what helps to find a bug: library errors can carry whole requests, with prompts and keys. */
export function plainError(error: unknown, causes: number): object {
  if (!(error instanceof Error)) return { message: String(error).slice(0, LONGEST_MESSAGE) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    message: message.slice(0, LONGEST_MESSAGE),
    stack: stack?.slice(0, LONGEST_STACK),
    ...(cause !== undefined && causes > 0 && { cause: plainError(cause, causes - 1) }),
  };
}

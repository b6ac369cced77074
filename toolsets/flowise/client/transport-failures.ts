import { Failure } from '@millrace/kernel';
import type { Operation } from './refusals.ts';

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the host name cannot be looked up right now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  EADDRNOTAVAIL: 'the address cannot be used',
  EACCES: 'the connection is not permitted',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ECONNABORTED',
  'UND_ERR_DESTROYED',
]);

/** What an error of the connection means. Nothing of its text is repeated: it may hold addresses. */
export function failureOfTransport(error: unknown, operation: Operation): Failure {
  const code = codeOf(error);
  const why = code === undefined ? undefined : UNREACHABLE[code];
  if (why) return unreachable(why, code as string, error);
  if (code !== undefined && BROKEN.has(code)) return brokenReply(operation, error);
  if (code !== undefined && /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return unreachable('its certificate is not trusted', code, error);
  }
  if (code?.startsWith('HPE_')) return unreachable('what answers there does not speak HTTP', code, error);
  return brokenReply(operation, error);
}

function unreachable(why: string, code: string, cause: unknown): Failure {
  return new Failure('unavailable', `Flowise cannot be reached at FLOWISE_API_URL: ${why}`, {
    details: { variable: 'FLOWISE_API_URL', reason: code },
    fix: { instruction: 'Start Flowise, or set FLOWISE_API_URL to where it runs; millrace doctor checks both' },
    cause,
  });
}

/** The connection ended before the answer did. */
export function brokenReply(operation: Operation, cause: unknown): Failure {
  return incomplete(`The connection to Flowise broke before it had answered the request to ${operation.does}`, operation, cause);
}

/** What arrived calls itself JSON and is not. */
export function cutShort(operation: Operation, cause: unknown): Failure {
  return incomplete(`Flowise's answer to the request to ${operation.does} was cut short`, operation, cause);
}

function incomplete(what: string, operation: Operation, cause: unknown): Failure {
  const unsure = operation.kind === 'change' ? '. It may or may not have been done: look before trying again' : '';
  return new Failure('unavailable', `${what}${unsure}`, {
    details: { transient: true },
    fix: { instruction: operation.kind === 'change' ? 'Look whether the change was made, then try again' : 'Try again' },
    cause,
  });
}

export function tookTooLong(operation: Operation, timeoutMs: number): Failure {
  const unsure = operation.kind === 'change' ? ' It may still be done: look before trying again.' : '';
  return new Failure('timeout', `Flowise did not ${operation.does} within ${timeoutMs / 1000} seconds.${unsure}`, {
    details: { timeout_seconds: timeoutMs / 1000 },
  });
}

export function cancelled(reason: unknown): Failure {
  return reason instanceof Failure ? reason : new Failure('cancelled', 'The call was cancelled', { cause: reason });
}

/** Errors of happy eyeballs come as a bundle: the first one's code speaks for all. */
function codeOf(error: unknown): string | undefined {
  if (error === null || typeof error !== 'object') return undefined;
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  if (Array.isArray(errors)) return codeOf(errors[0]);
  return cause === undefined ? undefined : codeOf(cause);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import { APICallError, RetryError } from 'ai';
import { PROVIDER_DEFAULTS, type RemoteProvider } from '../providers.ts';

export interface AttemptOptions {
  provider: RemoteProvider;
  model: string;
  signal?: AbortSignal | undefined;
  /** For one attempt. */
  timeoutMs?: number;
  attempts?: number;
  /** The first wait; it doubles with each attempt. */
  waitMs?: number;
}

const LONGEST_WAIT_MS = 30_000;

// The SDK would write its warnings to the console, and stdout belongs to the protocol.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** Tries again what may work later, waiting longer each time; says in our own words what will not. */
export async function attempt<Result>(options: AttemptOptions, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { attempts = 4, waitMs = 500, timeoutMs = 60_000, signal } = options;
  for (let count = 1; ; count++) {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await work(signal ? AbortSignal.any([signal, timeout]) : timeout);
    } catch (error) {
      signal?.throwIfAborted();
      const call = callErrorOf(error);
      if (count >= attempts || !mayWorkLater(call, timeout.aborted, error)) throw failureOf(options, call, timeout.aborted, error);
      await sleep(Math.min(LONGEST_WAIT_MS, retryAfterMs(call) ?? waitMs * 2 ** (count - 1)), undefined, signal ? { signal } : {});
    }
  }
}

export function callErrorOf(error: unknown): APICallError | undefined {
  if (APICallError.isInstance(error)) return error;
  if (RetryError.isInstance(error)) return callErrorOf(error.lastError);
  return undefined;
}

export function mayWorkLater(call: APICallError | undefined, timedOut: boolean, error: unknown): boolean {
  if (timedOut) return true;
  if (!call) return error instanceof TypeError;
  const { statusCode } = call;
  return statusCode === undefined || statusCode === 408 || statusCode === 409 || statusCode === 429 || statusCode >= 500;
}

export function retryAfterMs(call: APICallError | undefined): number | undefined {
  const header = call?.responseHeaders?.['retry-after'];
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const until = Date.parse(header);
  return Number.isNaN(until) ? undefined : Math.max(0, until - Date.now());
}

export function failureOf(
  { provider, model }: Pick<AttemptOptions, 'provider' | 'model'>,
  call: APICallError | undefined,
  timedOut: boolean,
  cause: unknown,
): Failure {
  if (cause instanceof Failure) return cause;
  const { title, required } = PROVIDER_DEFAULTS[provider];
  const variable = (required.at(-1) as readonly string[])[0] as string;
  const status = call?.statusCode;
  const details = { provider, model, ...(status !== undefined && { status }) };
  if (timedOut) return new Failure('timeout', `${title} did not answer in time`, { details, cause });
  if (status === 401 || status === 403 || /api[ _]key/i.test(call?.responseBody ?? '')) {
    return new Failure('unavailable', `${title} does not accept the credentials, or they may not use the model "${model}"`, {
      details,
      fix: { instruction: `Check ${variable} and what it is allowed to use` },
      cause,
    });
  }
  if (status === 404 || /model (?:identifier is invalid|not found)|model_not_found/i.test(call?.responseBody ?? '')) {
    return new Failure('unavailable', `${title} has no model named "${model}"`, {
      details,
      fix: { instruction: 'Correct the model in the configuration, or leave it out to use the default' },
      cause,
    });
  }
  if (status === 429) {
    return new Failure('upstream', `${title} refuses further requests: a quota or rate limit is used up`, {
      details,
      fix: { instruction: 'Wait and try again, or raise the quota with the provider; what was done so far is kept' },
      cause,
    });
  }
  if (status !== undefined) return new Failure('upstream', `${title} answered with status ${status}`, { details, cause });
  if (cause instanceof TypeError || call) {
    return new Failure('unavailable', `${title} cannot be reached`, {
      details,
      fix: { instruction: 'Check the network and the address' },
      cause,
    });
  }
  return new Failure('upstream', `${title} gave an answer that could not be used`, { details, cause });
}

import { Failure } from '@millrace/kernel';
import { waitOf } from './client.ts';

/** A reply as far as it says whether the server behind the address serves at all. */
export interface Served {
  status: number;
  /** The value of its Retry-After header. */
  retryAfter: string | undefined;
}

/** Who answered: as a sentence begins with it, and in short. */
export interface Server {
  sentence: string;
  name: string;
  details?: Record<string, unknown>;
}

const DEFAULT_WAIT_MS = 60_000;

/** What a status alone says, whoever answers: too many requests, or nobody behind the proxy. Undefined for any other. */
export function notServed({ status, retryAfter }: Served, { sentence, name, details }: Server, now: number): Failure | undefined {
  if (status === 429) {
    const retryAfterMs = waitOf(retryAfter, now) ?? DEFAULT_WAIT_MS;
    const seconds = Math.ceil(retryAfterMs / 1000);
    return new Failure('rate_limited', `${sentence} has had too many requests: wait ${seconds} seconds, then try again`, {
      details: { ...details, retryAfterMs, retry_after_seconds: seconds },
    });
  }
  if (status !== 502 && status !== 503 && status !== 504) return undefined;
  return new Failure('unavailable', `${sentence} is unavailable (status ${status})`, {
    details: { ...details, status },
    fix: { instruction: `Wait until ${name} has started; if it has, look at the proxy in front of it` },
  });
}

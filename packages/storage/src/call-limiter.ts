import { Failure, type Limiter, type Limits } from '@millrace/kernel';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

const MINUTE_S = 60;
const MAX_WAIT_S = 16 * MINUTE_S;
const CONCURRENCY_RETRY_MS = 1_000;

/** Where the counts live: in this process, or in the database that replicas share. */
export interface LimitCounts {
  /** Counts the calls of a minute, up to a limit. */
  perMinute(points: number): Promise<RateLimiterAbstract>;
  /** Claims a slot for a running call; undefined when all are in use. */
  takePlace(userId: string, tool: string, places: number): Promise<(() => void) | undefined>;
}

/** The published limits: calls per minute, a burst beyond that, and concurrent calls. */
export class CallLimiter implements Limiter {
  readonly #counts: LimitCounts;

  constructor(counts: LimitCounts) {
    this.#counts = counts;
  }

  async enter(userId: string, tool: string, limits: Limits): Promise<() => void> {
    const leave = limits.concurrent === undefined ? () => {} : await this.#place(userId, tool, limits.concurrent);
    try {
      if (limits.perMinute !== undefined) await this.#consume(userId, tool, limits, limits.perMinute);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async #place(userId: string, tool: string, places: number): Promise<() => void> {
    const leave = await this.#counts.takePlace(userId, tool, places);
    if (leave) return leave;
    throw new Failure('rate_limited', `${places} calls of ${tool} are already running, which is the most at a time`, {
      details: { retryAfterMs: CONCURRENCY_RETRY_MS, limit: 'concurrent', concurrent: places },
      fix: { instruction: 'Wait until one of them has finished, then call again', why: 'A paused session does not count' },
    });
  }

  async #consume(userId: string, tool: string, limits: Limits, perMinute: number): Promise<void> {
    const points = perMinute + (limits.burst ?? 0);
    const limiter = await this.#counts.perMinute(points);
    const key = `${tool}:${userId}`;
    let refused: RateLimiterRes;
    try {
      await limiter.consume(key);
      return;
    } catch (reason) {
      if (reason instanceof Error) throw reason;
      refused = reason as RateLimiterRes;
    }
    let retryAfterMs = refused.msBeforeNext;
    if (limits.progressiveBackoff) {
      const refusals = refused.consumedPoints - points;
      const waitS = Math.min(MINUTE_S * 2 ** (refusals - 1), MAX_WAIT_S);
      await limiter.set(key, refused.consumedPoints, waitS);
      retryAfterMs = waitS * 1000;
    }
    throw tooMany(tool, perMinute, retryAfterMs, limits.progressiveBackoff ?? false);
  }
}

function tooMany(tool: string, perMinute: number, retryAfterMs: number, doubling: boolean): Failure {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new Failure('rate_limited', `${tool} takes ${perMinute} calls a minute. Try again in ${seconds} seconds`, {
    details: { retryAfterMs, limit: 'perMinute', perMinute },
    fix: {
      instruction: `Wait ${seconds} seconds, then call again`,
      ...(doubling && { why: 'Each call before that doubles the wait' }),
    },
  });
}

/** Counts in this process: enough for one machine. */
export class MemoryLimitCounts implements LimitCounts {
  readonly #limiters = new Map<number, RateLimiterAbstract>();
  readonly #running = new Map<string, number>();

  async perMinute(points: number): Promise<RateLimiterAbstract> {
    const { default: RateLimiterMemory } = await import('rate-limiter-flexible/lib/RateLimiterMemory.js');
    const known = this.#limiters.get(points);
    if (known) return known;
    const limiter = new RateLimiterMemory({ points, duration: 60 });
    this.#limiters.set(points, limiter);
    return limiter;
  }

  async takePlace(userId: string, tool: string, places: number): Promise<(() => void) | undefined> {
    const key = `${tool}:${userId}`;
    const running = this.#running.get(key) ?? 0;
    if (running >= places) return undefined;
    this.#running.set(key, running + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const others = (this.#running.get(key) ?? 1) - 1;
      if (others === 0) this.#running.delete(key);
      else this.#running.set(key, others);
    };
  }
}

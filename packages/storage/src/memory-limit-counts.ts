import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { LimitCounts } from './call-limiter.ts';

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

import { createHash } from 'node:crypto';
import type { Clock } from '@millrace/kernel';
import type { Judgement, Verdict } from './verdict.ts';

const KEPT_MS = 5_000;
const MAX_ENTRIES = 1_000;

/** Verdicts of the last five seconds. */
export class VerdictCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { until: number; verdict: Verdict }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async through(judgement: Judgement, judge: () => Promise<Verdict>): Promise<Verdict> {
    const key = keyOf(judgement);
    const now = this.#clock.now().getTime();
    const entry = this.#entries.get(key);
    if (entry && now < entry.until) return entry.verdict;
    const verdict = await judge();
    this.#entries.delete(key);
    this.#entries.set(key, { until: this.#clock.now().getTime() + KEPT_MS, verdict });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES) break;
      this.#entries.delete(oldest);
    }
    return verdict;
  }
}

function keyOf({ condition, message, summary, variables, examples }: Judgement): string {
  return createHash('sha256')
    .update(JSON.stringify([condition, message, summary, variables, examples]))
    .digest('hex');
}

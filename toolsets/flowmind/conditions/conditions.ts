import { createHash } from 'node:crypto';
import type { Clock } from '@millrace/kernel';
import { judgedByExamples } from './examples.ts';
import { judgedByExpression } from './expressions.ts';
import { judgedByModel } from './model.ts';
import { judgedByPredicate } from './predicates.ts';
import type { ConditionPorts, Judgement, Rung, Verdict } from './verdict.ts';

export type { ConditionPorts, Judgement, Verdict } from './verdict.ts';

const LADDER: readonly Rung[] = [judgedByExpression, judgedByPredicate, judgedByExamples, judgedByModel];

/** Decides conditions in words, by the first evaluator that can: never a guess dressed as confidence. */
export class Conditions {
  readonly #ports: ConditionPorts;
  readonly #cache: VerdictCache;

  constructor(ports: ConditionPorts) {
    this.#ports = ports;
    this.#cache = new VerdictCache(ports.clock);
  }

  /** The same judgement within five seconds is answered from the cache. */
  async judge(judgement: Judgement): Promise<Verdict> {
    return this.#cache.through(judgement, () => this.#climb(judgement));
  }

  async #climb(judgement: Judgement): Promise<Verdict> {
    let unsure: Verdict | undefined;
    for (const rung of LADDER) {
      const verdict = await rung(judgement, this.#ports);
      if (verdict?.status === 'decided') return verdict;
      unsure = verdict ?? unsure;
    }
    if (unsure && unsure.evaluator !== 'predicate') return unsure;
    return {
      result: null,
      status: 'needs_judgement',
      confidence: 0,
      evaluator: unsure?.evaluator ?? 'none',
      reasoning: unsure?.reasoning ?? 'No evaluator of this server can decide this condition; the calling assistant can.',
      evidence: unsure?.evidence ?? [],
    };
  }
}

const KEPT_MS = 5_000;
const MAX_ENTRIES = 1_000;

/** Verdicts of the last five seconds. */
class VerdictCache {
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

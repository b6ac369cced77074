import { createHash } from 'node:crypto';
import { judgedByExamples } from './examples.ts';
import { judgedByExpression } from './expressions.ts';
import { judgedByModel } from './model.ts';
import { judgedByPredicate } from './predicates.ts';
import type { ConditionPorts, Judgement, Rung, Verdict } from './verdict.ts';

export type { ConditionPorts, Judgement, Verdict } from './verdict.ts';

const REMEMBERED_MS = 5_000;
const MOST_REMEMBERED = 1_000;

const LADDER: readonly Rung[] = [judgedByExpression, judgedByPredicate, judgedByExamples, judgedByModel];

/** Decides conditions in words, by the first evaluator that can: never a guess dressed as confidence. */
export class Conditions {
  readonly #ports: ConditionPorts;
  readonly #recent = new Map<string, { until: number; verdict: Verdict }>();

  constructor(ports: ConditionPorts) {
    this.#ports = ports;
  }

  /** The same judgement within five seconds gets the same verdict. */
  async judge(judgement: Judgement): Promise<Verdict> {
    const key = keyOf(judgement);
    const now = () => this.#ports.clock.now().getTime();
    const recent = this.#recent.get(key);
    if (recent && now() < recent.until) return recent.verdict;
    const verdict = await this.#climb(judgement);
    this.#recent.delete(key);
    this.#recent.set(key, { until: now() + REMEMBERED_MS, verdict });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MOST_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
    return verdict;
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

function keyOf({ condition, message, summary, variables, examples }: Judgement): string {
  return createHash('sha256')
    .update(JSON.stringify([condition, message, summary, variables, examples]))
    .digest('hex');
}

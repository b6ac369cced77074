import { judgedByExamples } from './examples.ts';
import { judgedByExpression } from './expressions.ts';
import { judgedByModel } from './model.ts';
import { judgedByPredicate } from './predicates.ts';
import type { ConditionPorts, Judgement, Rung, Verdict } from './verdict.ts';
import { VerdictCache } from './verdict-cache.ts';

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

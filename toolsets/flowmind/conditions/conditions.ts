import type { Clock } from '@millrace/kernel';
import type { Embedder, Generator } from '@millrace/models';
import { judgedByExamples } from './examples.ts';
import { judgedByExpression } from './expressions.ts';
import { judgedByModel } from './model.ts';
import { judgedByPredicate } from './predicates.ts';
import { VerdictCache } from './verdict-cache.ts';

export type Evaluator = 'expression' | 'predicate' | 'examples' | 'model' | 'caller' | 'none';

export interface Verdict {
  result: boolean | null;
  status: 'decided' | 'unknown' | 'needs_judgement';
  confidence: number;
  evaluator: Evaluator;
  reasoning: string;
  evidence: string[];
}

export interface Judgement {
  condition: string;
  /** What it is judged about. */
  message: string;
  summary?: string | undefined;
  variables: Readonly<Record<string, unknown>>;
  examples?: { holds: string[]; fails: string[] } | undefined;
  signal: AbortSignal;
  /** Called with the milliseconds that a language model took. */
  spent(ms: number): void;
}

export interface ConditionPorts {
  clock: Clock;
  embedder: Embedder | undefined;
  generator: Generator | undefined;
}

/** A rung of the ladder: a verdict, or undefined when the condition is not its business. */
export type Rung = (judgement: Judgement, ports: ConditionPorts) => Promise<Verdict | undefined> | Verdict | undefined;

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

export function decided(evaluator: Evaluator, result: boolean, confidence: number, reasoning: string, evidence: string[] = []): Verdict {
  return { result, status: 'decided', confidence: Math.round(confidence * 100) / 100, evaluator, reasoning, evidence };
}

export function unknown(evaluator: Evaluator, reasoning: string, evidence: string[] = []): Verdict {
  return { result: null, status: 'unknown', confidence: 0, evaluator, reasoning, evidence };
}

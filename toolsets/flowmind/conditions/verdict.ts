import type { Clock } from '@millrace/kernel';
import type { Embedder, Generator } from '@millrace/models';

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
}

export interface ConditionPorts {
  clock: Clock;
  embedder: Embedder | undefined;
  generator: Generator | undefined;
}

/** A rung of the ladder: a verdict, or undefined when the condition is not its business. */
export type Rung = (judgement: Judgement, ports: ConditionPorts) => Promise<Verdict | undefined> | Verdict | undefined;

export function decided(evaluator: Evaluator, result: boolean, confidence: number, reasoning: string, evidence: string[] = []): Verdict {
  return { result, status: 'decided', confidence: Math.round(confidence * 100) / 100, evaluator, reasoning, evidence };
}

export function unknown(evaluator: Evaluator, reasoning: string, evidence: string[] = []): Verdict {
  return { result: null, status: 'unknown', confidence: 0, evaluator, reasoning, evidence };
}

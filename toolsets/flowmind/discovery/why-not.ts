import type { Candidate } from './discovery.ts';
import type { NearMiss } from './request.ts';

const MOST = 5;

/** Contexts that came close and are not offered, with the reason. */
export function whyNot(candidates: readonly Candidate[], offered: ReadonlySet<string>, leftOut: readonly Candidate[]): NearMiss[] {
  const filtered = leftOut
    .filter((candidate) => candidate.fitness >= 0 && !offered.has(candidate.context.uri))
    .slice(0, 2)
    .map((candidate) => nearMiss(candidate, `It is of type ${candidate.context.type}, which type_filter leaves out`));
  const others = candidates
    .filter((candidate) => !offered.has(candidate.context.uri))
    .slice(0, MOST)
    .map((candidate) => nearMiss(candidate, reasonOf(candidate, offered.size > 0)));
  return [...filtered, ...others].slice(0, MOST);
}

function nearMiss(candidate: Candidate, reason: string): NearMiss {
  return { uri: candidate.context.uri, name: candidate.context.name, confidence: rounded(candidate.confidence), reason };
}

function reasonOf({ context, fitness, confidence }: Candidate, offering: boolean): string {
  const example = context.examples[0] ?? context.description;
  if (fitness < 0) return `Too far away (${rounded(confidence)}, 0.5 is needed): it is for requests such as "${example.slice(0, 120)}"`;
  return offering ? 'Other contexts fit better' : 'It fits, but not clearly';
}

export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

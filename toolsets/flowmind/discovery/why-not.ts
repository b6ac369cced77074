import type { Candidate } from './discovery.ts';
import type { NearMiss } from './request.ts';

const MOST = 5;
/** What is further away than this came not close; the nearest one is named all the same. */
const FAINTEST = 0.1;
const SHOWN = 120;

/** Contexts that came close and are not offered, with the reason. */
export function whyNot(candidates: readonly Candidate[], offered: ReadonlySet<string>, leftOut: readonly Candidate[]): NearMiss[] {
  const filtered = leftOut
    .filter((candidate) => candidate.fitness >= 0 && !offered.has(candidate.context.uri))
    .slice(0, 2)
    .map((candidate) => nearMiss(candidate, `It is of type ${candidate.context.type}, which type_filter leaves out`));
  const others = candidates
    .filter((candidate) => !offered.has(candidate.context.uri))
    .filter(({ confidence }, at) => at === 0 || confidence >= FAINTEST)
    .slice(0, MOST)
    .map((candidate) => nearMiss(candidate, reasonOf(candidate, offered.size > 0)));
  return [...filtered, ...others].slice(0, MOST);
}

function nearMiss(candidate: Candidate, reason: string): NearMiss {
  return { uri: candidate.context.uri, name: candidate.context.name, confidence: rounded(candidate.confidence), reason };
}

function reasonOf({ context, fitness, confidence }: Candidate, offering: boolean): string {
  const [example] = context.examples;
  const purpose =
    example === undefined ? `it says of itself: "${clipped(context.description)}"` : `it is for requests such as "${clipped(example)}"`;
  if (fitness < 0) return `Too far away (${rounded(confidence)}, 0.5 is needed): ${purpose}`;
  return offering ? 'Other contexts fit better' : 'It fits, but not clearly';
}

function clipped(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).replace(/\s+\S*$/, '')} …`;
}

export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

import { MEASURE } from './terms.ts';

export const MEASURES: readonly string[] = Object.keys(MEASURE);

const NEGATIONS = new Set([
  'not',
  'no',
  'never',
  'without',
  "isn't",
  "wasn't",
  "aren't",
  "don't",
  "doesn't",
  "didn't",
  "can't",
  'cannot',
  "won't",
  'hardly',
  'nothing',
  'neither',
  'nor',
  "ain't",
  "wouldn't",
  "haven't",
  "hasn't",
]);
/** Negations that are no negation of what follows. */
const NOT_ONLY = /\bnot only\b|\bno doubt\b|\bnot just\b/g;
const REACH = 3;

export interface Signals {
  for: { term: string; weight: number }[];
  against: { term: string; weight: number }[];
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .replace(NOT_ONLY, ' ')
      .match(/[\p{L}\p{N}']+|[.!?;,]/gu) ?? []
  );
}

/** The terms of a text that speak for and against a measure; a negated term changes sides. */
export function signalsOf(text: string, measure: string): Signals {
  const found: Signals = { for: [], against: [] };
  const { terms, opposite } = MEASURE[measure] ?? { terms: {}, opposite: {} };
  const words = wordsOf(text);
  for (const [side, other, list] of [
    ['for', 'against', terms],
    ['against', 'for', opposite],
  ] as const) {
    for (const [term, weight] of Object.entries(list)) {
      for (const at of placesOf(words, term.split(' '))) {
        const negated = !NEGATIONS.has(term) && isNegatedAt(words, at);
        found[negated ? other : side].push({ term: negated ? `not ${term}` : term, weight: negated ? weight * 0.8 : weight });
      }
    }
  }
  return withoutCovered(found);
}

function* placesOf(words: string[], term: string[]): Generator<number> {
  for (let at = 0; at + term.length <= words.length; at++) if (term.every((word, index) => words[at + index] === word)) yield at;
}

/** A negation a few words before, in the same clause. */
function isNegatedAt(words: string[], at: number): boolean {
  let count = 0;
  for (let index = at - 1; index >= 0 && index >= at - REACH; index--) {
    const word = words[index] as string;
    if (/^[.!?;,]$/.test(word) || word === 'but') break;
    if (NEGATIONS.has(word)) count++;
  }
  return count % 2 === 1;
}

/** "not urgent" is one term, not "urgent" as well. */
function withoutCovered(signals: Signals): Signals {
  const all = [...signals.for, ...signals.against].map((each) => each.term);
  const isCovered = (term: string) =>
    all.some((other) => other !== term && other.split(' ').length > term.split(' ').length && other.includes(term));
  return { for: signals.for.filter((each) => !isCovered(each.term)), against: signals.against.filter((each) => !isCovered(each.term)) };
}

export function weightOf(signals: readonly { weight: number }[]): number {
  return signals.reduce((sum, each) => sum + each.weight, 0);
}

/** How strongly a text shows the measure, from 0 to 1. */
export function analyze(text: string, measure: string): number {
  const signals = signalsOf(text, measure);
  const strength = Math.max(0, weightOf(signals.for) - weightOf(signals.against));
  return Math.round((1 - Math.exp(-strength)) * 100) / 100;
}

export function isNegated(text: string): boolean {
  return wordsOf(text).filter((word) => NEGATIONS.has(word)).length % 2 === 1;
}

import type { ContextIndex, RawScores } from '../index/context-index.ts';
import { DESCRIPTION_WORTH } from '../index/context-texts.ts';

/** What is known about all contexts together, measured on their own examples. */
export interface Fit {
  /** Examples that it was measured on; 0 for the starting values. */
  measured: number;
  /** Whether requests are compared by meaning too, or by their words only. */
  semantic: boolean;
  /** How much the words count beside the meaning. */
  lexicalWeight: number;
  /** The mean cosine of two examples of one context, and of an example with its context's description. */
  alike: number;
  described: number;
  /** Below it, a request is outside every context. */
  threshold: number;
  /** The same for contexts that have a description only. */
  descriptionThreshold: number;
  /** Half of the requests that belong to a context score more than threshold + typical. */
  typical: number;
  /** Two contexts whose scores differ by less than this are mistaken for each other too often to choose for the caller. */
  margin: number;
}

/** Starting values: measured over everyday requests with MiniLM, used until there are examples to measure on. */
export const UNFITTED: Fit = {
  measured: 0,
  semantic: true,
  lexicalWeight: 0.35,
  alike: 0.4,
  described: 0.45,
  threshold: 0.5,
  descriptionThreshold: 0.36,
  typical: 0.25,
  margin: 0.03,
};

/** The same for words alone. */
export const UNFITTED_WORDS: Fit = {
  ...UNFITTED,
  semantic: false,
  lexicalWeight: 1,
  threshold: 0.1,
  descriptionThreshold: 0.08,
  typical: 0.2,
};

const REFERENCE_EXAMPLES = 10;

/** How near a fitting request is expected to be to a context with this number of examples. */
export function expectedNearness(examples: number, { alike, described }: Pick<Fit, 'alike' | 'described'>): number {
  const worth = DESCRIPTION_WORTH;
  const toward = examples * alike + worth * described;
  const square = examples + examples * (examples - 1) * alike + worth * worth + 2 * worth * examples * described;
  return toward / Math.sqrt(square);
}

/**
 * What is subtracted from the score of each slot, so that one scale with its threshold at 0 holds for all contexts: the threshold,
 * and what the number of examples adds to every score. Slots of removed contexts can never be reached.
 */
export function handicaps(index: ContextIndex, fit: Fit): Float32Array {
  const expected = nearnessByExamples(fit);
  const reference = expected(REFERENCE_EXAMPLES);
  const handicap = new Float32Array(index.capacity);
  for (let slot = 0; slot < handicap.length; slot++) {
    const examples = index.examplesAt(slot);
    const threshold = examples > 0 ? fit.threshold : fit.descriptionThreshold;
    if (index.uriAt(slot) === undefined) handicap[slot] = Number.POSITIVE_INFINITY;
    else if (!fit.semantic) handicap[slot] = threshold;
    else if (!index.embeddedAt(slot)) handicap[slot] = UNFITTED_WORDS.threshold * fit.lexicalWeight;
    else handicap[slot] = threshold + (examples > 0 ? expected(examples) - reference : 0);
  }
  return handicap;
}

/** Scores that differ by less than this support each other. */
const NEIGHBOURHOOD = 0.05;

/**
 * How well a request fits each context. A request near several contexts is more likely to belong to one of them than a request
 * that is near a single one by chance: neighbours of the best context lift all scores.
 */
export function fitnesses({ semantic, lexical }: RawScores, handicap: Float32Array, fit: Fit): Float32Array {
  const fitness = new Float32Array(handicap.length);
  const meaning = fit.semantic ? 1 : 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < fitness.length; slot++) {
    const value = meaning * (semantic[slot] ?? 0) + fit.lexicalWeight * (lexical[slot] ?? 0) - (handicap[slot] ?? 0);
    fitness[slot] = value;
    if (value > best) best = value;
  }
  if (!fit.semantic || !Number.isFinite(best)) return fitness;
  const support = supportOf(fitness, best);
  for (let slot = 0; slot < fitness.length; slot++) fitness[slot] = (fitness[slot] ?? 0) + support;
  return fitness;
}

function supportOf(fitness: Float32Array, best: number): number {
  const least = best - 8 * NEIGHBOURHOOD;
  let sum = 0;
  for (const value of fitness) {
    if (value > least) sum += Math.exp((value - best) / NEIGHBOURHOOD);
  }
  return NEIGHBOURHOOD * Math.log(Math.max(1, sum));
}

function nearnessByExamples(fit: Fit): (examples: number) => number {
  const known = new Map<number, number>();
  return (examples) => {
    const nearness = known.get(examples) ?? expectedNearness(examples, fit);
    known.set(examples, nearness);
    return nearness;
  };
}

/** From 0 to 1, one half at the threshold; a typical fitting request is at 0.87. */
export function confidenceOf(fitness: number, fit: Fit): number {
  return 1 / (1 + Math.exp((-1.9 * fitness) / fit.typical));
}

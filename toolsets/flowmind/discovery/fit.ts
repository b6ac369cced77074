import type { ContextIndex, RawScores } from './context-index.ts';

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
  /** Below it, a request is outside of all contexts. */
  threshold: number;
  /** The same for contexts that have a description only. */
  descriptionThreshold: number;
  /** Half of the requests that belong to a context score more than threshold + typical. */
  typical: number;
  /** Two contexts whose scores differ by less than this are mistaken for each other too often to choose for the caller. */
  margin: number;
}

/** Starting values: measured over everyday requests with MiniLM, used until the contexts' own examples say better. */
export const UNFITTED: Fit = {
  measured: 0,
  semantic: true,
  lexicalWeight: 0.35,
  alike: 0.4,
  described: 0.45,
  threshold: 0.45,
  descriptionThreshold: 0.22,
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

/** A description says as much about a context as this many examples. */
export const DESCRIPTION_WORTH = 2;

const COHESION_WEIGHT = 0.2;
const REFERENCE_EXAMPLES = 10;

/** How near a fitting request is expected to be to a context with so many examples. */
export function expectedNearness(examples: number, { alike, described }: Pick<Fit, 'alike' | 'described'>): number {
  const worth = DESCRIPTION_WORTH;
  const toward = examples * alike + worth * described;
  const square = examples + examples * (examples - 1) * alike + worth * worth + 2 * worth * examples * described;
  return toward / Math.sqrt(square);
}

/** One number for how well a request fits a context; the same scale for all contexts, the threshold at 0. */
export function fitting(slot: number, { semantic, lexical }: RawScores, index: ContextIndex, fit: Fit): number {
  const words = fit.lexicalWeight * (lexical[slot] as number);
  if (!fit.semantic || !index.embeddedAt(slot))
    return words - (fit.semantic ? UNFITTED_WORDS.threshold * fit.lexicalWeight : thresholdFor(slot, index, fit));
  return adjusted(slot, (semantic[slot] as number) + words, index, fit) - thresholdFor(slot, index, fit);
}

/** Takes back part of what a context's own tightness, or its number of examples, adds to every score on it. */
export function adjusted(slot: number, score: number, index: ContextIndex, fit: Fit): number {
  const examples = index.examplesAt(slot);
  const reference = expectedNearness(REFERENCE_EXAMPLES, fit);
  const expected = expectedNearness(examples, fit);
  const own = examples > 0 ? index.cohesionAt(slot) - expected : 0;
  const fewer = examples > 0 ? expected - reference : 0;
  return score - COHESION_WEIGHT * own - fewer;
}

function thresholdFor(slot: number, index: ContextIndex, fit: Fit): number {
  return index.examplesAt(slot) > 0 ? fit.threshold : fit.descriptionThreshold;
}

/** From 0 to 1, one half at the threshold; a typical fitting request is at 0.87. */
export function confidenceOf(fitness: number, fit: Fit): number {
  return 1 / (1 + Math.exp((-1.9 * fitness) / fit.typical));
}

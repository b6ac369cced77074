import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ContextIndex, RawScores } from './context-index.ts';
import { type Fit, fitnesses, handicaps, UNFITTED, UNFITTED_WORDS } from './fit.ts';
import { product, squareOf } from './lexical-index.ts';
import { dot } from './vectors.ts';

/** An example of a context, treated as a request that the context has never seen. */
export interface HeldOut {
  slot: number;
  grams: readonly number[];
  /** Of the context, this example among them. */
  sentences: readonly number[][];
  meaning: { vector: Float32Array; without: Float32Array; description: Float32Array; likeness: number } | undefined;
}

const LEXICAL_WEIGHTS = [0.2, 0.35, 0.5, 0.7];
const SHARPNESS = 0.05;
const LOST = 0.065;
/** Words alone separate worse: more requests that would fit are given up, so that fewer that do not are offered something. */
const LOST_BY_WORDS = 0.25;
const LOST_DESCRIPTIONS = 0.25;
const TOSS_UP = 0.6;
/** However well examples are told apart: a caller's own words vary more. */
const LEAST_MARGIN = 0.03;
/** Starting values weigh as much as this many measured examples. */
const PRIOR = 30;
const SCANNED_BEFORE_YIELDING = 20_000;

interface Trial {
  slot: number;
  scores: RawScores;
}

/** Every example in turn is taken out of its context and searched for: what separates right from wrong is measured, not guessed. */
export async function measureFit(index: ContextIndex, examples: readonly HeldOut[], semantic: boolean): Promise<Fit> {
  const start = semantic ? UNFITTED : UNFITTED_WORDS;
  if (examples.length === 0) return start;
  const trials: Trial[] = [];
  let scanned = 0;
  for (const example of examples) {
    trials.push({ slot: example.slot, scores: withoutItself(index, example) });
    scanned += index.capacity;
    if (scanned > SCANNED_BEFORE_YIELDING) {
      scanned = 0;
      await nextTurn();
    }
  }
  const trust = examples.length / (examples.length + PRIOR);
  const blend = (measured: number, prior: number) => trust * measured + (1 - trust) * prior;
  const meanings = examples.flatMap((example) => example.meaning ?? []);
  const likeness = {
    alike: blend(mean(meanings.map((meaning) => meaning.likeness)) ?? start.alike, start.alike),
    described: blend(mean(meanings.map((meaning) => dot(meaning.vector, meaning.description))) ?? start.described, start.described),
  };
  const base: Fit = { ...start, ...likeness, measured: examples.length };
  const fit = { ...base, lexicalWeight: semantic ? await bestWeight(trials, index, base) : 1 };
  const taken = unthresholded(index, fit);
  const outcomes = trials.map((trial) => outcomeOf(trial, index, taken, fit));
  const best = outcomes.map((outcome) => outcome.best).sort(ascending);
  const lost = semantic ? LOST : LOST_BY_WORDS;
  const threshold = blend(quantile(best, lost), start.threshold);
  const descriptions = meanings.map((meaning) => dot(meaning.vector, meaning.description)).sort(ascending);
  return {
    ...fit,
    threshold,
    descriptionThreshold:
      descriptions.length > 0 ? blend(quantile(descriptions, LOST_DESCRIPTIONS), start.descriptionThreshold) : start.descriptionThreshold,
    typical: Math.max(0.05, blend(quantile(best, 0.5) - quantile(best, lost), start.typical)),
    margin: Math.max(LEAST_MARGIN, blend(tossUpMargin(outcomes), start.margin)),
  };
}

function withoutItself(index: ContextIndex, example: HeldOut): RawScores {
  const scores = index.scores(example.meaning?.vector, example.grams);
  if (example.meaning) scores.semantic[example.slot] = dot(example.meaning.without, example.meaning.vector);
  const own = index.lexical.vector(example.grams);
  const sum = index.lexical.sum(example.sentences);
  const shared = product(own, sum);
  const ownSquare = squareOf(own);
  const rest = squareOf(sum) - 2 * shared + ownSquare;
  scores.lexical[example.slot] = rest > 1e-9 ? (shared - ownSquare) / Math.sqrt(rest) : 0;
  return scores;
}

/** The weight under which the right contexts are the most likely ones. */
async function bestWeight(trials: readonly Trial[], index: ContextIndex, base: Fit): Promise<number> {
  let best = { lexicalWeight: base.lexicalWeight, likelihood: Number.NEGATIVE_INFINITY };
  for (const lexicalWeight of LEXICAL_WEIGHTS) {
    const fit = { ...base, lexicalWeight };
    const taken = unthresholded(index, fit);
    let sum = 0;
    for (const [at, trial] of trials.entries()) {
      sum += likelihood(trial, index, taken, fit);
      if (at % Math.ceil(SCANNED_BEFORE_YIELDING / index.capacity) === 0) await nextTurn();
    }
    if (sum > best.likelihood) best = { lexicalWeight, likelihood: sum };
  }
  return best.lexicalWeight;
}

/** While the thresholds are being measured, they are not taken off. */
function unthresholded(index: ContextIndex, fit: Fit): Float32Array {
  return handicaps(index, { ...fit, threshold: 0, descriptionThreshold: 0 });
}

function likelihood({ slot, scores }: Trial, index: ContextIndex, taken: Float32Array, fit: Fit): number {
  const fitness = fitnesses(scores, taken, fit);
  const own = fitness[slot] as number;
  let sum = 0;
  for (let other = 0; other < fitness.length; other++) {
    const ahead = (fitness[other] as number) - own;
    if (ahead > -10 * SHARPNESS && index.uriAt(other) !== undefined) sum += Math.exp(ahead / SHARPNESS);
  }
  return -Math.log(Math.max(1, sum));
}

interface Outcome {
  best: number;
  margin: number;
  right: boolean;
}

/** Contexts with a description only are left out: their scores are on another scale. */
function outcomeOf({ slot, scores }: Trial, index: ContextIndex, taken: Float32Array, fit: Fit): Outcome {
  const fitness = fitnesses(scores, taken, fit);
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let bestSlot = -1;
  for (let other = 0; other < index.capacity; other++) {
    if (index.uriAt(other) === undefined || index.examplesAt(other) === 0) continue;
    const score = fitness[other] as number;
    if (score > best) {
      second = best;
      best = score;
      bestSlot = other;
    } else if (score > second) second = score;
  }
  return { best, margin: best - second, right: bestSlot === slot };
}

/** Up to this margin the first of two close contexts is right hardly more often than a coin: read off a sliding window. */
function tossUpMargin(outcomes: readonly Outcome[]): number {
  const sorted = outcomes.filter((outcome) => Number.isFinite(outcome.margin)).sort((a, b) => a.margin - b.margin);
  const width = Math.max(20, Math.floor(sorted.length / 20));
  let margin = 0;
  for (let from = 0; from + width <= sorted.length; from += Math.ceil(width / 4)) {
    const window = sorted.slice(from, from + width);
    if (window.filter((outcome) => outcome.right).length / width > TOSS_UP) break;
    margin = window[Math.floor(width / 2)]?.margin ?? margin;
  }
  return Math.min(margin, 0.1);
}

function mean(values: readonly number[]): number | undefined {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;
}

function ascending(a: number, b: number): number {
  return a - b;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

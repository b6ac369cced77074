import { type ContextIndex, dot } from '../index/context-index.ts';
import { type Fit, fitnesses, handicaps, UNFITTED, UNFITTED_WORDS } from './fit.ts';
import { type HeldOut, type Pause, runTrials, SCANNED_BEFORE_PAUSE, type Trial } from './held-out.ts';
import { separateRivals } from './separate-rivals.ts';

const LEXICAL_WEIGHTS = [0.2, 0.35, 0.5, 0.7];
const SHARPNESS = 0.05;
const LOST = 0.085;
/** Words alone separate worse: more fitting requests are given up, so that fewer others are offered something. */
const LOST_BY_WORDS = 0.25;
const LOST_DESCRIPTIONS = 0.3;
const TOSS_UP = 0.6;
/** However well the examples can be told apart, a caller's own words vary more. */
const LEAST_MARGIN = 0.03;
/** Starting values weigh as much as this many measured examples. */
const PRIOR = 30;

export interface Measured {
  fit: Fit;
  /** By how much the directions of contexts are to be turned. */
  turns: ReadonlyMap<number, Float32Array>;
}

/** What separates right from wrong is measured, not guessed: every example in turn is taken out of its context and searched for. */
export async function measureFit(index: ContextIndex, examples: readonly HeldOut[], semantic: boolean, pause: Pause): Promise<Measured> {
  const start = semantic ? UNFITTED : UNFITTED_WORDS;
  if (examples.length === 0) return { fit: start, turns: new Map() };
  const trials = await runTrials(index, examples, pause);
  const trust = examples.length / (examples.length + PRIOR);
  const blend = (measured: number, prior: number) => trust * measured + (1 - trust) * prior;
  const meanings = examples.flatMap((example) => example.meaning ?? []);
  const likeness = {
    alike: blend(mean(meanings.map((meaning) => meaning.likeness)) ?? start.alike, start.alike),
    described: blend(mean(meanings.map((meaning) => dot(meaning.vector, meaning.description))) ?? start.described, start.described),
  };
  const base: Fit = { ...start, ...likeness, measured: examples.length };
  const fit = { ...base, lexicalWeight: semantic ? await bestWeight(trials, index, base, pause) : 1 };
  const handicap = unthresholded(index, fit);
  const turns = semantic ? await separateRivals(index, trials, (scores) => fitnesses(scores, handicap, fit), pause) : new Map();
  const outcomes = trials.map((trial) => outcomeOf(trial, handicap, fit));
  const best = outcomes.map((outcome) => outcome.best).sort(ascending);
  const lost = semantic ? LOST : LOST_BY_WORDS;
  const threshold = blend(quantile(best, lost), start.threshold);
  const descriptions = meanings.map((meaning) => dot(meaning.vector, meaning.description)).sort(ascending);
  const measured: Fit = {
    ...fit,
    threshold,
    descriptionThreshold:
      descriptions.length > 0 ? blend(quantile(descriptions, LOST_DESCRIPTIONS), start.descriptionThreshold) : start.descriptionThreshold,
    typical: Math.max(0.05, blend(quantile(best, 0.5) - quantile(best, lost), start.typical)),
    margin: Math.max(LEAST_MARGIN, blend(tossUpMargin(outcomes), start.margin)),
  };
  return { fit: measured, turns };
}

/** The weight under which the right contexts are the most likely ones. */
async function bestWeight(trials: readonly Trial[], index: ContextIndex, base: Fit, pause: Pause): Promise<number> {
  let best = { lexicalWeight: base.lexicalWeight, likelihood: Number.NEGATIVE_INFINITY };
  for (const lexicalWeight of LEXICAL_WEIGHTS) {
    const fit = { ...base, lexicalWeight };
    const handicap = unthresholded(index, fit);
    let sum = 0;
    for (const [at, trial] of trials.entries()) {
      sum += likelihood(trial, handicap, fit);
      if (at % Math.ceil(SCANNED_BEFORE_PAUSE / index.capacity) === 0) await pause();
    }
    if (sum > best.likelihood) best = { lexicalWeight, likelihood: sum };
  }
  return best.lexicalWeight;
}

/** While the thresholds are being measured, they are not subtracted; contexts with only a description are on another scale. */
function unthresholded(index: ContextIndex, fit: Fit): Float32Array {
  return handicaps(index, { ...fit, threshold: 0, descriptionThreshold: Number.POSITIVE_INFINITY });
}

function likelihood({ slot, scores }: Trial, handicap: Float32Array, fit: Fit): number {
  const fitness = fitnesses(scores, handicap, fit);
  const own = fitness[slot] ?? 0;
  let sum = 0;
  for (const other of fitness) {
    const ahead = other - own;
    if (ahead > -10 * SHARPNESS) sum += Math.exp(ahead / SHARPNESS);
  }
  return -Math.log(Math.max(1, sum));
}

interface Outcome {
  best: number;
  margin: number;
  right: boolean;
}

function outcomeOf({ slot, scores }: Trial, handicap: Float32Array, fit: Fit): Outcome {
  const fitness = fitnesses(scores, handicap, fit);
  let best = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  let bestSlot = -1;
  fitness.forEach((score, other) => {
    if (score > best) {
      second = best;
      best = score;
      bestSlot = other;
    } else if (score > second) second = score;
  });
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

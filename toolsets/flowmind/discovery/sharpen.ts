import type { ContextIndex, RawScores } from './context-index.ts';
import { type Pause, SCANNED_BEFORE_YIELDING, type Trial } from './trials.ts';
import { addTimes, dot } from './vectors.ts';

const RIVALS = 16;
/** Contexts that score so much less than the best one are no rivals. */
const HOPELESS = 0.5;
const PASSES = 20;
/** Faster, and contexts swing past each other. */
const PACE = 0.15;
/** How steeply a difference of scores makes one context likelier than another. */
const STEEPNESS = 16;
/** How firmly a context keeps to the middle of its examples. */
const FIRMNESS = 0.7;

/** One trial beside the contexts that it could be mistaken for, its own one first. */
interface Contest {
  trial: Trial & { vector: Float32Array };
  slots: number[];
  scores: number[];
  /** How far the trial pulls each of these contexts towards itself, or pushes it away. */
  pulls: number[];
}

/**
 * Turns contexts towards the examples that others would win, and away from the examples of others that they would win: a softmax
 * regression that starts from the middle of each context's examples and is held there. The trials' scores become those after the turns.
 */
export async function sharpen(
  index: ContextIndex,
  trials: readonly Trial[],
  fitnesses: (scores: RawScores) => Float32Array,
  pause: Pause,
): Promise<Map<number, Float32Array>> {
  const tested = new Set(trials.flatMap((trial) => (trial.vector ? [trial.slot] : [])));
  const contests = trials.flatMap((trial) => contestOf(trial, fitnesses(trial.scores), tested) ?? []);
  // With less than one trial a context, chance would decide who is turned.
  if (tested.size < 2 || contests.length < index.size) return new Map();
  const share = tested.size / (FIRMNESS * contests.length);
  let turns = new Map<number, Float32Array>();
  for (let pass = 0; pass < PASSES; pass++) {
    for (const contest of contests) judge(contest, turns);
    turns = turnsOf(contests, share, index.dimensions);
    await pause();
  }
  await rescore(contests, turns, share, pause);
  return turns;
}

/** Who has no examples to be tried with could only be pushed about, and is no rival. */
function contestOf(trial: Trial, fitness: Float32Array, tested: ReadonlySet<number>): Contest | undefined {
  const { vector, slot } = trial;
  if (!vector) return undefined;
  const best = fitness.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const rivals = [...tested]
    .filter((other) => other !== slot && (fitness[other] as number) > best - HOPELESS)
    .sort((a, b) => (fitness[b] as number) - (fitness[a] as number))
    .slice(0, RIVALS);
  const slots = [slot, ...rivals];
  return { trial: { ...trial, vector }, slots, scores: slots.map((each) => fitness[each] as number), pulls: slots.map(() => 0) };
}

function judge({ trial, slots, scores, pulls }: Contest, turns: ReadonlyMap<number, Float32Array>): void {
  const turned = slots.map((slot, at) => {
    const by = turns.get(slot);
    return (scores[at] as number) + (by ? dot(by, trial.vector) : 0);
  });
  const best = Math.max(...turned);
  const chances = turned.map((score) => Math.exp(STEEPNESS * (score - best)));
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  chances.forEach((chance, at) => {
    const missing = (at === 0 ? 1 : 0) - chance / total;
    pulls[at] = (1 - PACE) * (pulls[at] as number) + PACE * missing;
  });
}

function turnsOf(contests: readonly Contest[], share: number, dimensions: number): Map<number, Float32Array> {
  const turns = new Map<number, Float32Array>();
  for (const { trial, slots, pulls } of contests) {
    slots.forEach((slot, at) => {
      const turn = turns.get(slot) ?? new Float32Array(dimensions);
      turns.set(slot, turn);
      addTimes(turn, trial.vector, share * (pulls[at] as number));
    });
  }
  return turns;
}

/** What each trial scores after the turns, without what it added to them itself. */
async function rescore(contests: readonly Contest[], turns: ReadonlyMap<number, Float32Array>, share: number, pause: Pause): Promise<void> {
  let scanned = 0;
  for (const { trial, slots, pulls } of contests) {
    const { semantic } = trial.scores;
    for (const [slot, by] of turns) semantic[slot] = (semantic[slot] as number) + dot(by, trial.vector);
    slots.forEach((slot, at) => {
      semantic[slot] = (semantic[slot] as number) - share * (pulls[at] as number);
    });
    scanned += turns.size;
    if (scanned > SCANNED_BEFORE_YIELDING) {
      scanned = 0;
      await pause();
    }
  }
}

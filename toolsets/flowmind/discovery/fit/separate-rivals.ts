import { addTimes, type ContextIndex, dot, type RawScores } from '../index/context-index.ts';
import { type Pause, SCANNED_BEFORE_PAUSE, type Trial } from './held-out.ts';

const MOST_RIVALS = 16;
/** A context that scores this much less than the best one is not a rival. */
const HOPELESS = 0.5;
const PASSES = 20;
/** Any faster, and contexts swing past each other. */
const PACE = 0.15;
/** How steeply a difference of scores makes one context likelier than another. */
const STEEPNESS = 16;
/** How firmly a context keeps to the middle of its examples. */
const FIRMNESS = 0.7;

/** One trial with the contexts that it could be mistaken for, its own one first. */
interface Contest {
  trial: Trial & { vector: Float32Array };
  contestants: Contestant[];
}

interface Contestant {
  slot: number;
  score: number;
  /** How far the trial pulls this context towards itself, or pushes it away. */
  pull: number;
}

/**
 * Turns contexts towards the examples that others would win, and away from the examples of others that they would win: a softmax
 * regression that starts from the middle of each context's examples and is held there. The trials' scores become those after the turns.
 */
export async function separateRivals(
  index: ContextIndex,
  trials: readonly Trial[],
  fitnesses: (scores: RawScores) => Float32Array,
  pause: Pause,
): Promise<Map<number, Float32Array>> {
  const tested = new Set(trials.flatMap((trial) => (trial.vector ? [trial.slot] : [])));
  const contests = trials.flatMap((trial) => contestOf(trial, fitnesses(trial.scores), tested) ?? []);
  // With less than one trial a context, chance would decide which ones are turned.
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

/** A context without examples to be tried with could only be pushed away, so it is not a rival. */
function contestOf(trial: Trial, fitness: Float32Array, tested: ReadonlySet<number>): Contest | undefined {
  const { vector, slot } = trial;
  if (!vector) return undefined;
  const best = fitness.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const contestant = (each: number): Contestant => ({ slot: each, score: fitness[each] ?? 0, pull: 0 });
  const rivals = [...tested]
    .filter((other) => other !== slot)
    .map(contestant)
    .filter(({ score }) => score > best - HOPELESS)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RIVALS);
  return { trial: { ...trial, vector }, contestants: [contestant(slot), ...rivals] };
}

function judge({ trial, contestants }: Contest, turns: ReadonlyMap<number, Float32Array>): void {
  const turned = contestants.map(({ slot, score }) => {
    const by = turns.get(slot);
    return score + (by ? dot(by, trial.vector) : 0);
  });
  const best = Math.max(...turned);
  const chances = turned.map((score) => Math.exp(STEEPNESS * (score - best)));
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  for (const [at, contestant] of contestants.entries()) {
    const missing = (at === 0 ? 1 : 0) - (chances[at] ?? 0) / total;
    contestant.pull = (1 - PACE) * contestant.pull + PACE * missing;
  }
}

function turnsOf(contests: readonly Contest[], share: number, dimensions: number): Map<number, Float32Array> {
  const turns = new Map<number, Float32Array>();
  for (const { trial, contestants } of contests) {
    for (const { slot, pull } of contestants) {
      const turn = turns.get(slot) ?? new Float32Array(dimensions);
      turns.set(slot, turn);
      addTimes(turn, trial.vector, share * pull);
    }
  }
  return turns;
}

/** What each trial scores after the turns, without what it added to them itself. */
async function rescore(contests: readonly Contest[], turns: ReadonlyMap<number, Float32Array>, share: number, pause: Pause): Promise<void> {
  let scanned = 0;
  for (const { trial, contestants } of contests) {
    const { semantic } = trial.scores;
    for (const [slot, by] of turns) semantic[slot] = (semantic[slot] ?? 0) + dot(by, trial.vector);
    for (const { slot, pull } of contestants) semantic[slot] = (semantic[slot] ?? 0) - share * pull;
    scanned += turns.size;
    if (scanned > SCANNED_BEFORE_PAUSE) {
      scanned = 0;
      await pause();
    }
  }
}

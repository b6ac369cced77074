import type { ContextIndex, RawScores } from './context-index.ts';
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

/** What such a request scores on every context. */
export interface Trial {
  slot: number;
  vector: Float32Array | undefined;
  scores: RawScores;
}

/** Lets others have their turn; throws when the work is no longer wanted. */
export type Pause = () => Promise<void>;

export const SCANNED_BEFORE_YIELDING = 20_000;

/** Every example in turn is taken out of its context and searched for. */
export async function tried(index: ContextIndex, examples: readonly HeldOut[], pause: Pause): Promise<Trial[]> {
  const trials: Trial[] = [];
  let scanned = 0;
  for (const example of examples) {
    trials.push({ slot: example.slot, vector: example.meaning?.vector, scores: withoutItself(index, example) });
    scanned += index.capacity;
    if (scanned > SCANNED_BEFORE_YIELDING) {
      scanned = 0;
      await pause();
    }
  }
  return trials;
}

function withoutItself(index: ContextIndex, example: HeldOut): RawScores {
  const scores = index.plainScores(example.meaning?.vector, example.grams);
  if (example.meaning) scores.semantic[example.slot] = dot(example.meaning.without, example.meaning.vector);
  const own = index.lexical.vector(example.grams);
  const sum = index.lexical.sum(example.sentences);
  const shared = product(own, sum);
  const ownSquare = squareOf(own);
  const rest = squareOf(sum) - 2 * shared + ownSquare;
  scores.lexical[example.slot] = rest > 1e-9 ? (shared - ownSquare) / Math.sqrt(rest) : 0;
  return scores;
}

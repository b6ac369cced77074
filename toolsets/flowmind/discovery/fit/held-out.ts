import { addTimes, type ContextIndex, dot, type RawScores, unit } from '../index/context-index.ts';
import { type ContextTexts, type ContextVectors, sentencesOf, sumOf, usedExamples } from '../index/context-texts.ts';
import { gramsOf, product, squareOf } from '../index/lexical-index.ts';

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

/** Lets other work run; throws when this work is no longer wanted. */
export type Pause = () => Promise<void>;

export const SCANNED_BEFORE_PAUSE = 20_000;

/** Examples of one context as requests that it has never seen: at most `most`, spread over the list. */
export function heldOut(slot: number, texts: ContextTexts, vectors: ContextVectors | undefined, most: number): HeldOut[] {
  const examples = usedExamples(texts);
  if (examples.length < 2) return [];
  const sentences = sentencesOf(texts);
  const stride = Math.max(1, Math.floor(examples.length / most));
  const sum = vectors && sumOf(vectors);
  return examples
    .map((example, at) => ({ example, vector: vectors?.examples[at], chosen: at % stride === 0 }))
    .filter(({ chosen }) => chosen)
    .slice(0, most)
    .map(({ example, vector }) => ({
      slot,
      grams: gramsOf(example),
      sentences,
      meaning:
        vectors && sum && vector
          ? { vector, without: without(sum, vector), description: vectors.description, likeness: likeness(vector, vectors.examples) }
          : undefined,
    }));
}

function without(sum: Float32Array, example: Float32Array): Float32Array {
  const rest = sum.slice();
  addTimes(rest, example, -1);
  return unit(rest);
}

function likeness(vector: Float32Array, examples: readonly Float32Array[]): number {
  const others = examples.filter((example) => example !== vector);
  return others.reduce((sum, other) => sum + dot(vector, other), 0) / Math.max(1, others.length);
}

/** Takes every example out of its context in turn, and searches for it. */
export async function runTrials(index: ContextIndex, examples: readonly HeldOut[], pause: Pause): Promise<Trial[]> {
  const trials: Trial[] = [];
  let scanned = 0;
  for (const example of examples) {
    trials.push({ slot: example.slot, vector: example.meaning?.vector, scores: scoresWithoutItself(index, example) });
    scanned += index.capacity;
    if (scanned > SCANNED_BEFORE_PAUSE) {
      scanned = 0;
      await pause();
    }
  }
  return trials;
}

function scoresWithoutItself(index: ContextIndex, { slot, meaning, grams, sentences }: HeldOut): RawScores {
  const scores = index.plainScores(meaning?.vector, grams);
  if (meaning) scores.semantic[slot] = dot(meaning.without, meaning.vector);
  const own = index.lexical.vector(grams);
  const sum = index.lexical.sum(sentences);
  const shared = product(own, sum);
  const ownSquare = squareOf(own);
  const rest = squareOf(sum) - 2 * shared + ownSquare;
  scores.lexical[slot] = rest > 1e-9 ? (shared - ownSquare) / Math.sqrt(rest) : 0;
  return scores;
}

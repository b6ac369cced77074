import { createHash } from 'node:crypto';
import type { IndexedContext } from './context-index.ts';
import { DESCRIPTION_WORTH } from './fit.ts';
import type { HeldOut } from './trials.ts';
import { addTimes, dot, unit } from './vectors.ts';
import { gramsOf } from './words.ts';

/** The texts by which a context is found. */
export interface ContextTexts {
  uri: string;
  name: string;
  description: string;
  /** When it applies: searched by its words only. */
  condition: string;
  examples: readonly string[];
}

export interface ContextVectors {
  description: Float32Array;
  examples: readonly Float32Array[];
}

const MOST_EXAMPLES = 50;

export function describing({ name, description }: ContextTexts): string {
  const title = name.replaceAll(/[_-]+/g, ' ').trim();
  return description && description !== name ? `${title}: ${description}` : title;
}

export function usedExamples({ examples }: ContextTexts): readonly string[] {
  return examples.slice(0, MOST_EXAMPLES);
}

export function textsHash(texts: ContextTexts): string {
  return createHash('sha256')
    .update(JSON.stringify([describing(texts), texts.condition, usedExamples(texts)]))
    .digest('base64url')
    .slice(0, 22);
}

export function sentencesOf(texts: ContextTexts): number[][] {
  const written = [describing(texts), ...(texts.condition === texts.description ? [] : [texts.condition]), ...usedExamples(texts)];
  return written.map(gramsOf).filter((grams) => grams.length > 0);
}

/** The examples and the description, which counts like a few of them, as one direction. */
export function indexed(texts: ContextTexts, vectors: ContextVectors | undefined): IndexedContext {
  const examples = usedExamples(texts).length;
  return {
    uri: texts.uri,
    hash: textsHash(texts),
    examples,
    vector: vectors && unit(sumOf(vectors)),
    sentences: sentencesOf(texts),
  };
}

function sumOf({ description, examples }: ContextVectors): Float32Array {
  const sum = new Float32Array(description.length);
  addTimes(sum, description, DESCRIPTION_WORTH);
  for (const example of examples) addTimes(sum, example, 1);
  return sum;
}

function without(sum: Float32Array, example: Float32Array): Float32Array {
  const rest = sum.slice();
  addTimes(rest, example, -1);
  return unit(rest);
}

/** Examples of one context as requests that it has never seen: at most `most`, spread over the list. */
export function heldOut(slot: number, texts: ContextTexts, vectors: ContextVectors | undefined, most: number): HeldOut[] {
  const examples = usedExamples(texts);
  if (examples.length < 2) return [];
  const sentences = sentencesOf(texts);
  const stride = Math.max(1, Math.floor(examples.length / most));
  const chosen = examples
    .map((_, at) => at)
    .filter((at) => at % stride === 0)
    .slice(0, most);
  const sum = vectors && sumOf(vectors);
  return chosen.map((at) => {
    const vector = vectors?.examples[at];
    return {
      slot,
      grams: gramsOf(examples[at] as string),
      sentences,
      meaning:
        vectors && sum && vector
          ? { vector, without: without(sum, vector), description: vectors.description, likeness: likeness(vector, vectors.examples) }
          : undefined,
    };
  });
}

function likeness(vector: Float32Array, examples: readonly Float32Array[]): number {
  const others = examples.filter((example) => example !== vector);
  return others.reduce((sum, other) => sum + dot(vector, other), 0) / Math.max(1, others.length);
}

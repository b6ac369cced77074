import { createHash } from 'node:crypto';
import { addTimes, type IndexedContext, unit } from './context-index.ts';
import { gramsOf } from './lexical-index.ts';

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

/** A description says as much about a context as this many examples. */
export const DESCRIPTION_WORTH = 2;
const MOST_EXAMPLES = 50;

/** The name and the description as one sentence. */
export function titled({ name, description }: ContextTexts): string {
  const title = name.replaceAll(/[_-]+/g, ' ').trim();
  return description && description !== name ? `${title}: ${description}` : title;
}

export function usedExamples({ examples }: ContextTexts): readonly string[] {
  return examples.slice(0, MOST_EXAMPLES);
}

export function textsHash(texts: ContextTexts): string {
  return createHash('sha256')
    .update(JSON.stringify([titled(texts), texts.condition, usedExamples(texts)]))
    .digest('base64url')
    .slice(0, 22);
}

export function sentencesOf(texts: ContextTexts): number[][] {
  const written = [titled(texts), ...(texts.condition === texts.description ? [] : [texts.condition]), ...usedExamples(texts)];
  return written.map(gramsOf).filter((grams) => grams.length > 0);
}

/** A context found by its words alone: its meaning comes with ContextIndex.embed. */
export function indexedByWords(texts: ContextTexts): IndexedContext {
  return { uri: texts.uri, hash: textsHash(texts), examples: usedExamples(texts).length, sentences: sentencesOf(texts) };
}

/** The examples and the description as one direction. */
export function directionOf(vectors: ContextVectors): Float32Array {
  return unit(sumOf(vectors));
}

export function sumOf({ description, examples }: ContextVectors): Float32Array {
  const sum = new Float32Array(description.length);
  addTimes(sum, description, DESCRIPTION_WORTH);
  for (const example of examples) addTimes(sum, example, 1);
  return sum;
}

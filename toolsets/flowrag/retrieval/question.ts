import type { Embedder } from '@millrace/models';
import { plainName, STOP_WORDS } from '../names/titles.ts';
import type { Collection } from '../store/collection.ts';

export const SEARCH_MODES = ['hybrid', 'local', 'global', 'naive'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

export interface SearchRequest {
  query: string;
  mode: SearchMode;
  limit: number;
  /** At most this many tokens of snippets; unlimited when not given. */
  tokenBudget?: number;
  /** At most one hit a document. */
  distinct?: 'document';
  signal?: AbortSignal;
}

/** What a query is made of, as data: nothing in it is an operator. */
export interface Question {
  text: string;
  /** The words that carry meaning; all words where none does. */
  words: string[];
  /** Stretches that may be names, the longest first, with the places of their words. */
  names: { name: string; start: number; end: number }[];
  /** The stems of the words that carry meaning. */
  stems: ReadonlySet<string>;
}

/** A question, and what is asked for the answer. */
export interface Inquiry {
  store: Collection;
  embedder: Embedder;
  question: Question;
  signal: AbortSignal | undefined;
}

const MOST_WORDS = 64;
const LONGEST_NAME = 9;
const SHORTEST_LOWER_NAME = 4;

export function readQuestion(text: string): Question {
  const words = (text.normalize('NFKC').match(/[\p{L}\p{N}\p{M}&]+(?:['’.][\p{L}\p{N}]+)*\.?/gu) ?? []).slice(0, MOST_WORDS);
  const plain = words.flatMap((word) => word.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []);
  const meaning = plain.filter((word) => !STOP_WORDS.has(word) && word.length > 1);
  return { text, words: [...new Set(meaning.length > 0 ? meaning : plain)], names: namesIn(words), stems: new Set(meaning.map(stemOf)) };
}

/**
 * A crude stem that puts a noun and its verb together (director, directed; founder, founded): it only weighs links, so
 * that a wrong one costs little.
 */
export function stemOf(word: string): string {
  if (word.length <= 5) return word.replace(/s$/, '');
  return word.replace(/(?:ations?|ions?|ings?|ers?|ors?|ied|ies|ed|es|s|e|y)$/, '').slice(0, 8);
}

function namesIn(words: readonly string[]): Question['names'] {
  const written = words.some((word, index) => index > 0 && isCapital(word));
  const names: Question['names'] = [];
  for (let length = Math.min(LONGEST_NAME, words.length); length >= 1; length--) {
    for (let start = 0; start + length <= words.length; start++) {
      const stretch = words.slice(start, start + length);
      if (!(written ? hasCapitals(stretch, start) : mayBeName(stretch))) continue;
      const name = plainName(stretch.join(' '));
      const repeated = names.some((other) => other.name === name && other.start <= start && start + length <= other.end);
      if (name && !repeated) names.push({ name, start, end: start + length });
    }
  }
  return names;
}

/** In a question that uses capitals, a name has one. */
function hasCapitals(stretch: readonly string[], start: number): boolean {
  const capitals = stretch.filter((word) => isCapital(word) && !STOP_WORDS.has(word.toLowerCase()));
  if (stretch.length === 1) return capitals.length === 1 && start > 0;
  if (stretch.length === 2 && !/^[\p{Lu}\p{N}]/u.test(stretch[0] ?? '')) return false;
  return capitals.length > 0;
}

/** In a question written in lower case, anything that does not begin or end with a small word may be one. */
function mayBeName(stretch: readonly string[]): boolean {
  const [first = ''] = stretch;
  if (stretch.length === 1) return first.length >= SHORTEST_LOWER_NAME && !STOP_WORDS.has(first.toLowerCase());
  const last = stretch.at(-1) ?? '';
  return (!STOP_WORDS.has(first.toLowerCase()) || /^the$/i.test(first)) && !STOP_WORDS.has(last.toLowerCase());
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

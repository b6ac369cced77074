import { type IndexEntry, shortName } from './type-store.ts';

/** How much a word counts by where it stands. */
const WEIGHTS = { name: 10, alias: 7, category: 3, description: 3, operation: 1.5 } as const;

const STOP_WORDS = new Set('a an and the of to in for with from on or by your is it node nodes n8n'.split(' '));

/** Words of a request, and what nodes call the same. */
const SYNONYMS: Record<string, string[]> = {
  call: ['request'],
  api: ['http', 'request'],
  fetch: ['request', 'get'],
  download: ['request', 'get'],
  notify: ['send', 'message'],
  save: ['insert', 'create', 'write'],
  store: ['insert', 'write'],
  delay: ['wait'],
  pause: ['wait'],
  branch: ['if', 'switch'],
  condition: ['if', 'filter'],
  iterate: ['loop'],
  combine: ['merge'],
  join: ['merge'],
  script: ['code'],
  javascript: ['code'],
  mail: ['email'],
  llm: ['model'],
  gpt: ['openai'],
  chatgpt: ['openai'],
  table: ['row', 'sheet'],
  timer: ['schedule'],
};

interface Posting {
  entry: number;
  weight: number;
}

/** Every word of the catalogue and the nodes that say it. */
export class SearchIndex {
  readonly #postings = new Map<string, Posting[]>();
  readonly #vocabulary: string[];
  /** Which letters each word of the vocabulary has, as bits: words that share too few cannot be misspellings of each other. */
  readonly #letters: number[];
  readonly #size: number;

  constructor(entries: readonly IndexEntry[]) {
    this.#size = entries.length;
    for (const [position, entry] of entries.entries()) {
      for (const [word, weight] of wordsOf(entry)) {
        const postings = this.#postings.get(word);
        if (postings) postings.push({ entry: position, weight });
        else this.#postings.set(word, [{ entry: position, weight }]);
      }
    }
    this.#vocabulary = [...this.#postings.keys()].sort();
    this.#letters = this.#vocabulary.map(lettersOf);
  }

  /** The nodes that say all of the words, each with its score; when none does, those that say most of them. */
  matches(text: string): Map<number, number> {
    const wanted = queryWords(text);
    if (wanted.length === 0) return new Map();
    const found = wanted.map((word) => this.#matchesOf(word));
    const counts = new Map<number, { words: number; score: number }>();
    for (const nodes of found) {
      const rarity = Math.log(1 + this.#size / Math.max(1, nodes.size));
      for (const [entry, weight] of nodes) {
        const count = counts.get(entry);
        if (count) {
          count.words++;
          count.score += weight * rarity;
        } else counts.set(entry, { words: 1, score: weight * rarity });
      }
    }
    let most = 0;
    for (const { words } of counts.values()) most = Math.max(most, words);
    const enough = most === wanted.length ? most : Math.max(Math.ceil(wanted.length / 2), most);
    const matches = new Map<number, number>();
    for (const [entry, { words, score }] of counts) if (words >= enough) matches.set(entry, score);
    return matches;
  }

  /** Nodes that say the word, or one that begins with it, or (when nobody does) one that is spelled nearly so. */
  #matchesOf(word: string): Map<number, number> {
    const best = new Map<number, number>();
    const add = (spelled: string, share: number) => {
      for (const { entry, weight } of this.#postings.get(spelled) ?? []) best.set(entry, Math.max(best.get(entry) ?? 0, weight * share));
    };
    add(word, 1);
    for (const other of SYNONYMS[word] ?? []) add(other, 0.7);
    for (const longer of this.#beginningWith(word)) add(longer, 0.6);
    if (best.size === 0) for (const near of this.#spelledNearly(word)) add(near, 0.4);
    return best;
  }

  #beginningWith(word: string): string[] {
    if (word.length < 3) return [];
    let low = 0;
    let high = this.#vocabulary.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#vocabulary[middle] ?? '') < word) low = middle + 1;
      else high = middle;
    }
    const found: string[] = [];
    for (const known of this.#vocabulary.slice(low)) {
      if (!known.startsWith(word)) break;
      if (known !== word) found.push(known);
    }
    return found;
  }

  #spelledNearly(word: string): string[] {
    if (word.length < 4) return [];
    const tolerance = word.length < 8 ? 1 : 2;
    let found: string[] = [];
    let closest = tolerance;
    const letters = lettersOf(word);
    for (const [at, known] of this.#vocabulary.entries()) {
      if (Math.abs(known.length - word.length) > closest || known.length < 4) continue;
      if (bits((this.#letters[at] ?? 0) ^ letters) > 2 * closest) continue;
      const distance = typingErrors(word, known, closest);
      if (distance > closest) continue;
      if (distance < closest) found = [];
      closest = distance;
      found.push(known);
    }
    return found;
  }
}

function wordsOf(entry: IndexEntry): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of split(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight));
  };
  const short = shortName(entry.type);
  add(short, WEIGHTS.name);
  add(words(short), WEIGHTS.name);
  add(entry.name, WEIGHTS.name);
  add(entry.name.replaceAll(/[^A-Za-z0-9]/g, ''), WEIGHTS.name);
  for (const alias of entry.aliases) add(alias, WEIGHTS.alias);
  for (const category of entry.categories) add(category, WEIGHTS.category);
  add(entry.description, WEIGHTS.description);
  for (const operation of entry.operations) add(operation, WEIGHTS.operation);
  return weights;
}

/** The words of a request; stop words count only when there are no others. */
export function queryWords(text: string): string[] {
  const all = [...new Set(split(text))].slice(0, 20);
  const telling = all.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : all;
}

function split(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => (word === '' ? [] : [singular(word)]));
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') && !word.endsWith('us')) return word.slice(0, -1);
  return word;
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Letters changed, missing, added or swapped; anything beyond `limit` comes back as limit + 1. */
export function typingErrors(a: string, b: string, limit: number): number {
  let before = new Uint16Array(b.length + 1);
  let previous = Uint16Array.from(before, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = new Uint16Array(b.length + 1);
    current[0] = row;
    const at = (line: Uint16Array, column: number) => line[column] ?? 0;
    for (let column = 1; column <= b.length; column++) {
      const changed = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? at(before, column - 2) + 1 : changed;
      current[column] = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, changed, swapped);
    }
    if (Math.min(...current) > limit) return limit + 1;
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}

/** The words of a camel-cased name. */
export function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();
}

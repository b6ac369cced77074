/** The grams of one context: one list a sentence. */
export interface LexicalEntry {
  slot: number;
  sentences: readonly number[][];
}

/** Postings sorted by gram: `slots` and `weights` from offsets[i] to offsets[i + 1] belong to grams[i]. */
export interface Segment {
  grams: Uint32Array;
  offsets: Uint32Array;
  slots: Uint32Array;
  weights: Float32Array;
}

/** How many sentences have a gram, as counted when the whole index was last built. */
export interface Frequencies {
  sentences: number;
  grams: Uint32Array;
  counts: Uint32Array;
}

export interface LexicalState {
  frequencies: Frequencies;
  segments: Segment[];
}

const NOTHING: Frequencies = { sentences: 0, grams: new Uint32Array(), counts: new Uint32Array() };

/** An inverted index of TF-IDF vectors, one a context: the sum of its sentences' vectors, with length 1. */
export class LexicalIndex {
  #frequencies: Frequencies;
  #segments: Segment[];

  constructor(state: LexicalState = { frequencies: NOTHING, segments: [] }) {
    this.#frequencies = state.frequencies;
    this.#segments = state.segments;
  }

  get state(): LexicalState {
    return { frequencies: this.#frequencies, segments: this.#segments };
  }

  /** Counts again and replaces everything. */
  build(entries: readonly LexicalEntry[]): void {
    this.#frequencies = count(entries);
    this.#segments = entries.length > 0 ? [this.#segment(entries)] : [];
  }

  /** Adds contexts by the old counts; a replaced context keeps its postings until the next build. */
  add(entries: readonly LexicalEntry[]): void {
    if (this.#frequencies.sentences === 0) this.build(entries);
    else if (entries.length > 0) this.#segments.push(this.#segment(entries));
  }

  get segments(): number {
    return this.#segments.length;
  }

  /** The cosine of a text with every context, by slot. */
  scores(grams: readonly number[], capacity: number): Float32Array {
    const scores = new Float32Array(capacity);
    for (const [gram, weight] of this.vector(grams)) {
      for (const { grams: known, offsets, slots, weights } of this.#segments) {
        const at = find(known, gram);
        if (at < 0) continue;
        const end = offsets[at + 1] ?? 0;
        for (let index = offsets[at] ?? 0; index < end; index++) {
          const slot = slots[index] ?? 0;
          scores[slot] = (scores[slot] ?? 0) + weight * (weights[index] ?? 0);
        }
      }
    }
    return scores;
  }

  /** The TF-IDF vector of a sentence, with length 1. */
  vector(grams: readonly number[]): Map<number, number> {
    const vector = new Map<number, number>();
    for (const gram of grams) vector.set(gram, (vector.get(gram) ?? 0) + 1);
    let square = 0;
    for (const [gram, times] of vector) {
      const weight = (1 + Math.log(times)) * this.#rarity(gram);
      vector.set(gram, weight);
      square += weight * weight;
    }
    const length = Math.sqrt(square) || 1;
    for (const [gram, weight] of vector) vector.set(gram, weight / length);
    return vector;
  }

  #rarity(gram: number): number {
    const { sentences, grams, counts } = this.#frequencies;
    const at = find(grams, gram);
    return Math.log(1 + sentences / (1 + (at < 0 ? 0 : (counts[at] ?? 0))));
  }

  #segment(entries: readonly LexicalEntry[]): Segment {
    const grams: number[] = [];
    const slots: number[] = [];
    const weights: number[] = [];
    for (const { slot, sentences } of entries) {
      const sum = this.sum(sentences);
      const length = Math.sqrt(squareOf(sum)) || 1;
      for (const [gram, weight] of sum) {
        grams.push(gram);
        slots.push(slot);
        weights.push(weight / length);
      }
    }
    return segmentOf(grams, slots, weights);
  }

  /** The sum of the vectors of a context's sentences. */
  sum(sentences: readonly number[][]): Map<number, number> {
    const sum = new Map<number, number>();
    for (const sentence of sentences) {
      for (const [gram, weight] of this.vector(sentence)) sum.set(gram, (sum.get(gram) ?? 0) + weight);
    }
    return sum;
  }
}

export function squareOf(vector: ReadonlyMap<number, number>): number {
  let square = 0;
  for (const weight of vector.values()) square += weight * weight;
  return square;
}

export function product(left: ReadonlyMap<number, number>, right: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [gram, weight] of left) sum += weight * (right.get(gram) ?? 0);
  return sum;
}

function count(entries: readonly LexicalEntry[]): Frequencies {
  const counted = new Map<number, number>();
  let total = 0;
  for (const { sentences } of entries) {
    for (const sentence of sentences) {
      total++;
      for (const gram of new Set(sentence)) counted.set(gram, (counted.get(gram) ?? 0) + 1);
    }
  }
  const grams = Uint32Array.from(counted.keys()).sort();
  return { sentences: total, grams, counts: grams.map((gram) => counted.get(gram) ?? 0) };
}

function segmentOf(grams: readonly number[], slots: readonly number[], weights: readonly number[]): Segment {
  const order = orderOf(grams);
  const distinct: number[] = [];
  const offsets: number[] = [];
  order.forEach((from, at) => {
    const gram = grams[from] ?? 0;
    if (distinct.at(-1) === gram) return;
    distinct.push(gram);
    offsets.push(at);
  });
  offsets.push(order.length);
  return {
    grams: Uint32Array.from(distinct),
    offsets: Uint32Array.from(offsets),
    slots: Uint32Array.from(order, (from) => slots[from] ?? 0),
    weights: Float32Array.from(order, (from) => weights[from] ?? 0),
  };
}

const INDEX_RANGE = 2 ** 21;

/** The places of the grams in ascending order. One number that holds gram and place sorts far faster than a comparison. */
function orderOf(grams: readonly number[]): Uint32Array {
  if (grams.length > INDEX_RANGE) return Uint32Array.from(grams.keys()).sort((a, b) => (grams[a] ?? 0) - (grams[b] ?? 0));
  const keys = Float64Array.from(grams, (gram, place) => gram * INDEX_RANGE + place).sort();
  return Uint32Array.from(keys, (key) => key % INDEX_RANGE);
}

function find(sortedGrams: Uint32Array, gram: number): number {
  let low = 0;
  let high = sortedGrams.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = sortedGrams[middle] ?? 0;
    if (value === gram) return middle;
    if (value < gram) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

const WORD = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}]+/gu;

/** The words of a text, lower case, without the commonest English endings, so that "meetings" finds "meeting". */
export function wordsOf(text: string): string[] {
  return (spaced(text).toLowerCase().match(WORD) ?? []).map(stem);
}

/** `create_todo` and `createTodo` are two words each. */
function spaced(text: string): string {
  return text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

function stem(word: string): string {
  if (word.length < 4) return word;
  const single = word.length > 4 ? word.replace(/ies$/, 'y').replace(/(?:es|s)$/, '') : word.replace(/s$/, '');
  return single.length > 4 ? single.replace(/(?:ing|ed)$/, '') : single;
}

/** Words and pairs of neighbours, each as a number. */
export function gramsOf(text: string): number[] {
  const words = wordsOf(text);
  return [...words.map(hash), ...words.slice(1).map((word, before) => hash(`${words[before]} ${word}`))];
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

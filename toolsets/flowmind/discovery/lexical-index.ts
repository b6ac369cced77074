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

/** How many sentences have a gram, as counted when the index was last built whole. */
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

  /** Counts anew and replaces everything. */
  build(entries: readonly LexicalEntry[]): void {
    this.#frequencies = count(entries);
    this.#segments = entries.length > 0 ? [this.#segment(entries)] : [];
  }

  /** Adds contexts by the old counts; whoever is replaced keeps its postings until the next build. */
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
      for (const segment of this.#segments) {
        const at = find(segment.grams, gram);
        if (at < 0) continue;
        const end = segment.offsets[at + 1] as number;
        for (let index = segment.offsets[at] as number; index < end; index++) {
          const slot = segment.slots[index] as number;
          scores[slot] = (scores[slot] as number) + weight * (segment.weights[index] as number);
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
    return Math.log(1 + sentences / (1 + (at < 0 ? 0 : (counts[at] as number))));
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
    return sorted(grams, slots, weights);
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

const INDEX_RANGE = 2 ** 21;

/** Sorting numbers that hold the gram above and the place below is far faster than sorting with a comparison. */
function sorted(grams: readonly number[], slots: readonly number[], weights: readonly number[]): Segment {
  if (grams.length > INDEX_RANGE) return merged(grams, slots, weights);
  const keys = new Float64Array(grams.length);
  for (let index = 0; index < grams.length; index++) keys[index] = (grams[index] as number) * INDEX_RANGE + index;
  keys.sort();
  const order = Uint32Array.from(keys, (key) => key % INDEX_RANGE);
  return arranged(order, grams, slots, weights);
}

function merged(grams: readonly number[], slots: readonly number[], weights: readonly number[]): Segment {
  const order = Uint32Array.from(grams.keys()).sort((a, b) => (grams[a] as number) - (grams[b] as number));
  return arranged(order, grams, slots, weights);
}

function arranged(order: Uint32Array, grams: readonly number[], slots: readonly number[], weights: readonly number[]): Segment {
  const distinct: number[] = [];
  const offsets: number[] = [];
  order.forEach((from, at) => {
    const gram = grams[from] as number;
    if (distinct.at(-1) === gram) return;
    distinct.push(gram);
    offsets.push(at);
  });
  offsets.push(order.length);
  return {
    grams: Uint32Array.from(distinct),
    offsets: Uint32Array.from(offsets),
    slots: Uint32Array.from(order, (from) => slots[from] as number),
    weights: Float32Array.from(order, (from) => weights[from] as number),
  };
}

function find(sortedGrams: Uint32Array, gram: number): number {
  let low = 0;
  let high = sortedGrams.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = sortedGrams[middle] as number;
    if (value === gram) return middle;
    if (value < gram) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

import { type LexicalEntry, LexicalIndex, type LexicalState } from './lexical-index.ts';

/** A context as the index holds it. */
export interface IndexedContext {
  uri: string;
  /** Of the texts that it was made from. */
  hash: string;
  examples: number;
  sentences: readonly number[][];
}

export interface IndexState {
  dimensions: number;
  uris: string[];
  hashes: string[];
  examples: Uint32Array;
  embedded: Uint8Array;
  vectors: Float32Array;
  turned: Float32Array;
  lexical: LexicalState;
}

/** What a request scores on every context, by slot. Slots of removed contexts have no URI. */
export interface RawScores {
  semantic: Float32Array;
  lexical: Float32Array;
}

const MOST_SEGMENTS = 8;

/** All contexts in flat arrays: one pass over the vectors, one over the postings of the request's words. */
export class ContextIndex {
  readonly dimensions: number;
  #slots = new Map<string, number>();
  #uris: (string | undefined)[] = [];
  #hashes: string[] = [];
  #examples: Uint32Array = new Uint32Array(0);
  #embedded: Uint8Array = new Uint8Array(0);
  #vectors: Float32Array = new Float32Array(0);
  /** The directions after turn(); empty while every context keeps its own. */
  #turned: Float32Array = new Float32Array(0);
  #lexical = new LexicalIndex();
  #dead = 0;
  #version = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  static restore(state: IndexState): ContextIndex {
    const index = new ContextIndex(state.dimensions);
    index.#uris = [...state.uris];
    index.#hashes = [...state.hashes];
    state.uris.forEach((uri, slot) => {
      index.#slots.set(uri, slot);
    });
    index.#examples = state.examples;
    index.#embedded = state.embedded;
    index.#vectors = state.vectors;
    index.#turned = state.turned;
    index.#lexical = new LexicalIndex(state.lexical);
    return index;
  }

  /** What can be saved; undefined while removed contexts still have their slots, because a rebuild is due then. */
  state(): IndexState | undefined {
    if (this.#dead > 0) return undefined;
    const size = this.#uris.length;
    return {
      dimensions: this.dimensions,
      uris: this.uris(),
      hashes: this.#hashes,
      examples: this.#examples.slice(0, size),
      embedded: this.#embedded.slice(0, size),
      vectors: this.#vectors.slice(0, size * this.dimensions),
      turned: this.#turned.slice(0, size * this.dimensions),
      lexical: this.#lexical.state,
    };
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#slots.size;
  }

  get capacity(): number {
    return this.#uris.length;
  }

  /** After many small changes the word counts are old and lookups slow: a rebuild pays. */
  get worn(): boolean {
    return this.#lexical.segments > MOST_SEGMENTS || this.#dead > 16 + this.#slots.size / 4;
  }

  hashOf(uri: string): string | undefined {
    const slot = this.#slots.get(uri);
    return slot === undefined ? undefined : this.#hashes[slot];
  }

  slotOf(uri: string): number | undefined {
    return this.#slots.get(uri);
  }

  uriAt(slot: number): string | undefined {
    return this.#uris[slot];
  }

  examplesAt(slot: number): number {
    return this.#examples[slot] ?? 0;
  }

  embeddedAt(slot: number): boolean {
    return this.#embedded[slot] === 1;
  }

  uris(): string[] {
    return [...this.#slots.keys()];
  }

  remove(uri: string): void {
    const slot = this.#slots.get(uri);
    if (slot === undefined) return;
    this.#version++;
    this.#slots.delete(uri);
    this.#uris[slot] = undefined;
    this.#dead++;
  }

  /** Adds or replaces contexts, to be found by their words until embed() gives them their meaning. */
  put(contexts: readonly IndexedContext[]): void {
    this.#version++;
    const fresh = this.#slots.size === 0;
    if (fresh) this.#clear();
    const entries: LexicalEntry[] = [];
    this.#grow(this.#uris.length + contexts.length);
    for (const context of contexts) {
      this.remove(context.uri);
      const slot = this.#uris.length;
      this.#uris.push(context.uri);
      this.#hashes.push(context.hash);
      this.#slots.set(context.uri, slot);
      this.#examples[slot] = context.examples;
      this.#embedded[slot] = 0;
      entries.push({ slot, sentences: context.sentences });
    }
    if (fresh) this.#lexical.build(entries);
    else this.#lexical.add(entries);
  }

  /** Requests are compared by meaning with this unit vector. */
  embed(uri: string, vector: Float32Array): void {
    const slot = this.#slots.get(uri);
    if (slot === undefined) return;
    this.#version++;
    this.#vectors.set(vector, slot * this.dimensions);
    if (this.#turned.length > 0) this.#turned.set(vector, slot * this.dimensions);
    this.#embedded[slot] = 1;
  }

  /** Turns directions by these vectors; earlier turns are undone. */
  turn(turns: ReadonlyMap<number, Float32Array>): void {
    this.#version++;
    this.#turned = turns.size > 0 ? this.#vectors.slice() : new Float32Array(0);
    for (const [slot, by] of turns) addTimes(this.#turned.subarray(slot * this.dimensions, (slot + 1) * this.dimensions), by, 1);
  }

  #clear(): void {
    this.#uris = [];
    this.#hashes = [];
    this.#lexical = new LexicalIndex();
    this.#turned = new Float32Array(0);
    this.#dead = 0;
  }

  #grow(wanted: number): void {
    if (wanted <= this.#examples.length) return;
    const capacity = Math.max(64, wanted, Math.ceil(this.#examples.length * 1.5));
    const grown = <Numbers extends Float32Array | Uint32Array | Uint8Array>(to: Numbers, from: Numbers) => {
      to.set(from);
      return to;
    };
    this.#examples = grown(new Uint32Array(capacity), this.#examples);
    this.#embedded = grown(new Uint8Array(capacity), this.#embedded);
    this.#vectors = grown(new Float32Array(capacity * this.dimensions), this.#vectors);
    if (this.#turned.length > 0) this.#turned = grown(new Float32Array(capacity * this.dimensions), this.#turned);
  }

  get lexical(): LexicalIndex {
    return this.#lexical;
  }

  scores(vector: Float32Array | undefined, grams: readonly number[]): RawScores {
    return this.#scores(this.#turned.length > 0 ? this.#turned : this.#vectors, vector, grams);
  }

  /** As if no direction had been turned. */
  plainScores(vector: Float32Array | undefined, grams: readonly number[]): RawScores {
    return this.#scores(this.#vectors, vector, grams);
  }

  #scores(directions: Float32Array, vector: Float32Array | undefined, grams: readonly number[]): RawScores {
    const capacity = this.#uris.length;
    const semantic = new Float32Array(capacity);
    if (vector && vector.length === this.dimensions) {
      for (let slot = 0; slot < capacity; slot++) {
        if (this.#embedded[slot] === 1) semantic[slot] = dotAt(directions, slot * this.dimensions, vector);
      }
    }
    return { semantic, lexical: this.#lexical.scores(grams, capacity) };
  }
}

/** The inner product of a unit vector with the unit vector at an offset of a flat array. */
function dotAt(flat: Float32Array, offset: number, vector: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const length = vector.length;
  for (let index = 0; index < length; index += 4) {
    a += (flat[offset + index] ?? 0) * (vector[index] ?? 0);
    b += (flat[offset + index + 1] ?? 0) * (vector[index + 1] ?? 0);
    c += (flat[offset + index + 2] ?? 0) * (vector[index + 2] ?? 0);
    d += (flat[offset + index + 3] ?? 0) * (vector[index + 3] ?? 0);
  }
  return a + b + c + d;
}

export function dot(left: Float32Array, right: Float32Array): number {
  return dotAt(left, 0, right);
}

/** The same direction with length 1; a zero vector stays as it is. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** Adds `times` the second vector to the first, in place. */
export function addTimes(sum: Float32Array, vector: Float32Array, times: number): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + times * (vector[index] ?? 0);
}

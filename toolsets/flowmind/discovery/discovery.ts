import type { Clock, Log } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextTables } from '../contexts/migrations.ts';
import type { Registry } from '../contexts/registry.ts';
import type { ContextDefinition } from '../language/context.ts';
import type { ContextIndex, RawScores } from './context-index.ts';
import type { Embeddings } from './embeddings.ts';
import { confidenceOf, type Fit } from './fit.ts';
import type { ContextTexts } from './indexed.ts';
import { Indexer } from './indexer.ts';
import { gramsOf } from './words.ts';

export interface DiscoveryOptions {
  registry: Registry;
  /** Without one, contexts are found by their words. */
  embeddings: Embeddings | undefined;
  store: Store<ContextTables>;
  clock: Clock;
  log: Log;
}

export interface Candidate {
  context: ContextDefinition;
  /** How well the request fits; 0 is the threshold below which it is outside of the context. */
  fitness: number;
  confidence: number;
  semanticSimilarity: number;
  lexicalSimilarity: number;
}

export interface Search {
  /** Every context that was compared, the best first, at most `most`. */
  candidates: Candidate[];
  /** How well the request fits the best of all contexts, those that were not wanted among them. */
  nearest: number;
  fit: Fit;
  searchMs: number;
  embeddingMs: number;
  contextsSearched: number;
  indicesUsed: string[];
  /** The request's embedding was still known. */
  cacheHit: boolean;
}

export interface Discovery {
  search(request: string, options?: SearchOptions): Promise<Search>;
  /** Waits until every context can be found. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface SearchOptions {
  /** Which contexts to compare. */
  only?: (context: ContextDefinition) => boolean;
  /** Further words that count in the comparison of words, such as the values of variables. */
  words?: string;
  most?: number;
  signal?: AbortSignal;
}

const PATIENCE_MS = 30_000;
const REMEMBERED = 500;
const MOST = 50;

export function createDiscovery(options: DiscoveryOptions): Discovery {
  return new ContextDiscovery(options);
}

class ContextDiscovery implements Discovery {
  readonly #registry: Registry;
  readonly #embeddings: Embeddings | undefined;
  readonly #indexer: Indexer;
  readonly #log: Log;
  readonly #remembered = new Map<string, Float32Array>();
  readonly #stopListening: () => void;
  #ready: Promise<void> | undefined;
  #slots:
    | { index: ContextIndex; version: number; contexts: readonly ContextDefinition[]; bySlot: readonly (ContextDefinition | undefined)[] }
    | undefined;

  constructor({ registry, embeddings, store, clock, log }: DiscoveryOptions) {
    this.#registry = registry;
    this.#log = log;
    this.#embeddings = embeddings;
    const texts = async () => (await registry.shared()).map(textsOf);
    this.#indexer = new Indexer({ name: 'contexts', texts, embeddings, store, clock, log });
    this.#stopListening = registry.onChange(() => {
      if (this.#ready) this.#ready = this.#indexer.sync();
    });
  }

  ready(): Promise<void> {
    this.#ready ??= this.#indexer.sync();
    return this.#ready;
  }

  async search(request: string, { only, words, most = MOST, signal }: SearchOptions = {}): Promise<Search> {
    const contexts = await this.#registry.shared();
    await Promise.race([this.ready(), patience(signal)]);
    const { vector, cacheHit, embeddingMs } = await this.#vector(request, signal);
    const started = performance.now();
    const { candidates, nearest, compared } = this.#candidates(
      this.#bySlot(contexts),
      only,
      vector,
      words ? [request, `${request} ${words}`] : [request],
      most,
    );
    return {
      candidates,
      nearest,
      fit: this.#indexer.fit,
      searchMs: performance.now() - started,
      embeddingMs,
      contextsSearched: compared,
      indicesUsed: [...(only ? ['type_filtered'] : []), ...(vector ? ['vector_similarity'] : []), 'tfidf'],
      cacheHit,
    };
  }

  /** Which context is in which slot: worked out once for a state of the index. */
  #bySlot(contexts: readonly ContextDefinition[]): readonly (ContextDefinition | undefined)[] {
    const { index } = this.#indexer;
    const kept = this.#slots;
    if (kept && kept.index === index && kept.version === index.version && kept.contexts === contexts) return kept.bySlot;
    const byUri = new Map(contexts.map((context) => [context.uri, context]));
    const bySlot = Array.from({ length: index.capacity }, (_, slot) => byUri.get(index.uriAt(slot) ?? ''));
    this.#slots = { index, version: index.version, contexts, bySlot };
    return bySlot;
  }

  #candidates(
    bySlot: readonly (ContextDefinition | undefined)[],
    only: SearchOptions['only'],
    vector: Float32Array | undefined,
    wordings: readonly string[],
    most: number,
  ): Pick<Search, 'candidates' | 'nearest'> & { compared: number } {
    const { fit } = this.#indexer;
    const raw = this.#scores(vector, wordings);
    const fitness = this.#indexer.fitnesses(raw);
    const slots: number[] = [];
    let nearest = Number.NEGATIVE_INFINITY;
    bySlot.forEach((context, slot) => {
      if (!context) return;
      nearest = Math.max(nearest, fitness[slot] as number);
      if (!only || only(context)) slots.push(slot);
    });
    const candidates = best(slots, fitness, most).map((slot) => ({
      context: bySlot[slot] as ContextDefinition,
      fitness: fitness[slot] as number,
      confidence: confidenceOf(fitness[slot] as number, fit),
      semanticSimilarity: Math.max(0, raw.semantic[slot] as number),
      lexicalSimilarity: Math.min(1, raw.lexical[slot] as number),
    }));
    return { candidates, nearest, compared: slots.length };
  }

  /** Further words only ever help: the better of the wordings counts. */
  #scores(vector: Float32Array | undefined, [request = '', ...others]: readonly string[]): RawScores {
    const { index } = this.#indexer;
    const raw = index.scores(vector, gramsOf(request));
    for (const wording of others) {
      const other = index.lexical.scores(gramsOf(wording), index.capacity);
      other.forEach((score, slot) => {
        if (score > (raw.lexical[slot] as number)) raw.lexical[slot] = score;
      });
    }
    return raw;
  }

  /** The last few hundred requests keep their embedding: a caller that refines its variables asks the same again. */
  async #vector(
    request: string,
    signal: AbortSignal | undefined,
  ): Promise<{ vector?: Float32Array; cacheHit: boolean; embeddingMs: number }> {
    if (!this.#embeddings || !this.#indexer.semantic) return { cacheHit: false, embeddingMs: 0 };
    const known = this.#remembered.get(request);
    if (known) return { vector: known, cacheHit: true, embeddingMs: 0 };
    const started = performance.now();
    try {
      const vector = await this.#embeddings.ofRequest(request, signal);
      this.#remembered.set(request, vector);
      if (this.#remembered.size > REMEMBERED) this.#remembered.delete(this.#remembered.keys().next().value as string);
      return { vector, cacheHit: false, embeddingMs: performance.now() - started };
    } catch (error) {
      signal?.throwIfAborted();
      this.#log.warn({ err: error }, 'a request could not be embedded; it is searched by its words');
      return { cacheHit: false, embeddingMs: performance.now() - started };
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#indexer.close();
  }
}

function textsOf(context: ContextDefinition): ContextTexts {
  const { uri, name, description, activation, examples } = context;
  return { uri, name, description, condition: activation.condition, examples };
}

/** The best few slots: all of them need not be sorted. */
function best(slots: number[], fitness: Float32Array, most: number): number[] {
  const falling = (a: number, b: number) => (fitness[b] as number) - (fitness[a] as number) || a - b;
  if (slots.length <= 4 * most) return slots.sort(falling).slice(0, most);
  const values = Float32Array.from(slots, (slot) => fitness[slot] as number).sort();
  const least = values[values.length - most] as number;
  return slots
    .filter((slot) => (fitness[slot] as number) >= least)
    .sort(falling)
    .slice(0, most);
}

/** A first start may have thousands of texts to embed: a request does not wait for all of them. */
function patience(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, PATIENCE_MS).unref();
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

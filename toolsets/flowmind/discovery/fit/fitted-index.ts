import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextTables } from '../../migrations.ts';
import { ContextIndex, type RawScores } from '../index/context-index.ts';
import {
  type ContextTexts,
  type ContextVectors,
  directionOf,
  indexedByWords,
  textsHash,
  titled,
  usedExamples,
} from '../index/context-texts.ts';
import type { Embeddings } from '../index/embeddings.ts';
import { gramsOf } from '../index/lexical-index.ts';
import { readSnapshot, saveSnapshot } from '../index/snapshot.ts';
import { type Fit, fitnesses, handicaps, UNFITTED, UNFITTED_WORDS } from './fit.ts';
import { type HeldOut, heldOut } from './held-out.ts';
import { measureFit } from './measure-fit.ts';

export interface FittedIndexOptions {
  /** What can be found. */
  texts: () => Promise<ContextTexts[]>;
  /** Keeps this index apart from others in the same store. */
  name: string;
  /** Without them, texts are found by their words. */
  embeddings: Embeddings | undefined;
  store: Store<ContextTables>;
  clock: Clock;
  log: Log;
}

const WITHOUT_MODEL = 'words';
const CONTEXTS_AT_ONCE = 32;
const FEWEST_TRIALS = 200;
const MOST_TRIALS = 4_000;
const SCANNED_IN_TRIALS = 3_000_000;
const REMEMBERED = 500;

/** Keeps the index and its fit in step with the contexts. Only what changed is embedded; a restart finds everything as it was. */
export class FittedIndex {
  readonly #options: FittedIndexOptions;
  #index: ContextIndex;
  #fit: Fit = UNFITTED_WORDS;
  #semantic = false;
  #handicaps: { index: ContextIndex; version: number; fit: Fit; values: Float32Array } | undefined;
  readonly #remembered = new Map<string, Float32Array>();
  #opened: Promise<void> | undefined;
  #ready: Promise<void> | undefined;
  #work: Promise<void> = Promise.resolve();
  #waiting = false;
  readonly #stop = new AbortController();

  constructor(options: FittedIndexOptions) {
    this.#options = options;
    this.#index = new ContextIndex(options.embeddings?.dimensions ?? 0);
  }

  get index(): ContextIndex {
    return this.#index;
  }

  get fit(): Fit {
    return this.#fit;
  }

  /** Waits until every text can be found. */
  ready(): Promise<void> {
    this.#ready ??= this.#sync();
    return this.#ready;
  }

  /** Waits no longer than this: a first start may have thousands of texts to embed. */
  async readyWithin(ms: number, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    try {
      await Promise.race([this.ready(), sleep(ms, undefined, { ref: false, signal: stop })]);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      over.abort();
    }
  }

  /** Brings an index that is in use up to date with its texts. */
  changed(): void {
    if (this.#ready) this.#ready = this.#sync();
  }

  /** The meaning of a request; no vector when only its words can be searched. Remembered, since callers ask again with better variables. */
  async embed(
    request: string,
    signal?: AbortSignal,
  ): Promise<{ vector: Float32Array | undefined; cacheHit: boolean; embeddingMs: number }> {
    const { embeddings, log } = this.#options;
    if (!embeddings || !this.#semantic) return { vector: undefined, cacheHit: false, embeddingMs: 0 };
    const known = this.#remembered.get(request);
    if (known) return { vector: known, cacheHit: true, embeddingMs: 0 };
    const started = performance.now();
    const vector = await embeddings.ofRequest(request, signal).catch((error: unknown) => {
      signal?.throwIfAborted();
      log.warn({ err: error }, 'a request could not be embedded; it is searched by its words');
      return undefined;
    });
    if (vector) this.#remember(request, vector);
    return { vector, cacheHit: false, embeddingMs: performance.now() - started };
  }

  #remember(request: string, vector: Float32Array): void {
    this.#remembered.set(request, vector);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }

  /** How well a request fits each context, by slot. Further wordings only ever help: the best of them counts. */
  compare(vector: Float32Array | undefined, request: string, ...wordings: readonly string[]): RawScores & { fitness: Float32Array } {
    const raw = this.#index.scores(vector, gramsOf(request));
    for (const wording of wordings) {
      const other = this.#index.lexical.scores(gramsOf(wording), this.#index.capacity);
      other.forEach((score, slot) => {
        if (score > (raw.lexical[slot] ?? 0)) raw.lexical[slot] = score;
      });
    }
    return { ...raw, fitness: fitnesses(raw, this.#currentHandicaps(), this.#fit) };
  }

  #currentHandicaps(): Float32Array {
    const { index, fit } = this;
    const known = this.#handicaps;
    if (known?.index === index && known.version === index.version && known.fit === fit) return known.values;
    const values = handicaps(index, fit);
    this.#handicaps = { index, version: index.version, fit, values };
    return values;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  /** Calls made while one is waiting share it. */
  #sync(): Promise<void> {
    if (this.#waiting) return this.#work;
    this.#waiting = true;
    this.#work = this.#work.then(async () => {
      this.#waiting = false;
      try {
        await this.#update();
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.log.error({ err: error }, 'the contexts could not be indexed');
      }
    });
    return this.#work;
  }

  async #update(): Promise<void> {
    const texts = await this.#options.texts();
    this.#opened ??= this.#open();
    await this.#opened;
    const wanted = new Set(texts.map((each) => each.uri));
    const gone = this.#index.uris().filter((uri) => !wanted.has(uri));
    for (const uri of gone) this.#index.remove(uri);
    const changed = texts.filter((each) => this.#index.hashOf(each.uri) !== textsHash(each) || !this.#embedded(each.uri));
    if (changed.length === 0 && gone.length === 0) return;
    if (this.#index.worn || changed.length > texts.length / 2) await this.#build(texts);
    else await this.#add(changed);
    this.#stop.signal.throwIfAborted();
    await this.#measure(texts);
    await this.#save();
  }

  async #key(): Promise<string> {
    const { embeddings, name } = this.#options;
    return `${name}:${embeddings ? await embeddings.model() : WITHOUT_MODEL}`;
  }

  #embedded(uri: string): boolean {
    const slot = this.#index.slotOf(uri);
    return !this.#options.embeddings || (slot !== undefined && this.#index.embeddedAt(slot));
  }

  async #open(): Promise<void> {
    const { store, log } = this.#options;
    try {
      const saved = await readSnapshot<Fit>(store, await this.#key());
      if (!saved || saved.index.dimensions !== this.#index.dimensions) return;
      this.#index = saved.index;
      this.#fit = saved.fit;
      this.#semantic = saved.fit.semantic;
    } catch (error) {
      log.warn({ err: error }, 'the saved index could not be read; it is built again');
    }
  }

  /** The words first, so that requests find something while the meanings are computed. */
  async #build(texts: readonly ContextTexts[]): Promise<void> {
    const index = new ContextIndex(this.#index.dimensions);
    index.put(texts.map(indexedByWords));
    if (this.#index.size === 0) this.#index = index;
    await this.#embed(index, texts);
    this.#index = index;
  }

  async #add(texts: readonly ContextTexts[]): Promise<void> {
    this.#index.put(texts.map(indexedByWords));
    await this.#embed(this.#index, texts);
  }

  async #embed(index: ContextIndex, texts: readonly ContextTexts[]): Promise<void> {
    const { embeddings, log } = this.#options;
    if (!embeddings) return;
    try {
      for (let from = 0; from < texts.length; from += CONTEXTS_AT_ONCE) {
        this.#stop.signal.throwIfAborted();
        const batch = await this.#vectors(texts.slice(from, from + CONTEXTS_AT_ONCE), embeddings);
        for (const { texts: each, vectors } of batch) if (vectors) index.embed(each.uri, directionOf(vectors));
      }
      if (!this.#fit.semantic) this.#fit = UNFITTED;
      this.#semantic = true;
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      log.warn({ err: error }, 'contexts are found by their words only: the embedding model does not work');
    }
  }

  async #vectors(
    texts: readonly ContextTexts[],
    embeddings: Embeddings | undefined,
  ): Promise<{ texts: ContextTexts; vectors: ContextVectors | undefined }[]> {
    const written = texts.flatMap((each) => [titled(each), ...usedExamples(each)]);
    const known = await embeddings?.of(written, this.#stop.signal);
    return texts.map((each) => {
      const description = known?.get(titled(each));
      const examples = usedExamples(each).flatMap((example) => known?.get(example) ?? []);
      return { texts: each, vectors: description && { description, examples } };
    });
  }

  /** Examples spread evenly over the contexts, as many as can be tried in a moment. */
  async #measure(texts: readonly ContextTexts[]): Promise<void> {
    const trials = Math.min(MOST_TRIALS, Math.max(FEWEST_TRIALS, Math.floor(SCANNED_IN_TRIALS / Math.max(1, texts.length))));
    const usable = texts.filter((each) => usedExamples(each).length >= 2);
    const stride = Math.max(1, Math.floor(usable.length / trials));
    const chosen = usable.filter((_, at) => at % stride === 0).slice(0, trials);
    const most = Math.max(1, Math.floor(trials / Math.max(1, chosen.length)));
    const examples: HeldOut[] = [];
    for (let from = 0; from < chosen.length; from += CONTEXTS_AT_ONCE) {
      const batch = await this.#vectors(chosen.slice(from, from + CONTEXTS_AT_ONCE), this.#semantic ? this.#options.embeddings : undefined);
      for (const { texts: each, vectors } of batch) {
        const slot = this.#index.slotOf(each.uri);
        if (slot !== undefined) examples.push(...heldOut(slot, each, vectors, most));
      }
    }
    const { fit, turns } = await measureFit(this.#index, examples, this.#semantic, () => this.#pause());
    this.#fit = fit;
    this.#index.turn(turns);
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#stop.signal.throwIfAborted();
  }

  async #save(): Promise<void> {
    const { embeddings, store, clock, log } = this.#options;
    if (embeddings && !this.#semantic) return;
    try {
      await saveSnapshot(store, await this.#key(), { index: this.#index, fit: this.#fit }, clock);
    } catch (error) {
      log.warn({ err: error }, 'the index could not be saved');
    }
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Log } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextTables } from '../contexts/migrations.ts';
import { ContextIndex, type RawScores } from './context-index.ts';
import type { Embeddings } from './embeddings.ts';
import { type Fit, fitnesses, handicaps, UNFITTED, UNFITTED_WORDS } from './fit.ts';
import { type ContextTexts, type ContextVectors, describing, heldOut, indexed, textsHash, usedExamples } from './indexed.ts';
import { measureFit } from './measure-fit.ts';
import { keepSnapshot, readSnapshot } from './snapshot.ts';
import type { HeldOut } from './trials.ts';

export interface IndexerOptions {
  /** What can be found. */
  texts: () => Promise<ContextTexts[]>;
  /** Keeps this index apart from others in the same store. */
  name: string;
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

/** Keeps the index and its fit in step with the contexts. Only what changed is embedded; a restart finds everything as it was. */
export class Indexer {
  readonly #options: IndexerOptions;
  #index: ContextIndex;
  #fit: Fit = UNFITTED_WORDS;
  #semantic = false;
  #handicaps: { index: ContextIndex; version: number; fit: Fit; taken: Float32Array } | undefined;
  #opened: Promise<void> | undefined;
  #work: Promise<void> = Promise.resolve();
  #waiting = false;
  readonly #stop = new AbortController();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#index = new ContextIndex(options.embeddings?.dimensions ?? 0);
  }

  get index(): ContextIndex {
    return this.#index;
  }

  /** How well a request fits each context, by slot. */
  fitnesses(raw: RawScores): Float32Array {
    const {
      index: { version },
      fit,
    } = this;
    const kept = this.#handicaps;
    const fresh = kept?.index === this.#index && kept.version === version && kept.fit === fit;
    const taken = fresh ? kept.taken : handicaps(this.#index, fit);
    if (!fresh) this.#handicaps = { index: this.#index, version, fit, taken };
    return fitnesses(raw, taken, fit);
  }

  get fit(): Fit {
    return this.#fit;
  }

  /** Whether requests are compared by meaning, too. */
  get semantic(): boolean {
    return this.#semantic;
  }

  /** Brings the index up to date; calls while one is waiting are one. */
  sync(): Promise<void> {
    if (this.#waiting) return this.#work;
    this.#waiting = true;
    this.#work = this.#work.then(async () => {
      this.#waiting = false;
      try {
        await this.#sync();
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.log.error({ err: error }, 'the contexts could not be indexed');
      }
    });
    return this.#work;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #sync(): Promise<void> {
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
    await this.#keep();
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
      const kept = await readSnapshot(store, await this.#key());
      if (!kept || kept.index.dimensions !== this.#index.dimensions) return;
      this.#index = kept.index;
      this.#fit = kept.fit;
      this.#semantic = kept.fit.semantic;
    } catch (error) {
      log.warn({ err: error }, 'the kept index could not be read; it is made anew');
    }
  }

  /** The words first, so that requests find something while the meanings are computed. */
  async #build(texts: readonly ContextTexts[]): Promise<void> {
    const index = new ContextIndex(this.#index.dimensions);
    index.put(texts.map((each) => indexed(each, undefined)));
    if (this.#index.size === 0) this.#index = index;
    await this.#embed(index, texts);
    this.#index = index;
  }

  async #add(texts: readonly ContextTexts[]): Promise<void> {
    this.#index.put(texts.map((each) => indexed(each, undefined)));
    await this.#embed(this.#index, texts);
  }

  async #embed(index: ContextIndex, texts: readonly ContextTexts[]): Promise<void> {
    if (!this.#options.embeddings) return;
    try {
      for (let from = 0; from < texts.length; from += CONTEXTS_AT_ONCE) {
        this.#stop.signal.throwIfAborted();
        const batch = texts.slice(from, from + CONTEXTS_AT_ONCE);
        const vectors = await this.#vectorsOf(batch);
        batch.forEach((each, at) => {
          const { vector } = indexed(each, vectors[at]);
          if (vector) index.embed(each.uri, vector);
        });
      }
      if (!this.#fit.semantic) this.#fit = UNFITTED;
      this.#semantic = true;
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      this.#options.log.warn({ err: error }, 'contexts are found by their words only: the embedding model does not work');
    }
  }

  async #vectorsOf(texts: readonly ContextTexts[]): Promise<(ContextVectors | undefined)[]> {
    const { embeddings } = this.#options;
    if (!embeddings) return texts.map(() => undefined);
    const written = texts.flatMap((each) => [describing(each), ...usedExamples(each)]);
    const vectors = await embeddings.of(written, this.#stop.signal);
    return texts.map((each) => ({
      description: vectors.get(describing(each)) as Float32Array,
      examples: usedExamples(each).map((example) => vectors.get(example) as Float32Array),
    }));
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
      const batch = chosen.slice(from, from + CONTEXTS_AT_ONCE);
      const vectors = this.#semantic ? await this.#vectorsOf(batch) : batch.map(() => undefined);
      batch.forEach((each, at) => {
        const slot = this.#index.slotOf(each.uri);
        if (slot !== undefined) examples.push(...heldOut(slot, each, vectors[at], most));
      });
    }
    const { fit, turns } = await measureFit(this.#index, examples, this.#semantic, () => this.#pause());
    this.#fit = fit;
    this.#index.turn(turns);
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#stop.signal.throwIfAborted();
  }

  async #keep(): Promise<void> {
    const { embeddings, store, clock, log } = this.#options;
    if (embeddings && !this.#semantic) return;
    try {
      await keepSnapshot(store, await this.#key(), { index: this.#index, fit: this.#fit }, clock);
    } catch (error) {
      log.warn({ err: error }, 'the index could not be kept');
    }
  }
}

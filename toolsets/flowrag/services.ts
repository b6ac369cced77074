import { join } from 'node:path';
import { type Clock, Failure, type Log, type Progress } from '@millrace/kernel';
import {
  createEmbedder,
  createGenerator,
  type Embedder,
  type GenerationChoice,
  hasAccess,
  type ModelEnvironment,
  PROVIDER_DEFAULTS,
  requireAccess,
} from '@millrace/models';
import type { FlowragConfiguration } from './configuration.ts';
import { type NamedEntity, resolveEntity } from './graph/resolve.ts';
import type { IndexReport } from './ingest/indexer.ts';
import {
  type Change,
  changesBetween,
  configHash,
  EMBEDDER_CHANGED,
  type MadeWith,
  type Metadata,
  readCollectionId,
  readMetadata,
  writeMetadata,
} from './metadata.ts';
import type { Counts, Extractor, SearchHit, SearchRequest } from './ports.ts';
import { entityKey } from './schema.ts';
import type { Collection } from './store/collection.ts';
import { openPostgresCollection, openSqliteCollection } from './store/open.ts';
import { CollectionWriter, type Merge } from './store/writer.ts';

export interface FlowragOptions {
  configuration: FlowragConfiguration;
  /** Keys and addresses of model providers. */
  environment: ModelEnvironment;
  /** Folders that hold local models by their names, such as <home>/models. */
  modelFolders: readonly string[];
  clock: Clock;
  log: Log;
  /** Puts the collection onto Postgres; the data directory then holds only the metadata. */
  databaseUrl?: string;
  /** How many local embedding sessions may run; one a core when not given. */
  sessions?: number;
  /** Instead of the configured ones. */
  embedder?: Embedder;
  extractor?: Extractor;
}

export interface IndexOutcome extends IndexReport {
  counts: Counts;
  extractor: { provider: string; model: string };
}

interface Making {
  collection: Collection;
  embedder: Embedder;
  extractor: Extractor;
}

type Extracting = { provider: 'rules' } | GenerationChoice;

/** One collection: its documents, its graph, and the models that made it. Everything is opened on first use. */
export class FlowragServices {
  readonly configuration: FlowragConfiguration;
  readonly #options: FlowragOptions;
  #collection: Promise<Collection> | undefined;
  #embedder: Promise<Embedder> | undefined;

  constructor(options: FlowragOptions) {
    this.#options = options;
    this.configuration = options.configuration;
  }

  get databaseFile(): string {
    return join(this.configuration.data, 'flowrag.db');
  }

  collection(): Promise<Collection> {
    this.#collection ??= this.#open().catch((error: unknown) => {
      this.#collection = undefined;
      throw error;
    });
    return this.#collection;
  }

  async #open(): Promise<Collection> {
    const { databaseUrl, clock, configuration } = this.#options;
    if (databaseUrl === undefined) return openSqliteCollection(this.databaseFile, clock.now());
    return openPostgresCollection(databaseUrl, configuration.data, clock.now());
  }

  embedder(): Promise<Embedder> {
    this.#embedder ??= this.#createEmbedder().catch((error: unknown) => {
      this.#embedder = undefined;
      throw error;
    });
    return this.#embedder;
  }

  /** An index goes on with the local model that made it, also when a better one appears later. */
  async #createEmbedder(): Promise<Embedder> {
    const { environment, modelFolders, sessions, embedder } = this.#options;
    if (embedder) return embedder;
    const choice = this.configuration.embedder;
    const pinned = choice.provider === 'local' && choice.model === undefined ? await this.#pinnedModel() : undefined;
    return createEmbedder(
      {
        ...withoutUndefined(choice),
        provider: choice.provider,
        ...(pinned !== undefined && { model: pinned }),
        settings: { model: 'embedder.model', baseUrl: 'embedder.baseUrl' },
      },
      { environment, folders: modelFolders, ...(sessions !== undefined && { sessions }) },
    );
  }

  async #pinnedModel(): Promise<string | undefined> {
    const made = await this.#madeWith();
    return made?.embedder.provider === 'local' ? made.embedder.model : undefined;
  }

  /** `rules` serves only where no extractor is configured and no key is there. */
  extracting(): Extracting {
    const { extractor } = this.configuration;
    if (extractor)
      return extractor.provider === 'rules' ? { provider: 'rules' } : { ...withoutUndefined(extractor), provider: extractor.provider };
    return hasAccess('gemini', this.#options.environment) ? { provider: 'gemini' } : { provider: 'rules' };
  }

  async extractor(): Promise<Extractor> {
    const chosen = this.extracting();
    if (this.#options.extractor) return this.#options.extractor;
    if (chosen.provider === 'rules') {
      const { rulesExtractor } = await import('./extraction/rules.ts');
      return rulesExtractor(this.configuration.schema);
    }
    requireAccess(chosen, this.#options.environment);
    const settings = { model: 'extractor.model', baseUrl: 'extractor.baseUrl' };
    const { modelExtractor } = await import('./extraction/model.ts');
    return modelExtractor(await createGenerator({ ...chosen, settings }, this.#options.environment), this.configuration.schema);
  }

  /** What changed between the index and the configuration; empty for a fresh data directory. */
  async changes(): Promise<Change[]> {
    const before = await this.#madeWith();
    return before ? changesBetween(before, this.#configured(before)) : [];
  }

  /** What an answer must come with; minor changes are only logged. */
  async warnings(): Promise<string[]> {
    return (await this.changes()).filter((change) => change.severity === 'breaking').map((change) => change.message);
  }

  async #madeWith(): Promise<Metadata | undefined> {
    return readMetadata(this.configuration.data);
  }

  /** What the configuration asks for, as far as it can be told without opening a model. */
  #configured(before: MadeWith) {
    const { embedder, schema } = this.configuration;
    const chosen = this.extracting();
    const remote = embedder.provider === 'local' ? undefined : PROVIDER_DEFAULTS[embedder.provider].embedding;
    const unnamed = embedder.provider === 'local' && before.embedder.provider === 'local' ? before.embedder.model : (remote?.model ?? '');
    const dimensions = embedder.dimensions ?? (embedder.model === undefined ? remote?.dimensions : undefined);
    return {
      embedder: { provider: embedder.provider, model: embedder.model ?? unnamed, ...(dimensions !== undefined && { dimensions }) },
      extractor: { provider: chosen.provider, model: extractorModel(chosen) },
      schema,
    };
  }

  /** Refuses when the index was made by another embedder: its vectors cannot be compared. */
  async #assertSameEmbedder(): Promise<void> {
    const before = await this.#madeWith();
    if (!before) return;
    const changed = changesBetween(before, this.#configured(before)).some((change) => change.severity === 'breaking');
    if (!changed) {
      if (before.embedder.weights === undefined) return;
      const embedder = await this.embedder();
      if (embedder.dimensions === before.embedder.dimensions && (await embedder.fingerprint()) === before.embedder.weights) return;
    }
    throw new Failure('conflict', EMBEDDER_CHANGED, {
      details: { indexed_with: before.embedder, configured: this.configuration.embedder },
      fix: { instruction: 'Call flowrag_index with force: true, or configure the embedder that made the index', example: { force: true } },
    });
  }

  async search(request: SearchRequest): Promise<SearchHit[]> {
    await this.#assertSameEmbedder();
    const { search } = await import('./retrieval/search.ts');
    return search(await this.collection(), await this.embedder(), request);
  }

  async resolve(name: string): Promise<NamedEntity> {
    return resolveEntity(await this.collection(), name);
  }

  /** A person says that two names mean one entity; returns those of them that no document mentions yet. */
  async merge(merge: Merge): Promise<string[]> {
    const collection = await this.collection();
    const known = new Set((await collection.entityNames()).flatMap(({ id, name, aliases }) => [id, ...[name, ...aliases].map(entityKey)]));
    await new CollectionWriter(collection, () => this.#options.clock.now()).merge(merge);
    return [merge.alias, merge.name].filter((name) => !known.has(entityKey(name)));
  }

  async index(request: { force: boolean; dryRun: boolean }, signal: AbortSignal, progress: Progress): Promise<IndexOutcome> {
    const { docs, data, schema } = this.configuration;
    if (docs === undefined) {
      throw new Failure('unavailable', 'No docs path is configured: there is nothing to index', {
        fix: { instruction: 'Set "docs" in flowrag.config.json, or start with --docs <folder>', example: { docs: './content' } },
      });
    }
    const extractor = await this.extractor();
    if (!request.force) await this.#assertSameEmbedder();
    const collection = await this.collection();
    const now = () => this.#options.clock.now();
    const writer = new CollectionWriter(collection, now);
    const embedder = request.force && !request.dryRun ? await this.#renewEmbedder(collection, writer, extractor) : await this.embedder();
    const [{ Indexer }, { chunkNames }] = await Promise.all([import('./ingest/indexer.ts'), import('./retrieval/names.ts')]);
    const indexer = new Indexer({ collection, writer, embedder, extractor, schema, chunkNames, now, log: this.#options.log });
    const recorded = <Result>(work: () => Promise<Result>) => this.#recorded({ collection, embedder, extractor }, work);
    const report = await indexer.run({ root: docs, exclude: [data], ...request, signal, progress, recorded });
    return { ...report, counts: await collection.counts(), extractor: { provider: extractor.provider, model: extractor.model } };
  }

  /** Whatever ends the run, the metadata shows which models made the documents, and whether the run finished. */
  async #recorded<Result>(made: Making, work: () => Promise<Result>): Promise<Result> {
    const unfinished = async () => {
      if ((await made.collection.counts()).documents > 0) await this.#writeMetadata(made, { unfinished: true });
    };
    await unfinished();
    const result = await work().catch(async (error: unknown) => {
      await unfinished();
      throw error;
    });
    await this.#writeMetadata(made);
    return result;
  }

  /** Whether the last run was broken off, or still goes on; a first one that was killed left no metadata. */
  async isUnfinished(): Promise<boolean> {
    const made = await this.#madeWith();
    return made === undefined || made.unfinished === true;
  }

  /** With another embedder nothing that is there can be kept: it goes before the first new vector comes. */
  async #renewEmbedder(collection: Collection, writer: CollectionWriter, extractor: Extractor): Promise<Embedder> {
    const before = await this.#madeWith();
    const changed = before && changesBetween(before, this.#configured(before)).some((change) => change.severity === 'breaking');
    const embedder = await this.embedder();
    if (!before) return embedder;
    const differs = changed || (before.embedder.weights !== undefined && before.embedder.weights !== (await embedder.fingerprint()));
    if (differs) {
      await writer.clear();
      await this.#writeMetadata({ collection, embedder, extractor }, { unfinished: true });
    }
    return embedder;
  }

  async #writeMetadata({ collection, embedder, extractor }: Making, state: Pick<Metadata, 'unfinished'> = {}): Promise<void> {
    const { entityTypes, relationTypes } = this.configuration.schema;
    const made: MadeWith = {
      embedder: {
        provider: embedder.provider,
        model: embedder.model,
        dimensions: embedder.dimensions,
        weights: await embedder.fingerprint(),
      },
      extractor: { provider: extractor.provider, model: extractor.model },
      schema: { entityTypes, relationTypes },
    };
    const { documents } = await collection.counts();
    const collectionId = await readCollectionId(this.configuration.data);
    await writeMetadata(this.configuration.data, {
      configHash: configHash(made),
      ...made,
      lastIndexedAt: this.#options.clock.now().toISOString(),
      documentCount: documents,
      ...state,
      ...(collectionId !== undefined && { collection: collectionId }),
    });
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled([this.#embedder, this.#collection]);
    for (const one of opened) if (one.status === 'fulfilled') await one.value?.close();
  }
}

function extractorModel(chosen: Extracting): string {
  if (chosen.provider === 'rules') return 'rules';
  return chosen.model ?? (PROVIDER_DEFAULTS[chosen.provider].generation?.model as string);
}

function withoutUndefined<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Key in keyof Value]: Exclude<Value[Key], undefined>;
  };
}

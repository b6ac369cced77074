import { join } from 'node:path';
import type { Clock, Log, Progress } from '@millrace/kernel';
import type { FlowragConfiguration } from './configuration.ts';
import { type NamedEntity, resolveEntity } from './graph/resolve.ts';
import { Indexing, type IndexOutcome } from './ingest/indexing.ts';
import { type ModelOptions, Models } from './provenance/models.ts';
import { type Change, Provenance } from './provenance/provenance.ts';
import type { SearchRequest } from './retrieval/question.ts';
import type { SearchHit } from './retrieval/ranking.ts';
import type { Collection } from './store/collection.ts';
import { Opened, openPostgresCollection, openSqliteCollection } from './store/open.ts';

export interface FlowragOptions extends ModelOptions {
  clock: Clock;
  log: Log;
  /** Puts the collection onto Postgres; the data directory then holds only the metadata. */
  databaseUrl?: string | undefined;
}

/** One collection and the services over it. Everything is opened on first use. */
export class FlowragServices {
  readonly configuration: FlowragConfiguration;
  readonly models: Models;
  readonly provenance: Provenance;
  readonly indexing: Indexing;
  readonly #collection: Opened<Collection>;

  constructor(options: FlowragOptions) {
    const { configuration, clock, databaseUrl } = options;
    this.configuration = configuration;
    this.models = new Models(options);
    this.provenance = new Provenance(configuration, this.models, clock);
    this.indexing = new Indexing({ ...options, models: this.models, provenance: this.provenance, collection: () => this.collection() });
    this.#collection = new Opened(() =>
      databaseUrl === undefined
        ? openSqliteCollection(this.databaseFile, clock.now())
        : openPostgresCollection(databaseUrl, configuration.data, clock.now()),
    );
  }

  get databaseFile(): string {
    return join(this.configuration.data, 'flowrag.db');
  }

  collection(): Promise<Collection> {
    return this.#collection.get();
  }

  changes(): Promise<Change[]> {
    return this.provenance.changes();
  }

  warnings(): Promise<string[]> {
    return this.provenance.warnings();
  }

  async search(request: SearchRequest): Promise<SearchHit[]> {
    await this.provenance.assertSameEmbedder();
    const { search } = await import('./retrieval/search.ts');
    return search(await this.collection(), await this.models.embedder(), request);
  }

  async resolve(name: string): Promise<NamedEntity> {
    return resolveEntity(await this.collection(), name);
  }

  index(request: { force: boolean; dryRun: boolean }, signal: AbortSignal, progress: Progress): Promise<IndexOutcome> {
    return this.indexing.index(request, signal, progress);
  }

  async close(): Promise<void> {
    await this.models.close();
    await this.#collection.close();
  }
}

import { join } from 'node:path';
import type { Clock, Log } from '@millrace/kernel';
import type { FlowragConfiguration } from './configuration.ts';
import { Indexing } from './ingest/indexing.ts';
import { type ModelOptions, Models } from './provenance/models.ts';
import { Provenance } from './provenance/provenance.ts';
import type { Collection } from './store/collection.ts';
import { Opened, openSqliteCollection } from './store/open.ts';

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
    this.#collection = new Opened(async () => {
      if (databaseUrl === undefined) return openSqliteCollection(this.databaseFile, clock.now());
      const { openPostgresCollection } = await import('./store/postgres-open.ts');
      return openPostgresCollection(databaseUrl, configuration.data, clock.now());
    });
  }

  get databaseFile(): string {
    return join(this.configuration.data, 'flowrag.db');
  }

  collection(): Promise<Collection> {
    return this.#collection.get();
  }

  async close(): Promise<void> {
    await this.models.close();
    await this.#collection.close();
  }
}

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
  readonly #clock: Clock;

  constructor(options: FlowragOptions) {
    const { configuration, clock, databaseUrl } = options;
    this.configuration = configuration;
    this.#clock = clock;
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

  /** What an answer must come with. Ask before reading: a run that ends in the meantime must not hide what was missing. */
  async warnings(): Promise<string[]> {
    const warnings = await this.provenance.warnings();
    if (!(await this.provenance.isUnfinished())) return warnings;
    const collection = await this.collection();
    const running = await collection.isBeingIndexed(this.#clock);
    const { documents } = await collection.counts();
    return running || documents > 0 ? [...warnings, incomplete(documents, running)] : warnings;
  }

  async close(): Promise<void> {
    await this.models.close();
    await this.#collection.close();
  }
}

function incomplete(documents: number, running: boolean): string {
  const held = documents === 1 ? '1 document is in it so far' : `${documents} documents are in it so far`;
  return running
    ? `The index is incomplete: indexing is still running, and ${held}. Run flowrag_index to wait for it, then ask again.`
    : `The index is incomplete: the last indexing run did not finish, and ${held}. Run flowrag_index to continue it, then ask again.`;
}

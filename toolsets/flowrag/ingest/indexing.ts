import { type Clock, Failure, type Log, type Progress } from '@millrace/kernel';
import type { FlowragConfiguration } from '../configuration.ts';
import type { Models } from '../provenance/models.ts';
import type { Making, Provenance } from '../provenance/provenance.ts';
import { entityKey } from '../schema.ts';
import type { Collection, Counts } from '../store/collection.ts';
import { CollectionWriter, type Merge } from '../store/writer.ts';
import type { IndexReport } from './report.ts';

export interface IndexOutcome extends IndexReport {
  counts: Counts;
  extractor: { provider: string; model: string };
}

interface IndexingParts {
  configuration: FlowragConfiguration;
  models: Models;
  provenance: Provenance;
  collection(): Promise<Collection>;
  clock: Clock;
  log: Log;
}

/** Brings the collection up to date with the configured folder, models and names. */
export class Indexing {
  readonly #parts: IndexingParts;

  constructor(parts: IndexingParts) {
    this.#parts = parts;
  }

  async index(request: { force: boolean; dryRun: boolean }, signal: AbortSignal, progress: Progress): Promise<IndexOutcome> {
    const { configuration, models, provenance, log } = this.#parts;
    const { docs, data, schema } = configuration;
    if (docs === undefined) {
      throw new Failure('unavailable', 'No docs path is configured: there is nothing to index', {
        fix: { instruction: 'Set "docs" in flowrag.config.json, or start with --docs <folder>', example: { docs: './content' } },
      });
    }
    const extractor = await models.extractor();
    if (!request.force) await provenance.assertSameEmbedder();
    const collection = await this.#parts.collection();
    const writer = this.#writer(collection);
    const making = { collection, embedder: await models.embedder(), extractor };
    if (request.force && !request.dryRun) await this.#clearOtherVectors(making, writer);
    const { Indexer } = await import('./indexer.ts');
    const indexer = new Indexer({ ...making, writer, schema, now: this.#now, log });
    const recorded = <Result>(work: () => Promise<Result>) => provenance.recorded(making, work);
    const report = await indexer.run({ root: docs, exclude: [data], ...request, signal, progress, recorded });
    return { ...report, counts: await collection.counts(), extractor: { provider: extractor.provider, model: extractor.model } };
  }

  /** A person says that two names mean one entity; returns those of them that no document mentions yet. */
  async merge(merge: Merge): Promise<string[]> {
    const collection = await this.#parts.collection();
    const known = new Set((await collection.entityNames()).flatMap(({ id, name, aliases }) => [id, ...[name, ...aliases].map(entityKey)]));
    await this.#writer(collection).merge(merge);
    return [merge.alias, merge.name].filter((name) => !known.has(entityKey(name)));
  }

  /** With another embedder nothing that is there can be kept: it goes before the first new vector comes. */
  async #clearOtherVectors(making: Making, writer: CollectionWriter): Promise<void> {
    if (!(await this.#parts.provenance.isByOtherEmbedder())) return;
    await writer.clear();
    await this.#parts.provenance.record(making, { unfinished: true });
  }

  #writer(collection: Collection): CollectionWriter {
    return new CollectionWriter(collection, this.#now);
  }

  readonly #now = () => this.#parts.clock.now();
}

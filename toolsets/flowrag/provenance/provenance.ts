import { type Clock, Failure } from '@millrace/kernel';
import { type Embedder, PROVIDERS } from '@millrace/models';
import type { FlowragConfiguration } from '../configuration.ts';
import type { Extractor } from '../extraction/extraction.ts';
import type { Collection } from '../store/collection.ts';
import { configHash, type MadeWith, type Metadata, readCollectionId, readMetadata, writeMetadata } from '../store/metadata.ts';
import type { Models } from './models.ts';

export interface Change {
  severity: 'breaking' | 'minor';
  message: string;
}

/** What a run makes the index with. */
export interface Making {
  collection: Collection;
  embedder: Embedder;
  extractor: Extractor;
}

const EMBEDDER_CHANGED = 'Embedder changed. Re-index required (`force: true`).';
const SCHEMA_CHANGED = 'Schema changed. New types will apply to next indexing.';
const EXTRACTOR_CHANGED = 'Extractor changed. New extractions may differ.';

/** Which models and schema made the index, and whether the configuration still asks for them. */
export class Provenance {
  readonly #configuration: FlowragConfiguration;
  readonly #models: Models;
  readonly #clock: Clock;

  constructor(configuration: FlowragConfiguration, models: Models, clock: Clock) {
    this.#configuration = configuration;
    this.#models = models;
    this.#clock = clock;
  }

  /** What changed between the index and the configuration; empty for a fresh data directory. */
  async changes(): Promise<Change[]> {
    const before = await this.#read();
    return before ? this.#changesSince(before) : [];
  }

  /** What an answer must come with; minor changes are only logged. */
  async warnings(): Promise<string[]> {
    return (await this.changes()).filter((change) => change.severity === 'breaking').map((change) => change.message);
  }

  /** Whether the last run was interrupted or is still going; a first one that was killed left no metadata. */
  async isUnfinished(): Promise<boolean> {
    const made = await this.#read();
    return made === undefined || made.unfinished === true;
  }

  /** Refuses when another embedder made the index: its vectors cannot be compared. */
  async assertSameEmbedder(): Promise<void> {
    const before = await this.#read();
    if (!before || !(await this.#isByOtherEmbedder(before))) return;
    throw new Failure('conflict', EMBEDDER_CHANGED, {
      details: { indexed_with: before.embedder, configured: this.#configuration.embedder },
      fix: { instruction: 'Call flowrag_index with force: true, or configure the embedder that made the index', example: { force: true } },
    });
  }

  async isByOtherEmbedder(): Promise<boolean> {
    const before = await this.#read();
    return before !== undefined && this.#isByOtherEmbedder(before);
  }

  async #isByOtherEmbedder(before: Metadata): Promise<boolean> {
    if (this.#changesSince(before).some((change) => change.severity === 'breaking')) return true;
    if (before.embedder.weights === undefined) return false;
    const embedder = await this.#models.embedder();
    return embedder.dimensions !== before.embedder.dimensions || (await embedder.fingerprint()) !== before.embedder.weights;
  }

  /** Whatever ends the run, the metadata shows which models made the documents, and whether the run finished. */
  async recorded<Result>(made: Making, work: () => Promise<Result>): Promise<Result> {
    const unfinished = async () => {
      if ((await made.collection.counts()).documents > 0) await this.record(made, { unfinished: true });
    };
    await unfinished();
    const result = await work().catch(async (error: unknown) => {
      await unfinished();
      throw error;
    });
    await this.record(made);
    return result;
  }

  async record({ collection, embedder, extractor }: Making, state: Pick<Metadata, 'unfinished'> = {}): Promise<void> {
    const { data, schema } = this.#configuration;
    const { provider, model, dimensions } = embedder;
    const made: MadeWith = {
      embedder: { provider, model, dimensions, weights: await embedder.fingerprint() },
      extractor: { provider: extractor.provider, model: extractor.model },
      schema: { entityTypes: schema.entityTypes, relationTypes: schema.relationTypes },
    };
    const { documents } = await collection.counts();
    const collectionId = await readCollectionId(data);
    await writeMetadata(data, {
      configHash: configHash(made),
      ...made,
      lastIndexedAt: this.#clock.now().toISOString(),
      documentCount: documents,
      ...state,
      ...(collectionId !== undefined && { collection: collectionId }),
    });
  }

  #read(): Promise<Metadata | undefined> {
    return readMetadata(this.#configuration.data);
  }

  /** Compares what the configuration asks for, as far as that is known without opening a model. */
  #changesSince(before: MadeWith): Change[] {
    const { embedder, schema } = this.#configuration;
    const extractor = this.#models.extractorChoice();
    const extractorModel = extractor.provider === 'rules' ? 'rules' : (extractor.model ?? PROVIDERS[extractor.provider].generation?.model);
    const changes: Change[] = [];
    if (!isEmbedder(before.embedder, embedder)) changes.push({ severity: 'breaking', message: EMBEDDER_CHANGED });
    const sameTypes =
      sameMembers(before.schema.entityTypes, schema.entityTypes) && sameMembers(before.schema.relationTypes, schema.relationTypes);
    if (!sameTypes) changes.push({ severity: 'minor', message: SCHEMA_CHANGED });
    if (before.extractor.provider !== extractor.provider || before.extractor.model !== extractorModel)
      changes.push({ severity: 'minor', message: EXTRACTOR_CHANGED });
    return changes;
  }
}

/** Whether the configuration means this embedder. A local one without a name is whichever local one made the index. */
function isEmbedder(made: MadeWith['embedder'], configured: FlowragConfiguration['embedder']): boolean {
  if (made.provider !== configured.provider) return false;
  const remote = configured.provider === 'local' ? undefined : PROVIDERS[configured.provider].embedding;
  const model = configured.model ?? (configured.provider === 'local' ? made.model : (remote?.model ?? ''));
  const dimensions = configured.dimensions ?? (configured.model === undefined ? remote?.dimensions : undefined);
  return made.model === model && (dimensions === undefined || made.dimensions === dimensions);
}

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member));
}

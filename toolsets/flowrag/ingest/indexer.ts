import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { Failure, isSystemError, type Log, type Progress } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import type { Extraction, Extractor } from '../ports.ts';
import type { GraphSchema } from '../schema.ts';
import type { Collection } from '../store/collection.ts';
import type { CollectionWriter } from '../store/writer.ts';
import { CHUNKING_VERSION, chunkDocument } from './chunk.ts';
import { type ChunkNames, contributionOf, embedHash, vectorsOf } from './contribution.ts';
import type { Chunk, ParsedDocument } from './document.ts';
import { emptiesIndex, refusalToEmpty } from './emptying.ts';
import { kindOf } from './file-kinds.ts';
import { Unreadable } from './formats/unreadable.ts';
import { hashOf, parseDocument } from './parse.ts';
import { RunProgress } from './progress.ts';
import { type FoundFile, type SkippedFile, scanFolder } from './scan.ts';
import { each, inSlices } from './slices.ts';

export interface IndexerParts {
  collection: Collection;
  writer: CollectionWriter;
  embedder: Embedder;
  extractor: Extractor;
  schema: GraphSchema;
  chunkNames: ChunkNames;
  now(): Date;
  log: Log;
}

export interface IndexRequest {
  root: string;
  /** Folders below the root that are not documents, such as the data directory. */
  exclude: readonly string[];
  force: boolean;
  /** Only says what would change. */
  dryRun: boolean;
  signal: AbortSignal;
  progress: Progress;
  /** Runs everything that changes the collection; a run that is refused or only planned never calls it. */
  recorded<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** What a run did, or with dryRun would do. */
export interface IndexReport {
  added: string[];
  changed: string[];
  removed: string[];
  /** Same content as before. */
  unchanged: number;
  /** Of the unchanged: extracted under an earlier schema or extractor; renewed by force. */
  stale: number;
  skipped: SkippedFile[];
  /** What the documents of this run brought. */
  chunks: number;
  entities: number;
  relations: number;
}

interface Plan {
  work: FoundFile[];
  report: IndexReport;
  /** How many documents the collection holds before the run. */
  documents: number;
}

const AT_ONCE = 4;
const KNOWN_NAMES = 200;
const LOOKED_UP_AT_ONCE = 500;
/** A file that changed this shortly before it was read may have changed again within the same tick of the clock. */
const JUST_NOW_MS = 2_000;
const CACHE_DAYS = 90;

/** Brings a collection up to date with a folder. */
export class Indexer {
  readonly #parts: IndexerParts;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** Identifies what makes the contributions of a document, besides its content. */
  get stamp(): string {
    return stampOf(this.#parts.schema, this.#parts.extractor);
  }

  async run(request: IndexRequest): Promise<IndexReport> {
    const { writer } = this.#parts;
    const { signal, progress } = request;
    if (request.dryRun) return (await this.#plan(request)).report;
    const onWait = () => progress(0, undefined, 'Waiting for another indexing run to finish');
    return writer.alone({ signal, onWait }, (lost) => this.#run({ ...request, signal: AbortSignal.any([signal, lost]) }));
  }

  async #run(request: IndexRequest): Promise<IndexReport> {
    const plan = await this.#plan(request);
    if (!request.force && emptiesIndex(plan.report, plan.documents)) throw refusalToEmpty(request.root, plan.documents);
    return request.recorded(() => this.#carryOut(plan, request));
  }

  async #carryOut({ work, report, documents }: Plan, request: IndexRequest): Promise<IndexReport> {
    const { writer, schema, collection, embedder, now } = this.#parts;
    await collection.search.prepare(embedder.dimensions);
    await writer.configureMerges(Object.entries(schema.aliases).flatMap(([name, aliases]) => aliases.map((alias) => ({ alias, name }))));
    const known = await writer.knownNames(KNOWN_NAMES);
    const progress = new RunProgress(work.length, request.progress, now);
    const queue = work.values();
    const worker = async () => {
      for (const file of queue) {
        request.signal.throwIfAborted();
        const done = await this.#index(file, known, request.signal, report);
        progress.add(done);
        await turn();
      }
    };
    await allOrFirstFailure(Array.from({ length: AT_ONCE }, worker));
    const unreadable = new Set(report.skipped.map(({ path }) => path));
    const added = report.added.filter((path) => !unreadable.has(path));
    if (!request.force && emptiesIndex({ ...report, added }, documents)) throw refusalToEmpty(request.root, documents);
    await writer.remove(report.removed, request.signal);
    await writer.forgetExtractions(new Date(now().getTime() - CACHE_DAYS * 86_400_000));
    return { ...report, chunks: progress.chunks, entities: progress.entities, relations: progress.relations };
  }

  async #plan({ root, exclude, force, signal, dryRun }: IndexRequest): Promise<Plan> {
    const { writer } = this.#parts;
    const { files, skipped } = await scanFolder(root, { exclude, signal });
    const known = await writer.files();
    const report: IndexReport = {
      added: [],
      changed: [],
      removed: [],
      unchanged: 0,
      stale: 0,
      skipped,
      chunks: 0,
      entities: 0,
      relations: 0,
    };
    const work: Plan['work'] = [];
    const present = new Set(skipped.map((file) => file.path));
    for (const [index, file] of files.entries()) {
      if (index % 50 === 0) await turn();
      signal.throwIfAborted();
      present.add(file.path);
      const before = known.get(file.path);
      const untouched = before !== undefined && before.bytes === file.bytes && before.modifiedMs === file.changedMs;
      if (untouched && !force) {
        this.#unchanged(before.stamp, report);
        continue;
      }
      if (before && !force) {
        const bytes = await readBytes(file, report);
        if (!bytes) continue;
        if (before.hash === hashOf(bytes)) {
          this.#unchanged(before.stamp, report);
          if (!dryRun) await writer.seen(file.path, this.#trusted(file.changedMs));
          continue;
        }
      }
      (before ? report.changed : report.added).push(file.path);
      work.push({ ...file, changedMs: this.#trusted(file.changedMs) });
    }
    report.removed = [...known.keys()].filter((path) => !present.has(path)).sort();
    return { work, report, documents: known.size };
  }

  /** The time to remember for a file: none while it is too fresh to be trusted. */
  #trusted(changedMs: number): number {
    return this.#parts.now().getTime() - changedMs > JUST_NOW_MS ? changedMs : 0;
  }

  #unchanged(stamp: string, report: IndexReport): void {
    report.unchanged++;
    if (stamp !== this.stamp) report.stale++;
  }

  async #index(
    file: FoundFile,
    known: readonly string[],
    signal: AbortSignal,
    report: IndexReport,
  ): Promise<{ chunks: number; entities: number; relations: number }> {
    const { writer, embedder, schema, chunkNames } = this.#parts;
    const document = await this.#parse(file, signal, report);
    if (!document) {
      for (const list of [report.added, report.changed]) if (list.includes(file.path)) list.splice(list.indexOf(file.path), 1);
      return { chunks: 0, entities: 0, relations: 0 };
    }
    const { maxTokens } = embedder;
    const chunks = await chunkDocument(document, { maxTokens, countTokens: (text) => embedder.countTokens(text), signal });
    const hashes = await inSlices(
      each(chunks, (chunk) => embedHash(document.title, chunk)),
      signal,
    );
    const reusable = await this.#vectorsByHash(hashes, signal);
    const [vectors, extraction] = await Promise.all([
      vectorsOf(document, chunks, hashes, reusable, embedder, signal),
      this.#extract(document, chunks, known, signal),
    ]);
    const names = await inSlices(
      each(chunks, (chunk) => chunkNames(document, chunk)),
      signal,
    );
    const parts = { file, document, chunks, hashes, vectors, extraction, schema, stamp: this.stamp, names };
    const contribution = await inSlices(contributionOf(parts), signal);
    await writer.replace(contribution, signal);
    const entities = new Set(contribution.entities.map((mention) => mention.key)).size;
    return { chunks: chunks.length, entities, relations: contribution.relations.length };
  }

  async #vectorsByHash(hashes: readonly string[], signal: AbortSignal): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    for (let start = 0; start < hashes.length; start += LOOKED_UP_AT_ONCE) {
      const some = await this.#parts.collection.search.vectorsByHash(hashes.slice(start, start + LOOKED_UP_AT_ONCE));
      for (const [hash, vector] of some) found.set(hash, vector);
      await turn();
      signal.throwIfAborted();
    }
    return found;
  }

  /** A file that became unreadable since it was indexed keeps what it had contributed. */
  async #parse(file: FoundFile, signal: AbortSignal, report: IndexReport): Promise<ParsedDocument | undefined> {
    const bytes = await readBytes(file, report);
    if (!bytes) return undefined;
    try {
      return await orAborted(parseDocument(file.path, bytes, kindOf(file.path) ?? { format: 'text' }), signal);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.#parts.log.debug({ err: error, file: file.path }, 'a document could not be read');
      report.skipped.push({ path: file.path, reason: error.message });
      return undefined;
    }
  }

  async #extract(document: ParsedDocument, chunks: readonly Chunk[], known: readonly string[], signal: AbortSignal): Promise<Extraction> {
    const { extractor, writer } = this.#parts;
    if (chunks.length === 0) return { entities: [], relations: [] };
    const key = hash(JSON.stringify([document.path, document.hash, this.stamp, chunks.map((chunk) => chunk.startLine)]));
    const cached = await writer.cachedExtraction(key);
    if (cached !== undefined) return JSON.parse(cached) as Extraction;
    const extraction = await orAborted(extractor.extract(document, chunks, known, signal), signal);
    if (extraction.tokens) await writer.cacheExtraction(key, JSON.stringify(extraction));
    return extraction;
  }
}

export function stampOf(schema: GraphSchema, extractor: Extractor): string {
  const { aliases: _aliases, flows: _flows, ...extracted } = schema;
  return hash(JSON.stringify([extracted, extractor.provider, extractor.model, extractor.version, CHUNKING_VERSION])).slice(0, 16);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function readBytes(file: FoundFile, report: IndexReport): Promise<Buffer | undefined> {
  try {
    return await readFile(file.absolute);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const gone = error.code === 'ENOENT';
    report.skipped.push({ path: file.path, reason: gone ? 'it went away while it was read' : 'it cannot be read: check its permissions' });
    return undefined;
  }
}

/** Waits for the work no longer than the signal allows: what cannot be stopped ends by itself and is not used. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason ?? new Failure('cancelled', 'Indexing was cancelled'));
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** All workers have ended when this does, also when one of them failed. */
async function allOrFirstFailure(workers: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

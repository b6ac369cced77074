import { hash } from 'node:crypto';
import type { Log, Progress } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import { unlessAborted } from '@millrace/storage';
import { CHUNKING_VERSION, chunkDocument } from '../document/chunk.ts';
import type { Chunk, ParsedDocument } from '../document/document.ts';
import { kindOf } from '../document/file-kinds.ts';
import { parseDocument, Unreadable } from '../document/parse.ts';
import { each, inSlices, turn } from '../document/slices.ts';
import type { Extraction, Extractor } from '../extraction/extraction.ts';
import { chunkNames } from '../names/names.ts';
import type { GraphSchema } from '../schema.ts';
import type { Collection } from '../store/collection.ts';
import type { Contribution } from '../store/contribution.ts';
import type { CollectionWriter } from '../store/writer.ts';
import { contributionOf, embedHash, withVectors } from './contribution.ts';
import { emptiesIndex, type IndexReport, refusalToEmpty } from './report.ts';
import { type FoundFile, type IndexRequest, type Plan, planRun, readBytes } from './scan.ts';

export interface IndexerParts {
  collection: Collection;
  writer: CollectionWriter;
  embedder: Embedder;
  extractor: Extractor;
  schema: GraphSchema;
  now(): Date;
  log: Log;
}

const AT_ONCE = 4;
const KNOWN_NAMES = 200;
const LOOKED_UP_AT_ONCE = 500;
const CACHE_DAYS = 90;

/** Brings a collection up to date with a folder. */
export class Indexer {
  readonly #parts: IndexerParts;
  readonly #stamp: string;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
    this.#stamp = stampOf(parts.schema, parts.extractor);
  }

  async run(request: IndexRequest): Promise<IndexReport> {
    const { writer, now } = this.#parts;
    const { root, force, dryRun, signal, progress } = request;
    const plan = (run: IndexRequest) => planRun({ writer, stamp: this.#stamp, now }, run);
    if (dryRun) return (await plan(request)).report;
    const onWait = () => progress(0, undefined, 'Waiting for another indexing run to finish');
    return writer.alone({ signal, onWait }, async (lost) => {
      const run = { ...request, signal: AbortSignal.any([signal, lost]) };
      const planned = await plan(run);
      if (!force && emptiesIndex(planned.report, planned.documents)) throw refusalToEmpty(root, planned.documents);
      return run.recorded(() => this.#carryOut(planned, run));
    });
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
        progress.add(await this.#index(file, known, request.signal, report));
        await turn();
      }
    };
    await allOrFirstFailure(Array.from({ length: AT_ONCE }, worker));
    const unreadable = new Set(report.skipped.map(({ path }) => path));
    const added = report.added.filter((path) => !unreadable.has(path));
    if (!request.force && emptiesIndex({ ...report, added }, documents)) throw refusalToEmpty(request.root, documents);
    await writer.remove(report.removed, request.signal);
    await writer.forgetExtractions(new Date(now().getTime() - CACHE_DAYS * 86_400_000));
    return report;
  }

  /** Undefined where the file cannot be read. */
  async #index(file: FoundFile, known: readonly string[], signal: AbortSignal, report: IndexReport): Promise<Contribution | undefined> {
    const { writer, embedder, schema } = this.#parts;
    const document = await this.#parse(file, signal, report);
    if (!document) {
      for (const list of [report.added, report.changed]) if (list.includes(file.path)) list.splice(list.indexOf(file.path), 1);
      return undefined;
    }
    const { maxTokens } = embedder;
    const chunks = await chunkDocument(document, { maxTokens, countTokens: (text) => embedder.countTokens(text), signal });
    const draft = (chunk: Chunk) => ({ ...chunk, embedHash: embedHash(document.title, chunk), names: chunkNames(document, chunk) });
    const drafts = await inSlices(each(chunks, draft), signal);
    const reusable = await this.#knownVectors(drafts, signal);
    const [prepared, extraction] = await Promise.all([
      withVectors(drafts, document.title, reusable, embedder, signal),
      this.#extract(document, chunks, known, signal),
    ]);
    const parts = { file, document, chunks: prepared, extraction, schema, stamp: this.#stamp };
    const contribution = await inSlices(contributionOf(parts), signal);
    await writer.replace(contribution, signal);
    return contribution;
  }

  /** Vectors that the collection has already, by the hash of what was embedded. */
  async #knownVectors(drafts: readonly { embedHash: string }[], signal: AbortSignal): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const hashes = drafts.map((draft) => draft.embedHash);
    for (let start = 0; start < hashes.length; start += LOOKED_UP_AT_ONCE) {
      const some = await this.#parts.collection.search.vectorsByHash(hashes.slice(start, start + LOOKED_UP_AT_ONCE));
      for (const [hash, vector] of some) found.set(hash, vector);
      await turn(signal);
    }
    return found;
  }

  /** A file that became unreadable since it was indexed keeps what it had contributed. */
  async #parse(file: FoundFile, signal: AbortSignal, report: IndexReport): Promise<ParsedDocument | undefined> {
    const bytes = await readBytes(file, report);
    if (!bytes) return undefined;
    try {
      return await unlessAborted(parseDocument(file.path, bytes, kindOf(file.path) ?? { format: 'text' }), signal);
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
    const key = hash('sha256', JSON.stringify([document.path, document.hash, this.#stamp, chunks.map((chunk) => chunk.startLine)]));
    const cached = await writer.cachedExtraction(key);
    if (cached !== undefined) return JSON.parse(cached);
    const extraction = await unlessAborted(extractor.extract(document, chunks, known, signal), signal);
    if (extraction.tokens) await writer.cacheExtraction(key, JSON.stringify(extraction));
    return extraction;
  }
}

export function stampOf(schema: GraphSchema, extractor: Extractor): string {
  const { aliases: _aliases, flows: _flows, ...extracted } = schema;
  return hash('sha256', JSON.stringify([extracted, extractor.provider, extractor.model, extractor.version, CHUNKING_VERSION])).slice(0, 16);
}

/** Returns after all workers have ended, even when one of them failed. */
async function allOrFirstFailure(workers: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Counts what a run has done and reports it in one line. */
class RunProgress {
  #files = 0;
  #chunks = 0;
  #entities = 0;
  readonly #total: number;
  readonly #report: Progress;
  readonly #startedAt: number;
  readonly #now: () => Date;

  constructor(total: number, report: Progress, now: () => Date) {
    this.#total = total;
    this.#report = report;
    this.#now = now;
    this.#startedAt = now().getTime();
    this.#say();
  }

  add(contribution: Contribution | undefined): void {
    this.#files++;
    this.#chunks += contribution?.chunks.length ?? 0;
    this.#entities += new Set(contribution?.entities.map((mention) => mention.key)).size;
    this.#say();
  }

  #say(): void {
    const seconds = (this.#now().getTime() - this.#startedAt) / 1000;
    const rate = seconds > 0 ? this.#files / seconds : 0;
    const parts = [`${this.#files} of ${this.#total} files`, `${this.#chunks} chunks`, `${this.#entities} entities`];
    if (rate > 0) parts.push(`${rate.toFixed(1)} files/s`, `${Math.ceil((this.#total - this.#files) / rate)} s left`);
    this.#report(this.#files, this.#total, parts.join(', '));
  }
}

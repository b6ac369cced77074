import { createHash } from 'node:crypto';
import type { Log } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import { run, type Store } from '@millrace/storage';
import type { ContextTables } from '../contexts/migrations.ts';
import { type KeptVectors, packVectors, readVectors } from './shipped-vectors.ts';
import { fromBytes, toBytes } from './vectors.ts';

const ROWS = 200;

/** Vectors of texts, computed once and kept: a text that comes back, after a restart too, costs no embedding. */
export class Embeddings {
  readonly #store: Store<ContextTables>;
  readonly #embedder: Embedder;
  readonly #shippedWith: { file: string | undefined; log: Log } | undefined;
  #shipped: Promise<KeptVectors> | undefined;

  /** Vectors that came with the product are in the file `shipped`. */
  constructor(store: Store<ContextTables>, embedder: Embedder, shipped?: { file: string | undefined; log: Log }) {
    this.#store = store;
    this.#embedder = embedder;
    this.#shippedWith = shipped;
  }

  get dimensions(): number {
    return this.#embedder.dimensions;
  }

  model(): Promise<string> {
    return this.#embedder.fingerprint();
  }

  /** In the order of the texts. */
  async of(texts: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>> {
    const wanted = [...new Set(texts)];
    const vectors = await this.#kept(wanted);
    const missing = wanted.filter((text) => !vectors.has(text));
    for (let from = 0; from < missing.length; from += ROWS) {
      const batch = missing.slice(from, from + ROWS);
      const made = await this.#embedder.embed(batch, { kind: 'passage', ...(signal && { signal }) });
      const bytes = made.map(toBytes);
      await this.#keep(batch, bytes);
      batch.forEach((text, at) => {
        // What is kept and what is used now must be the same to the last digit.
        vectors.set(text, fromBytes(bytes[at] as Uint8Array));
      });
    }
    return vectors;
  }

  async ofRequest(text: string, signal?: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.#embedder.embed([text], { kind: 'query', ...(signal && { signal }) });
    return vector as Float32Array;
  }

  async #kept(texts: readonly string[]): Promise<Map<string, Float32Array>> {
    const model = await this.model();
    const byHash = new Map(texts.map((text) => [hashOf(text), text]));
    const hashes = [...byHash.keys()];
    const vectors = new Map<string, Float32Array>();
    for (let from = 0; from < hashes.length; from += ROWS) {
      const rows = await this.#store.db
        .selectFrom('flowmind_embeddings')
        .select(['hash', 'vector'])
        .where('model', '=', model)
        .where('hash', 'in', hashes.slice(from, from + ROWS))
        .execute();
      for (const row of rows) vectors.set(byHash.get(row.hash) as string, fromBytes(row.vector));
    }
    if (vectors.size < byHash.size) await this.#addShipped(byHash, vectors);
    return vectors;
  }

  async #addShipped(byHash: ReadonlyMap<string, string>, vectors: Map<string, Float32Array>): Promise<void> {
    this.#shipped ??= this.#readShipped();
    const shipped = await this.#shipped;
    for (const [hash, text] of byHash) {
      const bytes = shipped.get(hash);
      if (bytes && !vectors.has(text)) vectors.set(text, fromBytes(bytes));
    }
  }

  /** A file that is not there or broken only costs time: its texts are embedded here. */
  async #readShipped(): Promise<KeptVectors> {
    const { file, log } = this.#shippedWith ?? {};
    if (file === undefined) return new Map();
    return readVectors(file, await this.model()).catch((error: unknown) => {
      log?.warn({ err: error, file }, 'the vectors that came with the product cannot be read, so they are computed here');
      return new Map();
    });
  }

  /** All that is kept for this model, as one file to be shipped. */
  async packed(): Promise<Buffer> {
    const model = await this.model();
    const rows = await this.#store.db
      .selectFrom('flowmind_embeddings')
      .select(['hash', 'vector'])
      .where('model', '=', model)
      .orderBy('hash')
      .execute();
    return packVectors(model, new Map(rows.map((row) => [row.hash, row.vector])));
  }

  async #keep(texts: readonly string[], vectors: readonly Uint8Array[]): Promise<void> {
    const model = await this.model();
    const rows = texts.map((text, at) => ({ model, hash: hashOf(text), vector: Buffer.from(vectors[at] as Uint8Array) }));
    await this.#store.transaction(function* (db) {
      yield* run(
        db
          .insertInto('flowmind_embeddings')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing()),
      );
    });
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 27);
}

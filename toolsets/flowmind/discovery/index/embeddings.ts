import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Log } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import { run, type Store } from '@millrace/storage';
import { z } from 'zod';
import type { ContextTables } from '../../migrations.ts';
import { unit } from './context-index.ts';

const ROWS = 200;

/** Vectors by the hash of their text, as they are stored. */
type StoredVectors = ReadonlyMap<string, Uint8Array>;

/** Vectors of texts, computed once and stored: a text that comes back, even after a restart, is not embedded again. */
export class Embeddings {
  readonly #store: Store<ContextTables>;
  readonly #embedder: Embedder;
  readonly #shippedWith: { file: string | undefined; log: Log } | undefined;
  #shipped: Promise<StoredVectors> | undefined;

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

  /** The vector of each text. */
  async of(texts: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>> {
    const wanted = [...new Set(texts)];
    const vectors = await this.#known(wanted);
    const missing = wanted.filter((text) => !vectors.has(text));
    for (let from = 0; from < missing.length; from += ROWS) {
      const batch = missing.slice(from, from + ROWS);
      const made = await this.#embedder.embed(batch, { kind: 'passage', ...(signal && { signal }) });
      const stored = made.map((vector, at) => ({ text: batch[at] ?? '', bytes: toBytes(vector) }));
      await this.#save(stored);
      // What is stored and what is used now must be the same to the last digit.
      for (const { text, bytes } of stored) vectors.set(text, fromBytes(bytes));
    }
    return vectors;
  }

  async ofRequest(text: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const [vector] = await this.#embedder.embed([text], { kind: 'query', ...(signal && { signal }) });
    return vector;
  }

  async #known(texts: readonly string[]): Promise<Map<string, Float32Array>> {
    const model = await this.model();
    const byHash = new Map(texts.map((text) => [hashOf(text), text]));
    const hashes = [...byHash.keys()];
    const vectors = new Map<string, Float32Array>();
    const add = (hash: string, bytes: Uint8Array) => {
      const text = byHash.get(hash);
      if (text !== undefined && !vectors.has(text)) vectors.set(text, fromBytes(bytes));
    };
    for (let from = 0; from < hashes.length; from += ROWS) {
      const rows = await this.#store.db
        .selectFrom('flowmind_embeddings')
        .select(['hash', 'vector'])
        .where('model', '=', model)
        .where('hash', 'in', hashes.slice(from, from + ROWS))
        .execute();
      for (const row of rows) add(row.hash, row.vector);
    }
    if (vectors.size === byHash.size) return vectors;
    this.#shipped ??= this.#readShipped();
    const shipped = await this.#shipped;
    for (const hash of hashes) {
      const bytes = shipped.get(hash);
      if (bytes) add(hash, bytes);
    }
    return vectors;
  }

  /** A missing or broken file only costs time: its texts are embedded here. */
  async #readShipped(): Promise<StoredVectors> {
    const { file, log } = this.#shippedWith ?? {};
    if (file === undefined) return new Map();
    const model = await this.model();
    try {
      return unpackedVectors(await readFile(file), model);
    } catch (error) {
      log?.warn({ err: error, file }, 'the vectors that came with the product cannot be read, so they are computed here');
      return new Map();
    }
  }

  /** All vectors of this model, as one file to be shipped. */
  async packed(): Promise<Buffer> {
    const model = await this.model();
    const rows = await this.#store.db
      .selectFrom('flowmind_embeddings')
      .select(['hash', 'vector'])
      .where('model', '=', model)
      .orderBy('hash')
      .execute();
    return packedVectors(model, new Map(rows.map((row) => [row.hash, row.vector])));
  }

  async #save(vectors: readonly { text: string; bytes: Uint8Array }[]): Promise<void> {
    const model = await this.model();
    const rows = vectors.map(({ text, bytes }) => ({ model, hash: hashOf(text), vector: Buffer.from(bytes) }));
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

/** One byte a dimension: cosines keep three digits, in a quarter of the space. */
export function toBytes(vector: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest > 0 ? 127 / largest : 0;
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * scale)).buffer);
}

export function fromBytes(bytes: Uint8Array): Float32Array {
  return unit(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
}

const LENGTH_BYTES = 4;
const header = z.object({ model: z.string(), hashes: z.array(z.string()) });

/** One file: the length of the header, the header as JSON, then vector after vector. */
function packedVectors(model: string, vectors: StoredVectors): Buffer {
  const head = Buffer.from(JSON.stringify({ model, hashes: [...vectors.keys()] } satisfies z.output<typeof header>));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, ...vectors.values()]);
}

/** None when they are of another model. */
function unpackedVectors(bytes: Buffer, wantedModel: string): StoredVectors {
  const start = LENGTH_BYTES + bytes.readUInt32LE(0);
  const { model, hashes } = header.parse(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start)));
  if (model !== wantedModel || hashes.length === 0) return new Map();
  const size = (bytes.length - start) / hashes.length;
  return new Map(hashes.map((hash, at) => [hash, bytes.subarray(start + at * size, start + (at + 1) * size)]));
}

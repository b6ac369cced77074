import type { SqliteStore, TransactionBody } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InsertedChunk } from './contribution.ts';
import { among, statement } from './rows.ts';
import { COMMON_AT_LEAST, COMMON_SHARE, ENOUGH_RARE_WORDS, type ScoredChunk, type SearchTables } from './search-tables.ts';
import { product, SignatureIndex, signatureOf } from './signatures.ts';
import type { Tables } from './tables.ts';

/** How many candidates of the signatures are compared in full. */
const RESCORED = 300;
/** Up to this many chunks, all vectors are kept in memory and compared in full. */
const SMALL_COLLECTION = 4000;
const MOST_WORDS = 24;
const MOST_COUNTED = 20_000;
const REMOVED_AT_ONCE = 200;

/** FTS5 for words; signatures in memory and full vectors in the file for nearness. */
export class SqliteSearch implements SearchTables {
  readonly #store: SqliteStore<Tables>;
  readonly #counted = new Map<string, { chunks: number; limit: number }>();
  #small: { generation: string; dimensions: number; vectors: readonly { chunkId: number; values: Float32Array }[] } | undefined;
  #index: { generation: string; dimensions: number; signatures: SignatureIndex } | undefined;

  constructor(store: SqliteStore<Tables>) {
    this.#store = store;
  }

  async prepare(): Promise<void> {}

  *add(db: Kysely<Tables>, title: string, chunks: readonly InsertedChunk[]): TransactionBody<void> {
    for (const { id, headings, text, vector } of chunks) {
      const words = sql`(${id}, ${title}, ${headings.join(' ')}, ${text})`;
      yield* statement(db, sql`INSERT INTO chunk_words (rowid, title, headings, body) VALUES ${words}`);
      yield* statement(db, sql`INSERT INTO vectors (chunk_id, embedding) VALUES (${id}, ${bytesOf(vector)})`);
      yield* statement(db, sql`INSERT INTO signatures (chunk_id, bits) VALUES (${id}, ${Buffer.from(signatureOf(vector))})`);
    }
  }

  /** Each text is taken back word for word: only so do the counts behind BM25 stay exact. */
  *remove(db: Kysely<Tables>, documentId: number): TransactionBody<void> {
    for (let start = 0; ; start += REMOVED_AT_ONCE) {
      const rows = yield* statement<{ id: number; title: string; headings: string; text: string }>(
        db,
        sql`SELECT c.id, d.title, c.headings, c.text FROM chunks c JOIN documents d ON d.id = c.document_id
          WHERE d.id = ${documentId} AND c.ordinal >= ${start} AND c.ordinal < ${start + REMOVED_AT_ONCE}`,
      );
      if (rows.length === 0) return;
      for (const { id, title, headings, text } of rows) {
        const words = sql`('delete', ${id}, ${title}, ${JSON.parse(headings).join(' ')}, ${text})`;
        yield* statement(db, sql`INSERT INTO chunk_words (chunk_words, rowid, title, headings, body) VALUES ${words}`);
      }
    }
  }

  async lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]> {
    const match = this.#match(words);
    if (!match) return [];
    const rows = await this.#rows(sql<{ chunkId: number; rank: number }>`
      SELECT rowid AS "chunkId", bm25(chunk_words, 2.0, 1.5, 1.0) AS rank FROM chunk_words
      WHERE chunk_words MATCH ${match} ORDER BY rank LIMIT ${limit}`);
    return rows.map(({ chunkId, rank }) => ({ chunkId, score: -rank }));
  }

  /** The words as an FTS5 query of plain strings, or nothing where no word is left. */
  #match(words: readonly string[]): string | undefined {
    const terms = [...new Set(words.flatMap((word) => word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((term) => term.toLowerCase()))];
    if (terms.length === 0) return undefined;
    const common = Math.max(COMMON_AT_LEAST, Math.ceil(this.#allChunks() * COMMON_SHARE));
    const rare = terms.slice(0, MOST_WORDS * 4).filter((term) => this.#chunksWith(term, common) < common);
    return (rare.length >= ENOUGH_RARE_WORDS ? rare : terms).slice(0, MOST_WORDS).map(quoted).join(' OR ');
  }

  /** How many chunks have the word; counting stops at the limit. Common words come again and again, so counts are kept for a while. */
  #chunksWith(term: string, limit: number): number {
    if (this.#counted.size > MOST_COUNTED) this.#counted.clear();
    const known = this.#counted.get(term);
    if (known !== undefined && known.limit === limit) return known.chunks;
    const query = 'SELECT COUNT(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH ? LIMIT ?)';
    const chunks = Number(this.#store.connection.prepare(query).pluck().get(quoted(term), limit));
    this.#counted.set(term, { chunks, limit });
    return chunks;
  }

  #allChunks(): number {
    return Number(this.#store.connection.prepare('SELECT COUNT(*) FROM signatures').pluck().get());
  }

  async nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]> {
    const scored: ScoredChunk[] = [];
    const signatures = this.#signatures(vector.length);
    if (signatures.count <= SMALL_COLLECTION) {
      for (const { chunkId, values } of this.#allVectors(vector.length)) scored.push({ chunkId, score: product(vector, values) });
      return scored.sort(best).slice(0, limit);
    }
    this.#small = undefined;
    const candidates = signatures.candidates(vector, Math.max(RESCORED, limit * 4));
    for (const [chunkId, candidate] of await this.vectors(candidates)) {
      if (candidate.length === vector.length) scored.push({ chunkId, score: product(vector, candidate) });
    }
    return scored.sort(best).slice(0, limit);
  }

  /** Read again after every change: a small collection is read quickly. */
  #allVectors(dimensions: number): readonly { chunkId: number; values: Float32Array }[] {
    const generation = this.#generation();
    if (this.#small?.generation === generation && this.#small.dimensions === dimensions) return this.#small.vectors;
    const query = 'SELECT chunk_id, embedding FROM vectors WHERE LENGTH(embedding) = ? ORDER BY chunk_id';
    const rows = this.#store.connection.prepare<[number], [number, Buffer]>(query).raw();
    const vectors = Array.from(rows.iterate(dimensions * Float32Array.BYTES_PER_ELEMENT), ([chunkId, embedding]) => ({
      chunkId,
      values: vectorOf(embedding),
    }));
    this.#small = { generation, dimensions, vectors };
    return vectors;
  }

  #generation(): string {
    return String(this.#store.connection.prepare("SELECT value FROM meta WHERE key = 'generation'").pluck().get() ?? '');
  }

  async #rows<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return (await query.execute(this.#store.db)).rows;
  }

  async vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = await this.#rows(sql<{ chunk_id: number; embedding: Buffer }>`
      SELECT chunk_id, embedding FROM vectors WHERE ${among('sqlite', 'chunk_id', chunkIds)}`);
    return new Map(rows.map((row) => [row.chunk_id, vectorOf(row.embedding)]));
  }

  async vectorsByHash(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const rows = await this.#rows(sql<{ embed_hash: string; embedding: Buffer }>`
      SELECT c.embed_hash, v.embedding FROM chunks c JOIN vectors v ON v.chunk_id = c.id WHERE ${among('sqlite', 'c.embed_hash', hashes)}`);
    return new Map(rows.map((row) => [row.embed_hash, vectorOf(row.embedding)]));
  }

  /** New signatures are added to those in memory; removed ones fall out when their vectors are looked up, until they are too many. */
  #signatures(dimensions: number): SignatureIndex {
    const { connection } = this.#store;
    const generation = this.#generation();
    if (this.#index?.generation === generation && this.#index.dimensions === dimensions) return this.#index.signatures;
    const load = connection.prepare<[number], [number, Buffer]>(
      'SELECT chunk_id, bits FROM signatures WHERE chunk_id > ? ORDER BY chunk_id',
    );
    const completed = (index: SignatureIndex) => {
      for (const [id, bits] of load.raw().iterate(index.last)) index.add(id, bits);
      return index;
    };
    let signatures = completed(this.#index?.dimensions === dimensions ? this.#index.signatures : new SignatureIndex(dimensions));
    if (signatures.count > this.#allChunks() + RESCORED / 2) signatures = completed(new SignatureIndex(dimensions));
    this.#index = { generation, dimensions, signatures };
    return signatures;
  }
}

function best(a: ScoredChunk, b: ScoredChunk): number {
  return b.score - a.score || a.chunkId - b.chunkId;
}

function quoted(term: string): string {
  return `"${term}"`;
}

function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied only where the bytes of a row do not lie as floats must. */
function vectorOf(bytes: Buffer): Float32Array {
  const { buffer, byteOffset } = bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? bytes : new Uint8Array(bytes);
  return new Float32Array(buffer, byteOffset, bytes.byteLength >> 2);
}

import type { PostgresStore, Statement } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';
import type { ScoredChunk } from '../ports.ts';
import type { ContributedChunk } from './contribution.ts';
import { among, statement } from './rows.ts';
import type { SearchTables } from './search-tables.ts';
import type { Tables } from './tables.ts';

/** The longest vectors that pgvector puts into an HNSW index; longer ones are compared one by one. */
const LONGEST_INDEXED = 2000;
const MOST_WORDS = 24;

/** tsvector for words, pgvector with HNSW for nearness. */
export class PostgresSearch implements SearchTables {
  readonly #store: PostgresStore<Tables>;
  #dimensions: number | undefined;

  constructor(store: PostgresStore<Tables>) {
    this.#store = store;
  }

  async prepare(dimensions: number): Promise<void> {
    if (this.#dimensions === dimensions) return;
    await sql`DROP INDEX IF EXISTS ${sql.raw(await this.#otherIndexes(dimensions))}`.execute(this.#store.db);
    if (dimensions <= LONGEST_INDEXED) {
      await sql`CREATE INDEX IF NOT EXISTS ${sql.raw(indexName(dimensions))} ON vectors
        USING hnsw ((embedding::vector(${sql.raw(String(dimensions))})) vector_cosine_ops)`.execute(this.#store.db);
    }
    this.#dimensions = dimensions;
  }

  async #otherIndexes(dimensions: number): Promise<string> {
    const { rows } = await sql<{ indexname: string }>`SELECT indexname FROM pg_indexes
      WHERE schemaname = current_schema() AND indexname LIKE 'vectors_hnsw_%' AND indexname <> ${indexName(dimensions)}`.execute(
      this.#store.db,
    );
    return rows.length > 0 ? rows.map((row) => row.indexname).join(', ') : 'vectors_hnsw_none';
  }

  *add(
    db: Kysely<Tables>,
    title: string,
    chunks: readonly ContributedChunk[],
    chunkIds: readonly number[],
  ): Generator<Statement, void, unknown[]> {
    for (const chunk of chunks) {
      const id = chunkIds[chunk.ordinal] as number;
      yield* statement(
        db,
        sql`INSERT INTO chunk_words (chunk_id, words) VALUES (${id}, setweight(to_tsvector('english', ${title}), 'A')
          || setweight(to_tsvector('english', ${chunk.headings.join(' ')}), 'B') || setweight(to_tsvector('english', ${chunk.text}), 'C'))`,
      );
      yield* statement(db, sql`INSERT INTO vectors (chunk_id, embedding) VALUES (${id}, ${vectorText(chunk.vector)}::vector)`);
    }
  }

  *remove(): Generator<Statement, void, unknown[]> {}

  async lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]> {
    const terms = [...new Set(words.flatMap((word) => word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map((term) => term.toLowerCase()))];
    if (terms.length === 0) return [];
    const { rows } = await sql<ScoredChunk>`WITH wanted AS (
        SELECT to_tsquery('english', string_agg(quote_literal(term), ' | ')) AS query FROM unnest(${terms.slice(0, MOST_WORDS)}::text[]) AS term)
      SELECT w.chunk_id AS "chunkId", ts_rank('{0.1, 0.5, 0.75, 1.0}', w.words, wanted.query, 1) AS score
      FROM chunk_words w, wanted WHERE w.words @@ wanted.query ORDER BY score DESC, w.chunk_id LIMIT ${limit}`.execute(this.#store.db);
    return rows;
  }

  async nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]> {
    const dimensions = sql.raw(String(vector.length));
    const query = sql`${vectorText(vector)}::vector(${dimensions})`;
    const { rows } = await sql<{
      chunkId: number;
      distance: number;
    }>`SELECT chunk_id AS "chunkId", embedding::vector(${dimensions}) <=> ${query} AS distance
      FROM vectors WHERE vector_dims(embedding) = ${vector.length} ORDER BY embedding::vector(${dimensions}) <=> ${query} LIMIT ${limit}`.execute(
      this.#store.db,
    );
    return rows.map(({ chunkId, distance }) => ({ chunkId, score: 1 - distance }));
  }

  async vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const { rows } = await sql<{ chunk_id: number; embedding: string }>`
      SELECT chunk_id, embedding::text AS embedding FROM vectors WHERE ${among('postgres', 'chunk_id', chunkIds)}`.execute(this.#store.db);
    return new Map(rows.map((row) => [row.chunk_id, vectorOf(row.embedding)]));
  }

  async vectorsByHash(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const { rows } = await sql<{ embed_hash: string; embedding: string }>`SELECT c.embed_hash, v.embedding::text AS embedding
      FROM chunks c JOIN vectors v ON v.chunk_id = c.id WHERE ${among('postgres', 'c.embed_hash', hashes)}`.execute(this.#store.db);
    return new Map(rows.map((row) => [row.embed_hash, vectorOf(row.embedding)]));
  }
}

function indexName(dimensions: number): string {
  return `vectors_hnsw_${dimensions}`;
}

function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function vectorOf(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text) as number[]);
}

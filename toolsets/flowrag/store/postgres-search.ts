import type { PostgresStore, TransactionBody } from '@millrace/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InsertedChunk } from './contribution.ts';
import { among, statement } from './rows.ts';
import { COMMON_AT_LEAST, COMMON_SHARE, ENOUGH_RARE_WORDS, type ScoredChunk, type SearchTables } from './search-tables.ts';
import type { Tables } from './tables.ts';

/** The longest vectors that pgvector puts into an HNSW index; longer ones are compared one by one. */
const LONGEST_INDEXED = 2000;
const MOST_WORDS = 24;
/** Of very many matches only the most promising are ranked in full. */
const RESCORED = 2000;
/** A word that nearly every chunk has still counts a little, as in SQLite. */
const LEAST_GAIN = 1e-6;

interface Counted {
  lexeme: string;
  /** How often the question says it. */
  times: number;
  chunks: number;
}

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
    const rows = await this.#rows(sql<{ indexname: string }>`SELECT indexname FROM pg_indexes
      WHERE schemaname = current_schema() AND indexname LIKE 'vectors_hnsw_%' AND indexname <> ${indexName(dimensions)}`);
    return rows.length > 0 ? rows.map((row) => row.indexname).join(', ') : 'vectors_hnsw_none';
  }

  *add(db: Kysely<Tables>, title: string, chunks: readonly InsertedChunk[]): TransactionBody<void> {
    for (const { id, headings, text, vector } of chunks) {
      const [called, below, body] = [plainWords(title), plainWords(headings.join(' ')), plainWords(text)];
      const words = sql`${weighed(called, 'A')} || ${weighed(below, 'B')} || ${weighed(body, 'C')}`;
      const length = called.length + below.length + body.length;
      yield* statement(db, sql`INSERT INTO chunk_words (chunk_id, length, words) VALUES (${id}, ${length}, ${words})`);
      yield* statement(db, sql`INSERT INTO vectors (chunk_id, embedding) VALUES (${id}, ${vectorText(vector)}::vector)`);
    }
  }

  *remove(): TransactionBody<void> {}

  /** BM25 with the same constants, weights and choice of words as SQLite's. */
  async lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]> {
    const { terms, all } = await this.#counted(plainWords(words.join(' ')).slice(0, MOST_WORDS));
    const common = Math.max(COMMON_AT_LEAST, Math.ceil(all.chunks * COMMON_SHARE));
    const rare = terms.filter((term) => term.chunks < common);
    const chosen = (rare.length >= ENOUGH_RARE_WORDS ? rare : terms).filter((term) => term.chunks > 0);
    if (chosen.length === 0) return [];
    const gains = chosen.map(({ times, chunks }) => times * Math.max(LEAST_GAIN, Math.log((all.chunks - chunks + 0.5) / (chunks + 0.5))));
    const lexemes = chosen.map(({ lexeme }) => lexeme);
    const query = sql`${lexemes.map((lexeme) => `'${lexeme}'`).join(' | ')}::tsquery`;
    return await this.#rows(sql<ScoredChunk>`
      WITH found AS (SELECT chunk_id, words, length FROM chunk_words WHERE words @@ ${query}
        ORDER BY ts_rank('{0.1, 0.5, 0.75, 1.0}', words, ${query}, 1) DESC, chunk_id LIMIT ${RESCORED}),
      gains AS (SELECT * FROM unnest(${lexemes}::text[], ${gains}::float8[]) AS gain (lexeme, weight)),
      counts AS (SELECT f.chunk_id, f.length, u.lexeme, (SELECT SUM(CASE place WHEN 'A' THEN 2.0 WHEN 'B' THEN 1.5 ELSE 1.0 END)
          FROM unnest(u.weights) AS place)::float8 AS times FROM found f CROSS JOIN LATERAL unnest(f.words) u WHERE u.lexeme = ANY(${lexemes}))
      SELECT c.chunk_id AS "chunkId", SUM(g.weight * c.times * 2.2 / (c.times + 1.2 * (0.25 + 0.75 * c.length / ${all.length}::float8))) AS score
      FROM counts c JOIN gains g ON g.lexeme = c.lexeme GROUP BY c.chunk_id ORDER BY score DESC, c.chunk_id LIMIT ${limit}`);
  }

  /** The stems of the words with how many chunks have each, and what all chunks have. */
  async #counted(words: readonly string[]): Promise<{ terms: Counted[]; all: { chunks: number; length: number } }> {
    const terms = await this.#rows(sql<Counted>`SELECT t.lexeme, cardinality(t.positions) AS times,
        (SELECT COUNT(*) FROM chunk_words c WHERE c.words @@ quote_literal(t.lexeme)::tsquery)::float8 AS chunks
      FROM unnest(to_tsvector('flowrag_words', ${words.join(' ')})) t`);
    const rows = await this.#rows(sql<{ chunks: number; length: number }>`
      SELECT COUNT(*)::float8 AS chunks, GREATEST(1, COALESCE(AVG(length), 1))::float8 AS length FROM chunk_words`);
    return { terms, all: rows[0] ?? { chunks: 0, length: 1 } };
  }

  async nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]> {
    const dimensions = sql.raw(String(vector.length));
    const query = sql`${vectorText(vector)}::vector(${dimensions})`;
    const rows = await this.#rows(sql<{
      chunkId: number;
      distance: number;
    }>`SELECT chunk_id AS "chunkId", embedding::vector(${dimensions}) <=> ${query} AS distance
      FROM vectors WHERE vector_dims(embedding) = ${vector.length} ORDER BY embedding::vector(${dimensions}) <=> ${query} LIMIT ${limit}`);
    return rows.map(({ chunkId, distance }) => ({ chunkId, score: 1 - distance }));
  }

  async #rows<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    return (await query.execute(this.#store.db)).rows;
  }

  async vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>> {
    const rows = await this.#rows(sql<{ chunk_id: number; embedding: string }>`
      SELECT chunk_id, embedding::text AS embedding FROM vectors WHERE ${among('postgres', 'chunk_id', chunkIds)}`);
    return new Map(rows.map((row) => [row.chunk_id, vectorOf(row.embedding)]));
  }

  async vectorsByHash(hashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const rows = await this.#rows(sql<{ embed_hash: string; embedding: string }>`SELECT c.embed_hash, v.embedding::text AS embedding
      FROM chunks c JOIN vectors v ON v.chunk_id = c.id WHERE ${among('postgres', 'c.embed_hash', hashes)}`);
    return new Map(rows.map((row) => [row.embed_hash, vectorOf(row.embedding)]));
  }
}

/** The words as SQLite's tokenizer cuts them: letters and digits, without accents. */
function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  );
}

function weighed(words: readonly string[], place: 'A' | 'B' | 'C'): RawBuilder<unknown> {
  return sql`setweight(to_tsvector('flowrag_words', ${words.join(' ')}), ${sql.lit(place)})`;
}

function indexName(dimensions: number): string {
  return `vectors_hnsw_${dimensions}`;
}

function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function vectorOf(text: string): Float32Array {
  return Float32Array.from(JSON.parse(text));
}

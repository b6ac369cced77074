import type { TransactionBody } from '@millrace/storage';
import type { Kysely } from 'kysely';
import type { InsertedChunk } from './contribution.ts';
import type { Tables } from './tables.ts';

/** A word in more than this share of the chunks says little and costs most: it is left out where others remain. */
export const COMMON_SHARE = 0.05;
export const COMMON_AT_LEAST = 2000;
/** With fewer rare words than this the common ones stay. */
export const ENOUGH_RARE_WORDS = 2;

export interface ScoredChunk {
  chunkId: number;
  /** Higher is better. For vectors the cosine; for words the negated bm25. */
  score: number;
}

/** Words and vectors of a collection: the part that each dialect does in its own way. */
export interface SearchTables {
  /** Gets ready for vectors of this length. */
  prepare(dimensions: number): Promise<void>;
  add(db: Kysely<Tables>, title: string, chunks: readonly InsertedChunk[]): TransactionBody<void>;
  /** What does not go with the document's rows by itself. */
  remove(db: Kysely<Tables>, documentId: number): TransactionBody<void>;
  /** BM25 over title, headings and text. Any of the words suffices; operators and quotes in them mean nothing. */
  lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]>;
  /** The nearest chunks by cosine. The vector has unit length. */
  nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]>;
  vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Vectors of texts that are already in the collection, by the hash of what was embedded. */
  vectorsByHash(hashes: readonly string[]): Promise<Map<string, Float32Array>>;
}

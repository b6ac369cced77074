import type { Statement } from '@millrace/storage';
import type { Kysely } from 'kysely';
import type { ScoredChunk } from '../ports.ts';
import type { ContributedChunk } from './contribution.ts';
import type { Tables } from './tables.ts';

/** A word in more than this share of the chunks says little and costs most: it is left out where others remain. */
export const COMMON_SHARE = 0.05;
export const COMMON_AT_LEAST = 2000;
/** With fewer rare words than this the common ones stay. */
export const ENOUGH_RARE_WORDS = 2;

/** Words and vectors of a collection: the part that each dialect does in its own way. */
export interface SearchTables {
  /** Makes ready for vectors of this length. */
  prepare(dimensions: number): Promise<void>;
  add(
    db: Kysely<Tables>,
    title: string,
    chunks: readonly ContributedChunk[],
    chunkIds: readonly number[],
  ): Generator<Statement, void, unknown[]>;
  /** What does not go with the document's rows by itself. */
  remove(db: Kysely<Tables>, documentId: number): Generator<Statement, void, unknown[]>;
  lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]>;
  nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]>;
  vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>>;
  /** Vectors of texts that are already in the collection, by the hash of what was embedded. */
  vectorsByHash(hashes: readonly string[]): Promise<Map<string, Float32Array>>;
}

import type { Statement } from '@millrace/storage';
import type { Kysely } from 'kysely';
import type { ScoredChunk } from '../ports.ts';
import type { ContributedChunk } from './contribution.ts';
import type { Tables } from './tables.ts';

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

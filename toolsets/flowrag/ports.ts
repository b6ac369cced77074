import type { Embedder } from '@millrace/models';
import type { Chunk, Format, ParsedDocument } from './ingest/document.ts';
import type { FieldValue } from './schema.ts';

/** What an extractor found in one document. Types are those of the configured schema, or the whole is refused by the store. */
export interface Extraction {
  entities: ExtractedEntity[];
  relations: ExtractedRelation[];
  /** What it cost, where a model was asked. */
  tokens?: { input: number; output: number };
}

export interface ExtractedEntity {
  name: string;
  type: string;
  description: string;
  fields: Record<string, unknown>;
  /** Other names that the document itself gives to it. */
  aliases: string[];
  /** Ordinals of the chunks that speak of it; never empty. */
  chunks: number[];
}

export interface ExtractedRelation {
  source: string;
  type: string;
  target: string;
  description: string;
  fields: Record<string, unknown>;
  /** 0 to 1. */
  confidence: number;
  evidence: Evidence;
  /** Guessed from nearness rather than stated: ranks results, stays out of trace and path unless asked for. */
  inferred: boolean;
}

export interface Evidence {
  /** The line of the file that says it. */
  line: number;
  text: string;
}

/** Finds entities and relations in a document. The same input gives the same output as far as the provider allows. */
export interface Extractor {
  provider: string;
  model: string;
  /** Changes whenever the same document could be extracted differently: prompt or rule version. */
  version: string;
  extract(document: ParsedDocument, chunks: readonly Chunk[], known: readonly string[], signal: AbortSignal): Promise<Extraction>;
}

/**
 * How a chunk carries a name. `title`: its document is called so. `alias`: a shorter or looser form of that title.
 * `mention`: a whole name in its text. `part`: a stretch of a longer name there, which counts only where it is somebody's title.
 */
export type NameRole = 'title' | 'alias' | 'mention' | 'part';

export interface ScoredChunk {
  chunkId: number;
  /** Higher is better. For vectors the cosine; for words the negated bm25. */
  score: number;
}

export interface StoredChunk extends Chunk {
  id: number;
  documentId: number;
  path: string;
  title: string;
  format: Format;
}

export interface StoredDocument {
  id: number;
  path: string;
  title: string;
  format: Format;
  fields: Record<string, FieldValue>;
  chunks: number;
}

export interface StoredEntity {
  /** The normalised name, as entityKey makes it. */
  id: string;
  name: string;
  type: string;
  description: string;
  fields: Record<string, FieldValue>;
  aliases: string[];
  /** How many chunks speak of it. */
  mentions: number;
}

export interface StoredRelation {
  id: number;
  sourceId: string;
  source: string;
  type: string;
  targetId: string;
  target: string;
  description: string;
  fields: Record<string, FieldValue>;
  confidence: number;
  inferred: boolean;
  /** The strongest evidence first. */
  evidence: { path: string; line: number; text: string }[];
}

export interface EntityFilter {
  type?: string;
  /** Part of the name, an alias or the description, in any case. */
  query?: string;
  limit: number;
}

export interface Counts {
  documents: number;
  chunks: number;
  entities: number;
  relations: number;
  vectors: number;
}

/** What retrieval and the graph tools read. Lists of ids may be long: the store splits them. Unknown ids are left out. */
export interface KnowledgeStore {
  /** Grows with every committed change, by whatever process: for caches. */
  generation(): Promise<number>;
  counts(): Promise<Counts>;

  /** BM25 over title, headings and text. Any of the words suffices; operators and quotes in them mean nothing. */
  lexical(words: readonly string[], limit: number): Promise<ScoredChunk[]>;
  /** The nearest chunks by cosine. The vector has unit length. */
  nearest(vector: Float32Array, limit: number): Promise<ScoredChunk[]>;
  /** Vectors of chunks, for diversity and representatives. */
  vectors(chunkIds: readonly number[]): Promise<Map<number, Float32Array>>;

  chunks(ids: readonly number[]): Promise<StoredChunk[]>;
  /** The chunks of documents, in their order. */
  chunksOfDocuments(documentIds: readonly number[]): Promise<StoredChunk[]>;
  documents(ids: readonly number[]): Promise<StoredDocument[]>;

  /** The names that chunks carry (as retrieval's chunkNames found them when they were indexed), with how many documents have each. */
  namesOfChunks(chunkIds: readonly number[]): Promise<{ chunkId: number; name: string; role: NameRole; documents: number }[]>;
  chunksWithNames(
    names: readonly string[],
    options?: { roles?: readonly NameRole[]; mostDocuments?: number },
  ): Promise<{ chunkId: number; documentId: number; name: string; role: NameRole }[]>;

  entities(filter: EntityFilter): Promise<StoredEntity[]>;
  entitiesById(ids: readonly string[]): Promise<StoredEntity[]>;
  /** Entities that have one of these keys (see entityKey) as their name or as an alias. */
  entitiesByKey(keys: readonly string[]): Promise<{ key: string; entityId: string }[]>;
  entitiesOfChunks(chunkIds: readonly number[]): Promise<{ chunkId: number; entityId: string }[]>;
  chunksOfEntities(entityIds: readonly string[]): Promise<{ entityId: string; chunkId: number }[]>;
  /** All entities that a name could mean: id or exact name, else any case, else a part of the name (see graph/resolve.ts). */
  entityNames(): Promise<{ id: string; name: string; aliases: string[] }[]>;

  relationsOf(entityIds: readonly string[], options: { inferred: boolean }): Promise<StoredRelation[]>;
  /** How often two entities share a chunk, for pairs that do so at least `least` times. */
  coOccurrences(least: number): Promise<{ a: string; b: string; chunks: number }[]>;
  /** The whole graph in little: for communities. Cache it by generation(). */
  entityGraph(): Promise<{
    entities: { id: string; name: string; type: string; mentions: number }[];
    relations: { sourceId: string; targetId: string; type: string; confidence: number; inferred: boolean }[];
  }>;
}

export const SEARCH_MODES = ['hybrid', 'local', 'global', 'naive'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

export interface SearchRequest {
  query: string;
  mode: SearchMode;
  limit: number;
  /** At most this many tokens of snippets; unlimited when not given. */
  tokenBudget?: number;
  /** At most one hit a document. */
  distinct?: 'document';
  signal?: AbortSignal;
}

export interface SearchHit {
  /** As published; a lexical share shows in the explanation. */
  source: 'vector' | 'graph';
  /** 0 to 1, higher is better, falling within a reply. */
  score: number;
  path: string;
  title: string;
  startLine: number;
  endLine: number;
  headings: string[];
  /** Around the match, bounded. */
  snippet: string;
  chunkId: number;
  /** Why it ranked: one short sentence of ours, such as "vector 0.71 (rank 1), words 12.3 (rank 2), graph 0.04". */
  explanation: string;
}

/** What retrieval exports: `search(store, embedder, request)`. The query is embedded only in modes that need it. */
export type Search = (store: KnowledgeStore, embedder: Embedder, request: SearchRequest) => Promise<SearchHit[]>;

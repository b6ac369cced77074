/**
 * The tables of a collection. What documents contributed is kept apart from what follows from it: the *_mentions tables
 * hold the contributions, row by row with their chunk, and go with it; entities and relations are computed from them.
 */
export interface Tables {
  documents: DocumentsTable;
  chunks: ChunksTable;
  vectors: VectorsTable;
  signatures: SignaturesTable;
  names: NamesTable;
  chunk_names: ChunkNamesTable;
  entity_mentions: EntityMentionsTable;
  alias_mentions: AliasMentionsTable;
  relation_mentions: RelationMentionsTable;
  merges: MergesTable;
  entities: EntitiesTable;
  entity_keys: EntityKeysTable;
  relations: RelationsTable;
  extraction_cache: ExtractionCacheTable;
  meta: MetaTable;
  leases: LeasesTable;
}

export interface DocumentsTable {
  id: number;
  path: string;
  hash: string;
  title: string;
  format: string;
  fields: string;
  bytes: number;
  /** Size and modification time when it was read: a file with the same ones is not even read again. */
  modified_ms: number;
  /** Identifies schema, extractor and chunking that made the contributions: another one makes the document stale. */
  stamp: string;
  indexed_at: string;
}

export interface ChunksTable {
  id: number;
  document_id: number;
  ordinal: number;
  text: string;
  /** SHA-256 of what is embedded: an unchanged piece of a changed file keeps its vector. */
  embed_hash: string;
  start_line: number;
  end_line: number;
  headings: string;
  tokens: number;
}

export interface VectorsTable {
  chunk_id: number;
  /** SQLite: little-endian float32. Postgres: pgvector's own type, as text. */
  embedding: Uint8Array | string;
}

/** SQLite only: one bit a dimension, the sign. What a search scans first. */
export interface SignaturesTable {
  chunk_id: number;
  bits: Uint8Array;
}

export interface NamesTable {
  id: number;
  name: string;
  /** How many documents carry it. */
  documents: number;
}

export interface ChunkNamesTable {
  name_id: number;
  chunk_id: number;
  document_id: number;
  role: string;
}

export interface EntityMentionsTable {
  chunk_id: number;
  document_id: number;
  key: string;
  name: string;
  type: string;
  description: string;
  fields: string;
}

export interface AliasMentionsTable {
  document_id: number;
  key: string;
  alias_key: string;
  alias: string;
}

export interface RelationMentionsTable {
  id: number;
  document_id: number;
  chunk_id: number;
  source_key: string;
  type: string;
  target_key: string;
  description: string;
  fields: string;
  confidence: number;
  inferred: number;
  line: number;
  evidence: string;
}

/** Said by a person or the configuration: survives every re-index. */
export interface MergesTable {
  alias_key: string;
  alias: string;
  key: string;
  name: string;
  origin: 'configuration' | 'person';
}

export interface EntitiesTable {
  id: string;
  name: string;
  type: string;
  description: string;
  fields: string;
  mentions: number;
}

/** Every key that leads to an entity: its own, its aliases', its merged ones'. */
export interface EntityKeysTable {
  key: string;
  entity_id: string;
  name: string;
}

export interface RelationsTable {
  id: number;
  source_id: string;
  type: string;
  target_id: string;
  description: string;
  fields: string;
  confidence: number;
  inferred: number;
}

export interface ExtractionCacheTable {
  /** Of content, schema, provider, model and prompt version. */
  key: string;
  extraction: string;
  used_at: string;
}

export interface MetaTable {
  key: string;
  value: string;
}

/** Who works on the collection: one indexing run at a time, over all processes. */
export interface LeasesTable {
  name: string;
  holder: string;
  expires_at: number;
}

/**
 * The tables of a collection. What documents contributed is kept apart from what follows from it: the *_mentions tables
 * hold the contributions, row by row with their chunk, and go with it; entities and relations are computed from them.
 */
export interface Tables {
  documents: {
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
  };
  chunks: {
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
  };
  vectors: {
    chunk_id: number;
    /** SQLite: little-endian float32. Postgres: pgvector's own type, as text. */
    embedding: Uint8Array | string;
  };
  /** SQLite only: one bit a dimension, the sign. What a search scans first. */
  signatures: { chunk_id: number; bits: Uint8Array };
  names: {
    id: number;
    name: string;
    /** How many documents carry it. */
    documents: number;
  };
  chunk_names: { name_id: number; chunk_id: number; document_id: number; role: string };
  entity_mentions: {
    chunk_id: number;
    document_id: number;
    key: string;
    name: string;
    type: string;
    description: string;
    fields: string;
  };
  alias_mentions: { document_id: number; key: string; alias_key: string; alias: string };
  relation_mentions: {
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
  };
  /** Said by a person or the configuration: survives every re-index. */
  merges: { alias_key: string; alias: string; key: string; name: string; origin: 'configuration' | 'person' };
  entities: { id: string; name: string; type: string; description: string; fields: string; mentions: number };
  /** Every key that leads to an entity: its own, its aliases', its merged ones'. */
  entity_keys: { key: string; entity_id: string; name: string };
  relations: {
    id: number;
    source_id: string;
    type: string;
    target_id: string;
    description: string;
    fields: string;
    confidence: number;
    inferred: number;
  };
  extraction_cache: {
    /** Of content, schema, provider, model and prompt version. */
    key: string;
    extraction: string;
    used_at: string;
  };
  meta: { key: string; value: string };
  /** Who works on the collection: one indexing run at a time, over all processes. */
  leases: { name: string; holder: string; expires_at: number };
}

import type { ColumnTypes, Migration } from '@millrace/storage';
import { type Kysely, sql } from 'kysely';

/** The tables of a collection; words and vectors are kept in what each dialect searches best. */
export const collectionMigrations: readonly Migration[] = [
  {
    name: 'flowrag-0001-collection',
    *up(db, types) {
      for (const statement of [...tables(types), ...(types.dialect === 'sqlite' ? SQLITE : POSTGRES)]) yield raw(db, statement);
    },
  },
  {
    name: 'flowrag-0002-relations-of-chunks',
    *up(db) {
      yield raw(db, 'CREATE INDEX relation_mentions_of_chunk ON relation_mentions (chunk_id)');
    },
  },
  {
    name: 'flowrag-0003-same-words',
    *up(db, { dialect }) {
      if (dialect === 'postgres') for (const statement of SAME_WORDS) yield raw(db, statement);
    },
  },
];

function raw(db: Kysely<never>, statement: string) {
  return { compile: () => sql.raw(statement).compile(db) };
}

function tables({ dialect, real, serial }: ColumnTypes): string[] {
  const id = dialect === 'sqlite' ? 'id INTEGER PRIMARY KEY AUTOINCREMENT' : `id ${serial} PRIMARY KEY`;
  const document = 'document_id BIGINT NOT NULL REFERENCES documents (id) ON DELETE CASCADE';
  const chunk = 'chunk_id BIGINT NOT NULL REFERENCES chunks (id) ON DELETE CASCADE';
  return [
    `CREATE TABLE documents (${id}, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, title TEXT NOT NULL, format TEXT NOT NULL,
      fields TEXT NOT NULL, bytes BIGINT NOT NULL, modified_ms ${real} NOT NULL, stamp TEXT NOT NULL, indexed_at TEXT NOT NULL)`,
    `CREATE TABLE chunks (${id}, ${document}, ordinal INTEGER NOT NULL, text TEXT NOT NULL, embed_hash TEXT NOT NULL,
      start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, headings TEXT NOT NULL, tokens INTEGER NOT NULL)`,
    'CREATE UNIQUE INDEX chunks_of_document ON chunks (document_id, ordinal)',
    'CREATE INDEX chunks_by_hash ON chunks (embed_hash)',
    `CREATE TABLE names (${id}, name TEXT NOT NULL UNIQUE, documents INTEGER NOT NULL)`,
    `CREATE TABLE chunk_names (name_id BIGINT NOT NULL, ${chunk}, ${document}, role TEXT NOT NULL, PRIMARY KEY (name_id, role, chunk_id))${withoutRowid(dialect)}`,
    'CREATE INDEX names_of_chunk ON chunk_names (chunk_id)',
    'CREATE INDEX names_of_document ON chunk_names (document_id, name_id)',
    `CREATE TABLE entity_mentions (${chunk}, ${document}, key TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      description TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (chunk_id, key))${withoutRowid(dialect)}`,
    'CREATE INDEX mentions_of_key ON entity_mentions (key, type, name)',
    'CREATE INDEX mentions_of_document ON entity_mentions (document_id, key)',
    `CREATE TABLE alias_mentions (${document}, key TEXT NOT NULL, alias_key TEXT NOT NULL, alias TEXT NOT NULL, PRIMARY KEY (document_id, key, alias_key))${withoutRowid(dialect)}`,
    'CREATE INDEX aliases_of_key ON alias_mentions (key, alias_key)',
    'CREATE INDEX keys_of_alias ON alias_mentions (alias_key, key)',
    `CREATE TABLE relation_mentions (${id}, ${document}, ${chunk}, source_key TEXT NOT NULL, type TEXT NOT NULL, target_key TEXT NOT NULL,
      description TEXT NOT NULL, fields TEXT NOT NULL, confidence ${real} NOT NULL, inferred INTEGER NOT NULL, line INTEGER NOT NULL, evidence TEXT NOT NULL)`,
    'CREATE INDEX relation_mentions_between ON relation_mentions (source_key, target_key, type)',
    'CREATE INDEX relation_mentions_to ON relation_mentions (target_key)',
    'CREATE INDEX relation_mentions_of_document ON relation_mentions (document_id)',
    `CREATE TABLE merges (alias_key TEXT PRIMARY KEY, alias TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL)`,
    'CREATE INDEX merges_into ON merges (key)',
    `CREATE TABLE entities (id TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, description TEXT NOT NULL, fields TEXT NOT NULL, mentions INTEGER NOT NULL)`,
    'CREATE INDEX entities_by_type ON entities (type, mentions)',
    `CREATE TABLE entity_keys (key TEXT PRIMARY KEY, entity_id TEXT NOT NULL, name TEXT NOT NULL)`,
    'CREATE INDEX keys_of_entity ON entity_keys (entity_id)',
    `CREATE TABLE relations (${id}, source_id TEXT NOT NULL, type TEXT NOT NULL, target_id TEXT NOT NULL, description TEXT NOT NULL,
      fields TEXT NOT NULL, confidence ${real} NOT NULL, inferred INTEGER NOT NULL)`,
    'CREATE UNIQUE INDEX relations_between ON relations (source_id, target_id, type)',
    'CREATE INDEX relations_to ON relations (target_id)',
    'CREATE TABLE extraction_cache (key TEXT PRIMARY KEY, extraction TEXT NOT NULL, used_at TEXT NOT NULL)',
    'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)',
    'CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)',
  ];
}

function withoutRowid(dialect: ColumnTypes['dialect']): string {
  return dialect === 'sqlite' ? ' WITHOUT ROWID' : '';
}

const SQLITE = [
  'CREATE TABLE vectors (chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, embedding BLOB NOT NULL)',
  'CREATE TABLE signatures (chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, bits BLOB NOT NULL)',
  "CREATE VIRTUAL TABLE chunk_words USING fts5 (title, headings, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
];

/** Vectors get their HNSW index when the first embedder says how long they are. */
const POSTGRES = [
  'CREATE TABLE vectors (chunk_id BIGINT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, embedding vector NOT NULL)',
  'CREATE TABLE chunk_words (chunk_id BIGINT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, words tsvector NOT NULL)',
  'CREATE INDEX chunks_with_word ON chunk_words USING gin (words)',
];

/** Postgres stems as SQLite does and keeps every word, so that both rank alike. Until they are indexed again, old rows are cut into words by the server. */
const SAME_WORDS = [
  'CREATE TEXT SEARCH DICTIONARY flowrag_stems (TEMPLATE = snowball, LANGUAGE = porter)',
  'CREATE TEXT SEARCH CONFIGURATION flowrag_words (PARSER = "default")',
  'ALTER TEXT SEARCH CONFIGURATION flowrag_words ADD MAPPING FOR asciiword, word, numword, int, uint, float, sfloat, version WITH flowrag_stems',
  'ALTER TABLE chunk_words ADD COLUMN length INTEGER NOT NULL DEFAULT 0',
  `UPDATE chunk_words w SET length = array_length(regexp_split_to_array(d.title || ' ' || c.headings || ' ' || c.text, '[^[:alnum:]]+'), 1),
    words = setweight(to_tsvector('flowrag_words', regexp_replace(lower(d.title), '[^[:alnum:]]+', ' ', 'g')), 'A')
      || setweight(to_tsvector('flowrag_words', regexp_replace(lower(c.headings), '[^[:alnum:]]+', ' ', 'g')), 'B')
      || setweight(to_tsvector('flowrag_words', regexp_replace(lower(c.text), '[^[:alnum:]]+', ' ', 'g')), 'C')
    FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = w.chunk_id`,
];

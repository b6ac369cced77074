import type { Migration } from '@millrace/storage';

/** Context files as parsed, so that an unchanged one is not parsed again. */
interface ParsedFileTable {
  path: string;
  stamp: string;
  parsed: string;
}

/** Vectors of texts, one byte a dimension. */
interface EmbeddingTable {
  model: string;
  hash: string;
  vector: Uint8Array;
}

/** The whole index as it was last, one row a model. */
interface IndexTable {
  model: string;
  header: string;
  body: Uint8Array;
  saved_at: string;
}

export interface ContextTables {
  flowmind_parsed_files: ParsedFileTable;
  flowmind_embeddings: EmbeddingTable;
  flowmind_index: IndexTable;
}

export const contextMigrations: Migration[] = [
  {
    name: 'flowmind-0101-contexts',
    up: (db, types) => [
      db.schema
        .createTable('flowmind_parsed_files')
        .addColumn('path', 'text', (column) => column.primaryKey())
        .addColumn('stamp', 'text', (column) => column.notNull())
        .addColumn('parsed', 'text', (column) => column.notNull()),
      db.schema
        .createTable('flowmind_embeddings')
        .addColumn('model', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('vector', types.bytes as 'blob', (column) => column.notNull())
        .addPrimaryKeyConstraint('flowmind_embeddings_key', ['model', 'hash']),
      db.schema
        .createTable('flowmind_index')
        .addColumn('model', 'text', (column) => column.primaryKey())
        .addColumn('header', 'text', (column) => column.notNull())
        .addColumn('body', types.bytes as 'blob', (column) => column.notNull())
        .addColumn('saved_at', 'text', (column) => column.notNull()),
    ],
  },
];

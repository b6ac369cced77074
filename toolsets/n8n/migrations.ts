import type { Migration } from '@millrace/storage';
import type { HistoryTables } from './document/files/history.ts';
import type { RunTables } from './engine/run-history.ts';
import type { LinkTables } from './remote/links.ts';

export interface N8nTables extends HistoryTables, LinkTables, RunTables {}

export const n8nMigrations: Migration[] = [
  {
    name: 'n8n-0001-history',
    *up(db, types) {
      yield editTable(db, types, 'n8n_history');
      yield db.schema.createIndex('n8n_history_path').on('n8n_history').columns(['path', 'id']);
    },
  },
  {
    name: 'n8n-0002-remotes',
    *up(db) {
      yield db.schema
        .createTable('n8n_remotes')
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('remote_id', 'text', (column) => column.notNull())
        .addColumn('remote_hash', 'text', (column) => column.notNull())
        .addColumn('seen_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('n8n_remotes_key', ['path', 'instance']);
    },
  },
  {
    name: 'n8n-0003-runs',
    *up(db) {
      yield db.schema
        .createTable('n8n_runs')
        .addColumn('execution_id', 'text', (column) => column.primaryKey())
        .addColumn('workflow_id', 'text', (column) => column.notNull())
        .addColumn('at', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('execution_time', 'integer', (column) => column.notNull())
        .addColumn('place', 'text', (column) => column.notNull())
        .addColumn('result', 'text', (column) => column.notNull());
      yield db.schema.createIndex('n8n_runs_workflow').on('n8n_runs').columns(['workflow_id', 'at']);
    },
  },
  {
    name: 'n8n-0004-undone',
    *up(db, types) {
      yield editTable(db, types, 'n8n_undone');
      yield db.schema.createIndex('n8n_undone_path').on('n8n_undone').columns(['path', 'id']);
    },
  },
];

type Up = Parameters<Migration['up']>;

/** One row for each edit of a file. */
function editTable(db: Up[0], types: Up[1], name: string) {
  return db.schema
    .createTable(name)
    .addColumn('id', types.serial, (column) => column.primaryKey())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('at', 'text', (column) => column.notNull())
    .addColumn('before_hash', 'text', (column) => column.notNull())
    .addColumn('after_hash', 'text', (column) => column.notNull())
    .addColumn('offset_bytes', 'integer', (column) => column.notNull())
    .addColumn('removed', types.bytes, (column) => column.notNull())
    .addColumn('inserted_bytes', 'integer', (column) => column.notNull());
}

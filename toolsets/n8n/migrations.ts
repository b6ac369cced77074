import { type Migration, required } from '@millrace/storage';
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
        .$call(required({ path: 'text', instance: 'text', remote_id: 'text', remote_hash: 'text', seen_at: 'text' }))
        .addPrimaryKeyConstraint('n8n_remotes_key', ['path', 'instance']);
    },
  },
  {
    name: 'n8n-0003-runs',
    *up(db) {
      yield db.schema
        .createTable('n8n_runs')
        .addColumn('execution_id', 'text', (column) => column.primaryKey())
        .$call(required({ workflow_id: 'text', at: 'text', status: 'text', execution_time: 'integer', place: 'text', result: 'text' }));
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
    .$call(required({ path: 'text', tool: 'text', at: 'text', before_hash: 'text', after_hash: 'text' }))
    .$call(required({ offset_bytes: 'integer', removed: types.bytes, inserted_bytes: 'integer' }));
}

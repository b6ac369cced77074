import { type Migration, required } from '@millrace/storage';
import type { Generated } from 'kysely';

/** A chatflow as it was before a change, so that it can be brought back. */
export interface BackupTable {
  /** Counts up: the highest is the latest. */
  number: Generated<number>;
  id: string;
  /** The address of the Flowise it is of: ids mean nothing elsewhere. */
  instance: string;
  chatflow_id: string;
  name: string;
  type: string;
  deployed: number;
  flow_data: string;
  /** JSON of the settings that Flowise keeps beside the flow. */
  settings: string;
  reason: string;
  user_id: string;
  at: string;
}

export interface FlowiseTables {
  flowise_backups: BackupTable;
}

export const flowiseMigrations: Migration[] = [
  {
    name: 'flowise-0001-backups',
    *up(db, types) {
      yield db.schema
        .createTable('flowise_backups')
        .addColumn('number', types.serial, (column) => column.primaryKey())
        .addColumn('id', 'text', (column) => column.notNull().unique())
        .$call(required({ instance: 'text', chatflow_id: 'text', name: 'text', type: 'text', deployed: 'integer' }))
        .$call(required({ flow_data: 'text', settings: 'text', reason: 'text', user_id: 'text', at: 'text' }));
      yield db.schema.createIndex('flowise_backups_chatflow').on('flowise_backups').columns(['instance', 'chatflow_id', 'number']);
    },
  },
];

import type { Migration } from '@millrace/storage';

export const flowiseMigrations: Migration[] = [
  {
    name: 'flowise-0001-backups',
    *up(db, types) {
      yield db.schema
        .createTable('flowise_backups')
        .addColumn('number', types.serial, (column) => column.primaryKey())
        .addColumn('id', 'text', (column) => column.notNull().unique())
        .addColumn('instance', 'text', (column) => column.notNull())
        .addColumn('chatflow_id', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('deployed', 'integer', (column) => column.notNull())
        .addColumn('flow_data', 'text', (column) => column.notNull())
        .addColumn('settings', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('at', 'text', (column) => column.notNull());
      yield db.schema.createIndex('flowise_backups_chatflow').on('flowise_backups').columns(['instance', 'chatflow_id', 'number']);
    },
  },
];

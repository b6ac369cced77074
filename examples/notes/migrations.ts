import type { Migration } from 'millrace';

export interface NotesTables {
  notes: { id: string; user_id: string; text: string; created_at: string };
}

export const notesMigrations: readonly Migration[] = [
  {
    name: 'notes-0001-notes',
    *up(db) {
      yield db.schema
        .createTable('notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull());
    },
  },
];

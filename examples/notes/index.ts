import { defineToolset } from 'millrace';
import { notesMigrations } from './migrations.ts';
import { notesSettings } from './settings.ts';

/** A toolset of your own: what the server has to know of it, and how it is made. */
export default defineToolset({
  name: 'notes',
  settings: notesSettings,
  migrations: notesMigrations,
  async create({ storage, clock, settings }) {
    const { notesToolset } = await import('./toolset.ts');
    return notesToolset(storage.store, clock, settings);
  },
});

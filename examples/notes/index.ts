import { defineToolset } from 'millrace';
import { notesMigrations } from './migrations.ts';
import { notesSettings } from './settings.ts';

/** Your own toolset: what the server needs to know about it, and how to create it. */
export default defineToolset({
  name: 'notes',
  settings: notesSettings,
  migrations: notesMigrations,
  async create({ storage, clock, settings }) {
    const { notesToolset } = await import('./toolset.ts');
    return notesToolset(storage.store, clock, settings);
  },
});

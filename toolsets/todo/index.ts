import { defineToolset } from '@millrace/toolset';
import { todoMigrations } from './migrations.ts';
import { todoSettings } from './settings.ts';

export default defineToolset({
  name: 'todo',
  settings: todoSettings,
  migrations: todoMigrations,
  talks: true,
  async create({ storage, clock, settings: { timeZone } }) {
    const { todoToolset } = await import('./toolset.ts');
    return todoToolset({ store: storage.store, clock, timeZone });
  },
});

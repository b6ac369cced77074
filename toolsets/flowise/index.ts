import { defineToolset } from '@millrace/toolset';
import { flowiseMigrations } from './migrations.ts';
import { flowiseSettings } from './settings.ts';

export default defineToolset({
  name: 'flowise',
  settings: flowiseSettings,
  migrations: flowiseMigrations,
  access: { title: 'Flowise', example: 'http://localhost:3000' },
  engine: async () => (await import('./engine/command.ts')).flowiseEngine,
  async create({ settings, storage, clock, log }) {
    const { flowiseToolset } = await import('./toolset.ts');
    return flowiseToolset({ settings, store: storage.store, clock, log });
  },
});

import { defineToolset } from '@millrace/toolset';
import { n8nMigrations } from './migrations.ts';
import { n8nSettings } from './settings.ts';

export default defineToolset({
  name: 'n8n',
  settings: n8nSettings,
  migrations: n8nMigrations,
  access: { title: 'n8n', example: 'http://localhost:5678' },
  commands: async () => [(await import('./commands/test.ts')).testCommand],
  engine: async () => (await import('./catalogue/pack/install.ts')).n8nEngine,
  async create({ home, workspace, settings, storage, clock, log, egress, shared }) {
    const { n8nToolset } = await import('./toolset.ts');
    return n8nToolset({ home, workspace, settings, store: storage.store, clock, log, egress, shared });
  },
});

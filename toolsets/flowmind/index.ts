import { defineToolset } from '@millrace/toolset';
import { flowmindMigrations } from './migrations.ts';
import { flowmindSettings } from './settings.ts';

export default defineToolset({
  name: 'flowmind',
  settings: flowmindSettings,
  migrations: flowmindMigrations,
  commands: async () => (await import('./commands/index.ts')).flowmindCommands,
  async create({ settings, storage, catalog, clock, log, workspace, version, documentation, embedder, generator }) {
    const { flowmindToolset } = await import('./toolset.ts');
    return flowmindToolset({
      ...settings,
      store: storage.store,
      counter: storage.counters,
      catalog,
      clock,
      log,
      workspace,
      version,
      documentation,
      signingKey: await storage.keys.get('judgement'),
      embedder: await embedder(),
      generator: await generator(),
    });
  },
});

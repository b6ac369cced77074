import { defineToolset } from '@millrace/toolset';
import { flowragSettings } from './settings.ts';

export default defineToolset({
  name: 'flowrag',
  settings: flowragSettings,
  commands: async () => (await import('./commands/index.ts')).flowragCommands,
  documents: async () => (await import('./configuration.ts')).documentsFolder,
  commandGroup: { word: 'flowrag', flags: ['data', 'docs'] },
  async create({ settings, workingDirectory, workspace, environment, modelFolders, clock, log, databaseUrl }) {
    const [{ readConfiguration }, { flowragToolset }] = await Promise.all([import('./configuration.ts'), import('./toolset.ts')]);
    return flowragToolset({
      configuration: await readConfiguration({ ...settings, workingFolder: workingDirectory, home: workspace }),
      environment,
      modelFolders,
      clock,
      log,
      databaseUrl,
    });
  },
});

import { defineToolset } from '@millrace/toolset';
import { flowragSettings, readConfiguration } from './settings.ts';

export default defineToolset({
  name: 'flowrag',
  settings: flowragSettings,
  commands: async () => (await import('./commands/index.ts')).flowragCommands,
  documents: async () => (await import('./documents-folder.ts')).documentsFolder,
  commandGroup: { word: 'flowrag', flags: ['data', 'docs'] },
  async create({ settings, workingDirectory, workspace, environment, modelFolders, clock, log, databaseUrl }) {
    const { flowragToolset } = await import('./toolset.ts');
    const { config, data, docs } = settings;
    const named = { ...(config !== undefined && { config }), ...(data !== undefined && { data }), ...(docs !== undefined && { docs }) };
    return flowragToolset({
      configuration: await readConfiguration({ ...named, workingFolder: workingDirectory, home: workspace }),
      environment,
      modelFolders,
      clock,
      log,
      ...(databaseUrl !== undefined && { databaseUrl }),
    });
  },
});

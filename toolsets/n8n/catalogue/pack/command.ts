import type { Engine } from '@millrace/toolset';
import { installN8nPack, licenceNotice } from './install.ts';
import { PINNED_VERSION, packStatus } from './installed.ts';

export const n8nEngine: Engine = {
  summary: 'n8n (to check and run workflows without a server)',

  async add({ home, terminal, noticed }) {
    if (!noticed) terminal.say(licenceNotice(PINNED_VERSION));
    const { version, folder } = await installN8nPack({ home, progress: terminal.progress('n8n'), signal: terminal.signal });
    terminal.say(`n8n ${version} is installed in ${folder}. node_search, workflow_validate and test_workflow work now.`);
    return 0;
  },

  async list(home, program) {
    const { installed } = await packStatus(home);
    if (installed.length === 0) return [{ version: PINNED_VERSION, state: `not installed: ${program} engine add n8n`, folder: '' }];
    return installed.map(({ version, folder }) => ({ version, state: 'installed; started when a workflow is run', folder }));
  },

  offer: {
    isInstalled: async (home) => (await packStatus(home)).installed.length > 0,
    purpose: 'The n8n engine checks and runs workflows on this machine; everything else works without it.',
    notice: licenceNotice(PINNED_VERSION),
  },
};

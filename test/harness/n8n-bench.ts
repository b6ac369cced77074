import { mkdirSync } from 'node:fs';
import { testCatalog } from './catalog.ts';
import { sharedPack } from './n8n-pack.ts';
import { openN8n } from './n8n-toolset.ts';

/** The whole pipeline of the toolset in this process, for figures without a transport. */
export async function n8nBenchCatalog(workspace: string) {
  mkdirSync(workspace, { recursive: true });
  const { toolset, close } = await openN8n(workspace, { pack: sharedPack() });
  const { call } = testCatalog([toolset]);
  return { call, close };
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Parts of packages that neither the catalogue nor the engine reads. */
const UNUSED_FOLDERS = [
  'n8n-nodes-base/dist/node-definitions',
  '@n8n/n8n-nodes-langchain/dist/node-definitions',
  '@n8n/n8n-nodes-langchain/dist/nodes',
  '@n8n/n8n-nodes-langchain/dist/utils',
  'n8n-workflow/dist/esm',
];
const UNUSED_FILES = /\.(map|d\.ts|d\.cts|d\.mts|tsbuildinfo|flow)$/;

/** Removes what only a developer of n8n needs: half of what the packages unpack to. Licences stay. */
export async function trim(nodeModules: string): Promise<void> {
  await Promise.all(UNUSED_FOLDERS.map((folder) => rm(join(nodeModules, folder), { recursive: true, force: true })));
  const entries = await readdir(nodeModules, { recursive: true, withFileTypes: true });
  const unused = entries.filter((entry) => entry.isFile() && UNUSED_FILES.test(entry.name));
  for (let start = 0; start < unused.length; start += 200) {
    await Promise.all(unused.slice(start, start + 200).map((entry) => rm(join(entry.parentPath, entry.name))));
  }
}

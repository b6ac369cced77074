import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type TestCatalog, testCatalog } from '../../../test/harness/catalog.ts';
import { type N8nCalls, n8nCalls } from '../../../test/harness/n8n-calls.ts';
import type { n8nToolset } from '../toolset.ts';
import { type N8nBenchOptions, openN8n } from './toolset.ts';

export { noPack, smallPack } from './toolset.ts';

export interface N8nBench extends TestCatalog, N8nCalls {
  toolset: ReturnType<typeof n8nToolset>;
  workspace: string;
}

/** The toolset on a workspace and a database of its own, which go when the test ends. */
export async function n8nBench(options: N8nBenchOptions = {}): Promise<N8nBench> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-n8n-')));
  const root = join(workspace, 'workflows');
  mkdirSync(root);
  if (options.from) cpSync(options.from, root, { recursive: true });
  const { toolset, close } = await openN8n(workspace, options);
  onTestFinished(async () => {
    await close();
    rmSync(workspace, { recursive: true, force: true });
  });
  const catalog = testCatalog([toolset]);
  return { ...catalog, ...n8nCalls(root, catalog.call), toolset, workspace };
}

import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { n8nToolset } from '../../toolsets/n8n/index.ts';
import { type TestCatalog, testCatalog } from './catalog.ts';
import { type N8nBenchOptions, openN8n } from './n8n-toolset.ts';

export { noPack, smallPack } from './n8n-toolset.ts';

export interface N8nBench extends TestCatalog {
  toolset: ReturnType<typeof n8nToolset>;
  workspace: string;
  root: string;
  /** Calls a tool that must succeed. */
  done(tool: string, parameters: Record<string, unknown>): Promise<Record<string, never>>;
  /** Calls a tool that must fail, and gives its error. */
  refused(tool: string, parameters: Record<string, unknown>): Promise<{ message: string; code: string; details: Record<string, never> }>;
  write(name: string, content: string | object): string;
  read(name: string): string;
  json(name: string): Record<string, never>;
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
  return {
    ...catalog,
    toolset,
    workspace,
    root,
    async done(tool, parameters) {
      const reply = await catalog.call(tool, parameters);
      if (reply.isError) throw new Error(`${tool} failed: ${reply.text}`);
      return reply.structured as Record<string, never>;
    },
    async refused(tool, parameters) {
      const reply = await catalog.call(tool, parameters);
      if (!reply.isError) throw new Error(`${tool} succeeded: ${reply.text}`);
      return (reply.structured as { error: never }).error;
    },
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return path;
    },
    read: (name) => readFileSync(join(root, name), 'utf8'),
    json: (name) => JSON.parse(readFileSync(join(root, name), 'utf8')),
  };
}

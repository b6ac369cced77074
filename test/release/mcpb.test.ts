import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest, MANIFEST_SCHEMAS, type McpbManifestAny } from '@anthropic-ai/mcpb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packMcpb } from '../../scripts/release/mcpb.ts';
import { ROOT } from '../harness/package.ts';
import { cleanEnvironment, modernMeta, StdioProcess, temporaryFolder } from '../harness/process.ts';

const folder = temporaryFolder();
const extension = join(folder.path, 'extension');
let manifest: McpbManifestAny;

beforeAll(async () => {
  const mcpbPath = await packMcpb(folder.path);
  execFileSync(join(ROOT, 'node_modules/.bin/mcpb'), ['unpack', mcpbPath, extension], { stdio: 'ignore' });
  manifest = JSON.parse(readFileSync(join(extension, 'manifest.json'), 'utf8'));
});
afterAll(() => folder[Symbol.dispose]());

/** Starts the extension as a desktop host does, with the answers a person gave. */
async function start(userConfig: Record<string, string>): Promise<StdioProcess> {
  const config = await getMcpConfigForManifest({ manifest, extensionPath: extension, systemDirs: {}, userConfig, pathSeparator: '/' });
  if (config?.command !== 'node' || !config.args || !config.env) throw new Error('the manifest does not start Node');
  expect(JSON.stringify(config)).not.toContain('${');
  return new StdioProcess(config.args, { ...cleanEnvironment(folder.path), ...config.env }, '/');
}

describe('the desktop extension', () => {
  test('has a valid manifest whose keys are kept secret', () => {
    expect(MANIFEST_SCHEMAS['0.3'].safeParse(manifest).error).toBeUndefined();
    const secret = Object.entries(manifest.user_config ?? {}).filter(([, question]) => question.sensitive);
    expect(secret.map(([key]) => key)).toEqual(['flowise_key', 'n8n_key']);
  });

  test('starts with no question answered', async () => {
    const server = await start({});
    const { result } = await server.request('tools/list', { _meta: modernMeta() });
    expect(JSON.stringify(result)).toContain('create_todo');
    expect(await server.callTool('create_todo', { title: 'Ship it' })).toMatchObject({ result: { structuredContent: { success: true } } });
    expect(await server.close()).toBe(0);
  });

  test('indexes and searches the documents folder that a person chose', async () => {
    const documents = join(folder.path, 'my documents');
    mkdirSync(documents);
    writeFileSync(join(documents, 'refunds.md'), '# Refunds\n\nCustomers get their money back within 14 days.\n');
    const server = await start({ documents });
    expect(await server.callTool('flowrag_index', {})).toMatchObject({ result: { structuredContent: { documents: 1 } } });
    expect(JSON.stringify(await server.callTool('flowrag_search', { query: 'How long do refunds take?' }))).toContain('14 days');
    await server.close();
  });
});

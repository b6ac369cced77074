import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplayedFlowise, recorded, recordedJson } from '../../toolsets/flowise/testing/replay.ts';
import { sharedPackHome } from '../harness/n8n-pack.ts';
import { LAUNCHER, ROOT } from '../harness/package.ts';
import { cleanEnvironment, modernMeta, StdioProcess, temporaryFolder } from '../harness/process.ts';

const folder = temporaryFolder();
const env = cleanEnvironment(folder.path, { MILLRACE_RATE_LIMITS: 'off' });
let server: StdioProcess;
let flowise: ReplayedFlowise;

beforeAll(async () => {
  flowise = await ReplayedFlowise.start({ 'GET /chatflows': recorded('list') });
  mkdirSync(join(folder.path, 'workspace/docs'), { recursive: true });
  writeFileSync(
    join(folder.path, 'workspace/docs/orders.md'),
    '# Order Service\n\nThe Order Service uses PostgreSQL and publishes events to Kafka.\n',
  );
  writeFileSync(join(folder.path, 'workspace/flowrag.config.json'), JSON.stringify({ docs: './docs', data: './data' }));
  server = new StdioProcess([LAUNCHER], { ...env, FLOWISE_API_URL: flowise.url, FLOWISE_API_KEY: 'key' });
});
afterAll(async () => {
  await server.close();
  await flowise.close();
  folder[Symbol.dispose]();
});

async function call(name: string, parameters: object): Promise<Record<string, unknown>> {
  const { result, error } = await server.callTool(name, parameters, {}, {});
  if (error) throw new Error(error.message);
  return (result as { structuredContent: Record<string, unknown> }).structuredContent;
}

describe('the installed package', () => {
  test('lists every tool with what its snapshot advertises', async () => {
    const snapshots = globSync('toolsets/*/tools/__tools__/*.json', { cwd: ROOT });
    const { result } = await server.request('tools/list', { _meta: modernMeta() });
    const tools = result?.tools as { name: string; inputSchema: unknown }[];
    expect(tools.map(({ name }) => name).sort()).toEqual(snapshots.map((path) => basename(path, '.json')).sort());
    for (const path of snapshots) {
      const { name, inputSchema } = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
      expect(tools.find((tool) => tool.name === name)?.inputSchema).toEqual(inputSchema);
    }
  });

  test('keeps todos, indexes and finds documents with the bundled model, and finds contexts', async () => {
    expect(await call('create_todo', { title: 'Ship it' })).toMatchObject({ success: true });
    expect(await call('flowrag_index', {})).toMatchObject({ documents: 1 });
    expect(JSON.stringify(await call('flowrag_search', { query: 'Which database does the order service use?' }))).toContain('PostgreSQL');
    const found = await call('field_request', { query: 'Review the pull request that I opened this morning', confidence_level: 0.5 });
    expect(found).toMatchObject({ success: true, result: { status: expect.stringMatching(/success|disambiguation_needed/) } });
  }, 60_000);

  test('regression: Flowise answers in the bundle too, where its HTTP client could not be loaded', async () => {
    expect(await call('list_chatflows', {})).toHaveLength(recordedJson('list').length);
    expect(flowise.requests.at(-1)?.headers.authorization).toBe('Bearer key');
  });

  test('runs a workflow in the embedded engine', async (context) => {
    const pack = sharedPackHome();
    if (!pack) return context.skip('the n8n engine pack is not installed');
    cpSync(join(pack, 'engines'), join(folder.path, 'home/engines'), { recursive: true });
    await call('workflow_create', { name: 'Double' });
    const trigger = await call('node_add', { workflowId: 'Double', nodeType: 'n8n-nodes-base.manualTrigger' });
    const code = await call('node_add', {
      workflowId: 'Double',
      nodeType: 'n8n-nodes-base.code',
      parameters: { jsCode: 'return items.map((item) => ({ json: { n: item.json.n * 2 } }));' },
    });
    await call('connection_create', { workflowId: 'Double', sourceNodeId: trigger.nodeId, targetNodeId: code.nodeId });
    const run = await call('test_workflow', { workflowId: 'Double', testData: { items: [{ n: 21 }] } });
    expect(run).toMatchObject({ success: true, status: 'success' });
    expect(JSON.stringify(run.data)).toContain('"n":42');
  }, 90_000);
});

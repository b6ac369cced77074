import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RealN8n, startRealN8n } from '../../scripts/real-n8n.ts';
import { InstanceEngine } from '../../toolsets/n8n/engine/instance/instance-engine.ts';
import { openPack } from '../../toolsets/n8n/pack/index.ts';
import { PackReader } from '../../toolsets/n8n/pack/opened-pack.ts';
import type { Item, RunInput, RunResult } from '../../toolsets/n8n/ports.ts';
import { InstanceClient } from '../../toolsets/n8n/remote/client.ts';
import type { Workflow } from '../../toolsets/n8n/workflow/model.ts';
import { type N8nBench, n8nBench } from '../harness/n8n.ts';
import { closeSharedPack, sharedCache, sharedPack } from '../harness/n8n-pack.ts';
import { verifies } from '../requirements.ts';
import { RECIPES, type Recipe } from './n8n-recipes.ts';

let n8n: RealN8n;
beforeAll(async () => {
  n8n = await startRealN8n((text) => process.stderr.write(`${text}\n`));
});
afterAll(async () => {
  await closeSharedPack();
  await n8n?.stop();
});

/** Builds a recipe by the tools alone, as an assistant would. */
async function build(bench: N8nBench, recipe: Recipe): Promise<{ workflowId: string; workflow: Workflow }> {
  const { workflowId } = (await bench.done('workflow_create', { name: recipe.title })) as Record<string, string>;
  const ids: Record<string, string> = {};
  for (const [name, { type, parameters }] of Object.entries(recipe.nodes)) {
    const { nodeId } = (await bench.done('node_add', { workflowId, nodeType: type, ...(parameters && { parameters }) })) as Record<
      string,
      string
    >;
    await bench.done('node_update', { workflowId, nodeId, name });
    ids[name] = nodeId as string;
  }
  for (const [from, to, output, input] of recipe.links) {
    await bench.done('connection_create', {
      workflowId,
      sourceNodeId: ids[from],
      targetNodeId: ids[to],
      ...(output !== undefined && { sourceOutput: output }),
      ...(input !== undefined && { targetInput: input }),
    });
  }
  const { workflowData } = (await bench.done('workflow_load', { workflowIdOrPath: workflowId })) as unknown as { workflowData: Workflow };
  for (const node of workflowData.nodes) Object.assign(node, recipe.nodes[node.name]?.settings);
  const { path } = ((await bench.done('workflow_list', {})) as unknown as { workflows: { path: string }[] }).workflows[0] as {
    path: string;
  };
  await bench.done('workflow_save', { workflowId, workflowData, filePath: path });
  return { workflowId: workflowId as string, workflow: workflowData };
}

function inputOf({ items, pinned }: Recipe): RunInput {
  const asItems = (list: Record<string, unknown>[]): Item[] => list.map((json) => ({ json }));
  const pins = Object.fromEntries(Object.entries(pinned ?? {}).map(([name, list]) => [name, asItems(list)]));
  return { items: asItems(items), ...(pinned && { pinned: pins }) };
}

/** What both sides must agree on: the runs of each node with their items. */
function comparable(result: RunResult) {
  const nodes: Record<string, unknown[]> = {};
  for (const run of result.runs) {
    const outputs = run.outputs.map((items) => items.map((item) => item.json));
    while (outputs.length > 0 && outputs.at(-1)?.length === 0) outputs.pop();
    nodes[run.node] = [...(nodes[run.node] ?? []), { status: run.status, outputs }];
  }
  return { status: result.status, nodes, error: result.error && { node: result.error.node, message: result.error.message } };
}

const never = new AbortController().signal;

test('there are at least thirty recipes', () => expect(RECIPES.length).toBeGreaterThanOrEqual(30));

describe.each(RECIPES)('$title', (recipe) => {
  verifies(['n8n-files-accepted', 'n8n-create-structure'], 'is valid, and a real n8n accepts it', async () => {
    const bench = await n8nBench({ pack: sharedPack(), settings: { apiUrl: n8n.url, apiKey: n8n.apiKey } });
    const { workflowId } = await build(bench, recipe);
    expect(await bench.done('workflow_validate', { workflowId })).toMatchObject({ valid: true, errors: [] });
    const deployed = (await bench.done('workflow_deploy', { workflowId })) as unknown as { success: boolean; remoteId: string };
    expect(deployed).toMatchObject({ success: true, remoteId: expect.any(String) });
    const { nodes } = await remoteWorkflow(deployed.remoteId);
    expect(nodes.map(({ name }) => name).sort()).toEqual(Object.keys(recipe.nodes).sort());
  });

  verifies('n8n-test-same-as-real', 'gives the same data in the embedded engine as in a real n8n', async () => {
    const bench = await n8nBench({ pack: sharedPack() });
    const { workflow } = await build(bench, recipe);
    const reader = new PackReader({ home: sharedCache() });
    onTestFinished(() => reader.close());
    const real = new InstanceEngine(new InstanceClient({ url: n8n.url, apiKey: n8n.apiKey }), reader);
    const options = { timeoutMs: 60_000, signal: never };
    const embedded = await sharedPack().engine.run(workflow, inputOf(recipe), options);
    const theirs = await real.run(workflow, inputOf(recipe), options);
    expect(embedded.where).toBe('embedded');
    expect(theirs.where).toBe('instance');
    expect(comparable(embedded)).toEqual(comparable(theirs));
  });
});

async function remoteWorkflow(id: string): Promise<Workflow> {
  const response = await fetch(`${n8n.url}/api/v1/workflows/${id}`, { headers: { 'X-N8N-API-KEY': n8n.apiKey } });
  return (await response.json()) as Workflow;
}

verifies(
  ['n8n-test-same-as-real', 'n8n-deploy'],
  'a webhook is built, deployed, activated and called, and answers what the embedded engine gives',
  async () => {
    const bench = await n8nBench({ pack: sharedPack(), settings: { apiUrl: n8n.url, apiKey: n8n.apiKey } });
    const recipe: Recipe = {
      title: 'a webhook that answers',
      nodes: {
        hook: {
          type: 'n8n-nodes-base.webhook',
          parameters: { httpMethod: 'POST', path: 'millrace-answers', responseMode: 'lastNode', options: {} },
        },
        greet: {
          type: 'n8n-nodes-base.set',
          parameters: {
            assignments: { assignments: [{ id: '1', name: 'text', value: '=Hello {{ $json.body.name }}', type: 'string' }] },
            options: {},
          },
        },
      },
      links: [['hook', 'greet']],
      items: [{ body: { name: 'Ada' } }],
    };
    const { workflowId, workflow } = await build(bench, recipe);
    expect(await bench.done('workflow_deploy', { workflowId, activate: true })).toMatchObject({ success: true });
    let answer: unknown;
    await expect
      .poll(
        async () => {
          const response = await fetch(`${n8n.url}/webhook/millrace-answers`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ name: 'Ada' }),
          });
          answer = await response.json();
          return response.status;
        },
        { timeout: 15_000 },
      )
      .toBe(200);
    const embedded = await sharedPack().engine.run(workflow, inputOf(recipe), { timeoutMs: 20_000, signal: never });
    expect(answer).toEqual(embedded.runs.at(-1)?.outputs[0]?.[0]?.json);
  },
);

test('without a pack, the nodes of a real instance are the catalogue', async () => {
  const home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
  const pack = openPack({
    home,
    instance: { url: n8n.url, apiKey: n8n.apiKey },
    instanceLogin: n8n.owner,
    clock: { now: () => new Date() },
    log: console as never,
  });
  onTestFinished(async () => {
    await pack.close();
    rmSync(home, { recursive: true, force: true });
  });
  const bench = await n8nBench({ pack });
  expect(await bench.done('node_search', { keyword: 'slack' })).toMatchObject({
    nodes: expect.arrayContaining([expect.objectContaining({ id: 'n8n-nodes-base.slackTool' })]),
  });
  for (const recipe of RECIPES) {
    const { workflowId } = await build(bench, { ...recipe, title: `${recipe.title} again` });
    expect(await bench.done('workflow_validate', { workflowId }), recipe.title).toMatchObject({ valid: true });
  }
});

verifies('n8n-test-where', 'test_workflow runs on a real instance what the embedded engine has not got', async () => {
  const pack = openPack({
    home: '/nowhere',
    instance: { url: n8n.url, apiKey: n8n.apiKey },
    clock: { now: () => new Date() },
    log: console as never,
  });
  const build_ = await n8nBench({ pack: sharedPack() });
  const [recipe] = RECIPES as [Recipe];
  const { workflow } = await build(build_, recipe);
  const bench = await n8nBench({ pack });
  bench.write('chain.json', { ...workflow, id: 'chain' });
  expect(await bench.done('test_workflow', { workflowId: 'chain', testData: { items: recipe.items } })).toMatchObject({
    success: true,
    data: { where: 'instance', lastNode: 'b' },
  });
  const slow = { ...workflow, id: 'slow', name: 'slow' };
  const last = slow.nodes.find((node) => node.name === 'b');
  if (last)
    Object.assign(last, {
      type: 'n8n-nodes-base.wait',
      typeVersion: 1.1,
      parameters: { resume: 'timeInterval', amount: 50, unit: 'seconds' },
    });
  bench.write('slow.json', slow);
  expect(await bench.done('test_workflow', { workflowId: 'slow', timeout: 3000 })).toMatchObject({ success: false, status: 'timeout' });
  const left = (await (await fetch(`${n8n.url}/api/v1/workflows?limit=200`, { headers: { 'X-N8N-API-KEY': n8n.apiKey } })).json()) as {
    data: { name: string }[];
  };
  expect(left.data.filter(({ name }) => name.includes('Millrace test'))).toEqual([]);
});

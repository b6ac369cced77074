import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealN8n, startRealN8n } from '../../scripts/real-n8n.ts';
import type { Workflow } from '../../toolsets/n8n/document/workflow/model.ts';
import type { RunResult } from '../../toolsets/n8n/engine/engine.ts';
import { openN8n, type TestN8n } from '../harness/n8n.ts';
import { verifies } from '../requirements.ts';
import { RECIPES, type Recipe } from './n8n-recipes.ts';
import { runWorkflow } from './n8n-run.ts';

let n8n: RealN8n;
/** Runs what it can in the embedded engine, and deploys to the instance. */
let local: TestN8n;
/** Has no engine, so everything runs on the instance. */
let remote: TestN8n;
beforeAll(async () => {
  n8n = await startRealN8n((text) => process.stderr.write(`${text}\n`));
  const environment = { N8N_API_URL: n8n.url, N8N_API_KEY: n8n.apiKey };
  local = await openN8n({ environment });
  remote = await openN8n({ engine: false, environment });
});
afterAll(async () => {
  await Promise.all([local?.close(), remote?.close()]);
  await n8n?.stop();
});

/** Builds a recipe by the tools alone, as an assistant would. */
async function build(bench: TestN8n, recipe: Recipe): Promise<{ workflowId: string; workflow: Workflow }> {
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
  const { workflows } = (await bench.done('workflow_list', { limit: 500 })) as unknown as { workflows: { id: string; path: string }[] };
  const filePath = workflows.find(({ id }) => id === workflowId)?.path;
  await bench.done('workflow_save', { workflowId, workflowData, filePath });
  return { workflowId: workflowId as string, workflow: workflowData };
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

test('there are at least thirty recipes', () => expect(RECIPES.length).toBeGreaterThanOrEqual(30));

describe.each(RECIPES)('$title', (recipe) => {
  verifies(['n8n-files-accepted', 'n8n-create-structure'], 'is valid, and a real n8n accepts it', async () => {
    const { workflowId } = await build(local, recipe);
    expect(await local.done('workflow_validate', { workflowId })).toMatchObject({ valid: true, errors: [] });
    const deployed = (await local.done('workflow_deploy', { workflowId })) as unknown as { success: boolean; remoteId: string };
    expect(deployed).toMatchObject({ success: true, remoteId: expect.any(String) });
    const { nodes } = await remoteWorkflow(deployed.remoteId);
    expect(nodes.map(({ name }) => name).sort()).toEqual(Object.keys(recipe.nodes).sort());
  });

  verifies('n8n-test-same-as-real', 'gives the same data in the embedded engine as in a real n8n', async () => {
    const { workflow } = await build(local, recipe);
    const testData = { items: recipe.items, ...(recipe.pinned && { pinned: recipe.pinned }) };
    const embedded = await runWorkflow(local, workflow, { testData });
    const theirs = await runWorkflow(remote, workflow, { testData });
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
    const { workflowId, workflow } = await build(local, recipe);
    expect(await local.done('workflow_deploy', { workflowId, activate: true })).toMatchObject({ success: true });
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
    const embedded = await runWorkflow(local, workflow, { testData: { items: recipe.items }, timeout: 20_000 });
    expect(embedded.where).toBe('embedded');
    expect(answer).toEqual(embedded.runs.at(-1)?.outputs[0]?.[0]?.json);
  },
);

test('without a pack, the nodes of a real instance are the catalogue', async () => {
  const bench = await openN8n({
    engine: false,
    environment: { N8N_API_URL: n8n.url, N8N_API_KEY: n8n.apiKey, N8N_EMAIL: n8n.owner.email, N8N_PASSWORD: n8n.owner.password },
  });
  expect(await bench.done('node_search', { keyword: 'slack' })).toMatchObject({
    nodes: expect.arrayContaining([expect.objectContaining({ id: 'n8n-nodes-base.slackTool' })]),
  });
  for (const recipe of RECIPES) {
    const { workflowId } = await build(bench, { ...recipe, title: `${recipe.title} again` });
    expect(await bench.done('workflow_validate', { workflowId }), recipe.title).toMatchObject({ valid: true });
  }
});

verifies('n8n-test-where', 'test_workflow runs on a real instance what the embedded engine has not got', async () => {
  const [recipe] = RECIPES as [Recipe];
  const { workflow } = await build(local, recipe);
  remote.write('chain.json', { ...workflow, id: 'chain' });
  expect(await remote.done('test_workflow', { workflowId: 'chain', testData: { items: recipe.items } })).toMatchObject({
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
  remote.write('slow.json', slow);
  expect(await remote.done('test_workflow', { workflowId: 'slow', timeout: 3000 })).toMatchObject({ success: false, status: 'timeout' });
  const left = (await (await fetch(`${n8n.url}/api/v1/workflows?limit=200`, { headers: { 'X-N8N-API-KEY': n8n.apiKey } })).json()) as {
    data: { name: string }[];
  };
  expect(left.data.filter(({ name }) => name.includes('Millrace test'))).toEqual([]);
});

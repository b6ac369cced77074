import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type RealN8n, startRealN8n } from '../../scripts/real-n8n.ts';
import type { Workflow } from '../../toolsets/n8n/document/workflow/model.ts';
import type { RunResult } from '../../toolsets/n8n/engine/engine.ts';
import { openN8n, type TestN8n } from '../harness/n8n.ts';
import { chain, code, link, node, output, setField, start } from '../harness/n8n-workflows.ts';
import { verifies } from '../requirements.ts';
import { runWorkflow } from './n8n-run.ts';

let n8n: RealN8n;
let mcpToken: string;

beforeAll(async () => {
  n8n = await startRealN8n((text) => process.stderr.write(`${text}\n`));
  await switchMcp(true);
  const reply = (await (await fetch(`${n8n.url}/rest/mcp/api-key`, { headers: { Cookie: n8n.cookie, 'browser-id': 'tests' } })).json()) as {
    data: { apiKey: string };
  };
  mcpToken = reply.data.apiKey;
});
afterAll(() => n8n?.stop());

async function switchMcp(mcpAccessEnabled: boolean): Promise<void> {
  const response = await fetch(`${n8n.url}/rest/mcp/settings`, {
    method: 'PATCH',
    headers: { Cookie: n8n.cookie, 'browser-id': 'tests', 'Content-Type': 'application/json' },
    body: JSON.stringify({ mcpAccessEnabled }),
  });
  expect(response.status).toBe(200);
}

type Via = NonNullable<RunResult['via']>;

const instance = () => ({ N8N_API_URL: n8n.url, N8N_API_KEY: n8n.apiKey });

/** A server without an engine, which may run workflows on the instance in these ways. */
function serverBy(...ways: Via[]): Promise<TestN8n> {
  return openN8n({
    engine: false,
    environment: {
      ...instance(),
      ...(ways.includes('mcp') && { N8N_MCP_TOKEN: mcpToken }),
      ...(ways.includes('session') && { N8N_EMAIL: n8n.owner.email, N8N_PASSWORD: n8n.owner.password }),
    },
  });
}

async function workflowsLeft(): Promise<string[]> {
  const response = await fetch(`${n8n.url}/api/v1/workflows?limit=200`, { headers: { 'X-N8N-API-KEY': n8n.apiKey } });
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name).filter((name) => name.includes('Millrace test'));
}

const greeting = chain(start, node('Middle', 'noOp', 1), setField('Greet', 'text', '=Hello {{ $json.name }}'));
greeting.settings = { executionOrder: 'v1' };

describe.each<Via>(['mcp', 'session', 'webhook'])('by %s', (via) => {
  verifies('n8n-test-where', 'test data, pins and errors come back, and nothing stays on the instance', async () => {
    const server = await serverBy(via);
    const result = await runWorkflow(server, greeting, { testData: { items: [{ name: 'Ada' }, { name: 'Bob' }] } });
    expect(result).toMatchObject({ status: 'success', where: 'instance', via });
    expect(result.logs[0]).toMatch(/^Run on the instance by /);
    expect(output(result, 'Greet')?.map(({ text }) => text)).toEqual(['Hello Ada', 'Hello Bob']);
    const testData = { items: [{ name: 'Ada' }], pinned: { Middle: [{ json: { name: 'Eve' } }] } };
    const pinned = await runWorkflow(server, greeting, { testData });
    expect(output(pinned, 'Greet')?.map(({ text }) => text)).toEqual(['Hello Eve']);
    const failed = await runWorkflow(server, chain(start, node('Stop', 'stopAndError', 1, { errorMessage: 'out of milk' })));
    expect(failed).toMatchObject({ status: 'error', via, error: { node: 'Stop', message: 'out of milk' } });
    expect(await workflowsLeft()).toEqual([]);
  });

  test('the trigger that is asked for begins', async () => {
    const workflow = chain(
      node('Hook', 'webhook', 2, { path: `choose-${via}`, options: {} }),
      setField('From', 'by', '={{ $prevNode.name }}'),
    );
    workflow.nodes.push(node('Every day', 'scheduleTrigger', 1.2, { rule: { interval: [{}] } }));
    link(workflow, 'Every day', 'From');
    const result = await runWorkflow(await serverBy(via), workflow, { testData: { items: [{ x: 1 }] }, trigger: 'Every day' });
    expect(output(result, 'From')).toEqual([{ x: 1, by: 'Every day' }]);
  });

  test('a run that takes too long is given up', async () => {
    const slow = chain(start, node('Wait', 'wait', 1.1, { resume: 'timeInterval', amount: 50, unit: 'seconds' }));
    expect(await runWorkflow(await serverBy(via), slow, { timeout: 2_500 })).toMatchObject({ status: 'timeout', via });
    expect(await workflowsLeft()).toEqual([]);
  });
});

verifies('n8n-test-where', 'a method that the instance does not offer is reported, and the next one is used', async () => {
  await switchMcp(false);
  onTestFinished(() => switchMcp(true));
  const testData = { items: [{ name: 'Ada' }] };
  const second = await runWorkflow(await serverBy('mcp', 'session'), greeting, { testData });
  expect(second).toMatchObject({ status: 'success', via: 'session' });
  expect(second.logs[0]).toContain("Not by the instance's MCP server: it is not switched on");
  const wrong = { N8N_MCP_TOKEN: 'wrong', N8N_EMAIL: 'nobody@example.com', N8N_PASSWORD: 'wrong' };
  const stranger = await openN8n({ environment: { ...instance(), ...wrong } });
  const read = node('Read', 'readWriteFile', 1, { operation: 'read', fileSelector: '/nowhere' }, { onError: 'continueRegularOutput' });
  const third = await runWorkflow(stranger, chain(start, read), { testData });
  expect(third).toMatchObject({ status: 'success', via: 'webhook' });
  expect(third.logs.join('\n')).toContain('does not let N8N_EMAIL sign in');
  expect(await workflowsLeft()).toEqual([]);
});

/** What both sides must agree on. */
function comparable(result: RunResult) {
  const nodes = result.runs.map(({ node: name, status, outputs }) => {
    const json = outputs.map((list) => list.map((item) => item.json));
    while (json.length > 0 && json.at(-1)?.length === 0) json.pop();
    return { name, status, json };
  });
  return { status: result.status, nodes, error: result.error && { node: result.error.node, message: result.error.message } };
}

function branches(settings: Workflow['settings']): Workflow {
  const workflow = chain(start, node('A', 'noOp', 1), node('A2', 'noOp', 1));
  workflow.nodes.push(node('B', 'noOp', 1, {}, { position: [0, 200] }), node('B2', 'noOp', 1));
  link(workflow, 'Start', 'B');
  link(workflow, 'B', 'B2');
  return { ...workflow, ...(settings && { settings }) };
}

function joined(): Workflow {
  const query = 'SELECT input1.id, input1.side AS a, input2.side AS b FROM input1 JOIN input2 ON input1.id = input2.id ORDER BY id DESC';
  const workflow = chain(start, setField('Left', 'side', 'left'));
  workflow.nodes.push(setField('Right', 'side', 'right'), node('Merge', 'merge', 3.2, { mode: 'combineBySql', query, options: {} }));
  link(workflow, 'Start', 'Right');
  link(workflow, 'Left', 'Merge');
  link(workflow, 'Right', 'Merge', 0, 1);
  return { ...workflow, settings: { executionOrder: 'v1' } };
}

/** In the old order n8n asks the other trigger for what the Merge lacks. */
function awaited(): Workflow {
  const workflow = chain(start, node('Merge', 'merge', 3.2), node('End', 'noOp', 1));
  workflow.nodes.push(node('Hook', 'webhook', 2, { path: 'awaited', options: {} }));
  link(workflow, 'Hook', 'Merge', 0, 1);
  return workflow;
}

const inner = chain(
  node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
  setField('Twice', 'twice', '={{ $json.id * 2 }}', 'number'),
);
const failing = chain(
  node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
  node('Stop', 'stopAndError', 1, { errorMessage: 'deep down' }),
);
const calling = (parameters: Record<string, unknown>) => node('Call', 'executeWorkflow', 1.2, { options: {}, ...parameters });
const written = (workflow: Workflow, more = {}) => calling({ source: 'parameter', workflowJson: JSON.stringify(workflow), ...more });

const SAME: Record<string, Workflow> = {
  'branches in the newer order': branches({ executionOrder: 'v1' }),
  'branches without a set order': branches(undefined),
  'a merge by SQL': joined(),
  'a merge that lacks what another trigger gives': awaited(),
  'duplicates of former runs': chain(
    start,
    node('Unseen', 'removeDuplicates', 2, {
      operation: 'removeItemsSeenInPreviousExecutions',
      dedupeValue: '={{ $json.id }}',
      options: {},
    }),
    node('End', 'noOp', 1),
  ),
  'a called workflow': chain(start, written(inner), setField('After', 'sum', '={{ $json.id + $json.twice }}', 'number')),
  'a called workflow for each item': chain(start, written(inner, { mode: 'each' })),
  'a called workflow that nobody waits for': chain(start, written(inner, { options: { waitForSubWorkflow: false } })),
  'a called workflow that fails': chain(start, written(failing), node('After', 'noOp', 1)),
  'a script that makes binary data': chain(
    start,
    code("return [{ json: {}, binary: { data: await this.helpers.prepareBinaryData(Buffer.from('a'), 'a.txt', 'text/plain') } }]"),
    { ...code("return { text: (await this.helpers.getBinaryDataBuffer(0, 'data')).toString() }"), name: 'Read', id: 'read' },
  ),
  'a script that throws two lines': chain(start, code("const a = 1;\nthrow new Error('first line\\nsecond line')")),
  'a script that is not JavaScript': chain(start, code('return {')),
  'a script for each item': chain(start, code('return $json.id > 1 ? { id: $json.id, at: $itemIndex } : null', 'runOnceForEachItem')),
  'a script that wants a module': chain(start, code("require('fs')")),
  'a node that fails and continues': chain(
    start,
    { ...code('throw new Error("bad")'), onError: 'continueRegularOutput' },
    node('After', 'noOp', 1),
  ),
};

describe('the embedded engine gives the same as a real n8n', () => {
  verifies('n8n-test-same-as-real', 'for what it learned', async () => {
    const local = await openN8n();
    const real = await serverBy('session');
    const testData = { items: [{ id: 1 }, { id: 2 }] };
    for (const [title, workflow] of Object.entries(SAME)) {
      const embedded = await runWorkflow(local, workflow, { testData });
      const theirs = await runWorkflow(real, workflow, { testData });
      expect.soft([embedded.where, theirs.where], title).toEqual(['embedded', 'instance']);
      expect.soft(comparable(embedded), title).toEqual(comparable(theirs));
    }
  });

  test('for a workflow that is called by its id', async () => {
    const local = await openN8n({ environment: instance() });
    local.write('inner.json', { ...inner, id: 'inner', name: 'Inner' });
    const { remoteId } = await local.done('workflow_deploy', { workflowId: 'inner' });
    onTestFinished(async () => {
      await fetch(`${n8n.url}/api/v1/workflows/${remoteId}`, { method: 'DELETE', headers: { 'X-N8N-API-KEY': n8n.apiKey } });
    });
    const workflow = chain(start, calling({ workflowId: { __rl: true, mode: 'id', value: remoteId } }));
    const testData = { items: [{ id: 4 }] };
    const embedded = await runWorkflow(local, workflow, { testData });
    const theirs = await runWorkflow(await serverBy('session'), workflow, { testData });
    expect([embedded.where, theirs.where]).toEqual(['embedded', 'instance']);
    expect(output(theirs, 'Call')).toEqual([{ id: 4, twice: 8 }]);
    expect(comparable(embedded)).toEqual(comparable(theirs));
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

interface TestReply {
  success: boolean;
  executionId: string;
  status: string;
  data: {
    nodes: Record<string, { status: string; outputs: { count: number; items: { json: unknown }[] }[]; error?: { message: string } }>;
    [key: string]: unknown;
  };
  logs: string[];
  executionTime: number;
}

const greeting = {
  id: 'greeting',
  name: 'Greeting',
  nodes: [
    { id: 'a', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: 'b',
      name: 'Greet',
      type: 'n8n-nodes-base.set',
      typeVersion: 3.4,
      position: [220, 0],
      parameters: {
        assignments: { assignments: [{ id: '1', name: 'text', value: '=Hello {{ $json.name }}', type: 'string' }] },
        options: {},
      },
    },
  ],
  connections: { Start: { main: [[{ node: 'Greet', type: 'main', index: 0 }]] } },
  settings: { executionOrder: 'v1' },
};

const slow = withCode('slow', 'await new Promise((resolve) => setTimeout(resolve, 60000)); return [];');
const failing = withCode('failing', "throw new Error('out of milk');");

function withCode(id: string, jsCode: string) {
  const [start, greet] = greeting.nodes;
  const script = { ...greet, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { mode: 'runOnceForAllItems', jsCode } };
  return { ...greeting, id, name: id, nodes: [start, script] };
}

async function testing(...workflows: { id: string }[]) {
  const bench = await openN8n();
  for (const workflow of workflows) bench.write(`${workflow.id}.json`, workflow);
  return {
    ...bench,
    run: async (parameters: Record<string, unknown>) => (await bench.done('test_workflow', parameters)) as unknown as TestReply,
  };
}
const greeted = (reply: TestReply) => reply.data.nodes['Greet']?.outputs[0]?.items.map((item) => item.json);

verifies('n8n-test-reply', 'test_workflow answers what its contract says', async () => {
  const { run, refused } = await testing(greeting);
  const reply = await run({ workflowId: 'greeting' });
  expect(reply).toEqual({
    success: true,
    executionId: expect.stringMatching(/./),
    status: 'success',
    data: expect.objectContaining({ lastNode: 'Greet', where: 'embedded' }),
    logs: expect.arrayContaining([expect.stringContaining('Greet')]),
    executionTime: expect.any(Number),
  });
  expect((await refused('test_workflow', {})).code).toBe('INVALID_TOOL_PARAMETERS');
  expect((await refused('test_workflow', { workflowId: 'greetings' })).message).toContain('greeting');
});

verifies('n8n-test-data', 'testData becomes what the trigger gives', async () => {
  const { run, refused } = await testing(greeting);
  expect(greeted(await run({ workflowId: 'greeting', testData: { items: [{ name: 'Ada' }, { json: { name: 'Bob' } }] } }))).toEqual([
    { text: 'Hello Ada' },
    { text: 'Hello Bob' },
  ]);
  expect(greeted(await run({ workflowId: 'greeting', testData: { name: 'Cleo' } }))).toEqual([{ text: 'Hello Cleo' }]);
  expect(greeted(await run({ workflowId: 'Greeting', testData: { pinned: { Start: [{ json: { name: 'Dan' } }] } } }))).toEqual([
    { text: 'Hello Dan' },
  ]);
  expect(greeted(await run({ workflowId: 'greeting', testData: { pinned: { Greet: [{ text: 'pinned' }] } } }))).toEqual([
    { text: 'pinned' },
  ]);
  expect((await refused('test_workflow', { workflowId: 'greeting', testData: { pinned: { Nobody: [] } } })).code).toBe(
    'INVALID_TOOL_PARAMETERS',
  );
});

verifies('n8n-test-timeout', 'a run that exceeds its timeout is stopped and answered', async () => {
  const { run, catalog } = await testing(slow);
  const reply = await run({ workflowId: 'slow', timeout: 400 });
  expect(reply).toMatchObject({ success: false, status: 'timeout', data: { error: { message: expect.stringContaining('400 ms') } } });
  expect(catalog.find('test_workflow')?.inputSchema).toMatchObject({ properties: { timeout: { default: 60_000 } } });
});

verifies('n8n-test-failing-run', 'a run that fails is a reply with the error of the node', async () => {
  const { run, call } = await testing(failing);
  const reply = await run({ workflowId: 'failing' });
  expect(reply).toMatchObject({
    success: false,
    status: 'error',
    data: { error: { node: 'Greet', message: expect.stringContaining('out of milk') }, nodes: { Greet: { status: 'error' } } },
  });
  expect((await call('test_workflow', { workflowId: 'failing' })).isError).toBe(false);
});

verifies('n8n-test-where', 'the embedded engine runs first; what it has not got goes to the instance', async () => {
  const instance = await pretendedInstance();
  const bench = await openN8n({ environment: { N8N_API_URL: instance.url, N8N_API_KEY: 'key' } });
  bench.write('greeting.json', greeting);
  expect(await bench.done('test_workflow', { workflowId: 'greeting' })).toMatchObject({ data: { where: 'embedded' } });
  expect(instance.calls).toEqual([]);
  bench.write('mail.json', {
    ...greeting,
    id: 'mail',
    name: 'mail',
    nodes: [greeting.nodes[0], { ...greeting.nodes[1], type: 'n8n-nodes-base.slack', typeVersion: 2.3, parameters: SLACK }],
  });
  expect(await bench.done('test_workflow', { workflowId: 'mail' })).toMatchObject({
    success: true,
    data: { where: 'instance', lastNode: 'Greet' },
  });
  expect(instance.calls).toEqual([
    'POST /api/v1/workflows',
    'POST /api/v1/workflows/7/activate',
    'POST /webhook',
    'GET /api/v1/executions',
    'POST /api/v1/workflows/7/deactivate',
    'DELETE /api/v1/workflows/7',
  ]);
});

verifies('n8n-test-reply', 'a node that needs a credential is reported before the run, with what to pin', async () => {
  const { refused, write } = await testing();
  write('mail.json', {
    ...greeting,
    id: 'mail',
    nodes: [greeting.nodes[0], { ...greeting.nodes[1], type: 'n8n-nodes-base.slack', typeVersion: 2.3, parameters: SLACK }],
  });
  expect(await refused('test_workflow', { workflowId: 'mail' })).toMatchObject({
    code: 'TOOL_EXECUTION_ERROR',
    message: expect.stringContaining('slackApi'),
    details: { nodes: [{ node: 'Greet' }], fix: { example: { testData: { pinned: { Greet: [{ json: {} }] } } } } },
  });
});

verifies(['n8n-test-reply', 'n8n-paths-confined'], 'a workflow calls others among the files, and nothing outside of them', async () => {
  const { run, refused, write } = await testing(greeting);
  const called = { ...greeting.nodes[0], name: 'Start', type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 };
  write('deep/sub.json', {
    ...greeting,
    id: 'sub',
    name: 'Sub',
    nodes: [{ ...called, parameters: { inputSource: 'passthrough' } }, greeting.nodes[1]],
  });
  const calling = (parameters: Record<string, unknown>) =>
    write('caller.json', {
      ...greeting,
      id: 'caller',
      name: 'Caller',
      nodes: [
        greeting.nodes[0],
        { ...greeting.nodes[1], type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2, parameters: { options: {}, ...parameters } },
      ],
    });
  const inList = (value: string, cachedResultName: string) => ({ workflowId: { __rl: true, mode: 'list', value, cachedResultName } });
  for (const parameters of [
    inList('sub', 'x'),
    inList('id on an instance', 'Sub'),
    { source: 'localFile', workflowPath: 'deep/sub.json' },
  ]) {
    calling(parameters);
    const reply = await run({ workflowId: 'caller', testData: { name: 'Ada' } });
    expect(greeted(reply)).toEqual([{ text: 'Hello Ada' }]);
    expect(reply.logs.join('\n')).toContain('Sub > Greet ran');
  }
  calling({ source: 'localFile', workflowPath: '../../outside.json' });
  expect((await refused('test_workflow', { workflowId: 'caller' })).message).toContain('outside of the workflow folders');
  calling(inList('nowhere', 'Nobody'));
  expect((await refused('test_workflow', { workflowId: 'caller' })).message).toContain('There is no workflow "nowhere"');
});

verifies('n8n-test-reply', 'runs are kept', async () => {
  const { run, done, storage } = await testing(greeting);
  const { executionId } = await run({ workflowId: 'greeting', testData: { name: 'Eve' } });
  expect(await done('workflow_executions', { workflowId: 'greeting', limit: 1, includeData: true })).toMatchObject({
    local: [{ id: executionId, status: 'success', nodes: [{ node: 'Start' }, { node: 'Greet', sample: [{ text: 'Hello Eve' }] }] }],
  });
  expect(await storage.store.db.selectFrom('n8n_runs').select(['execution_id', 'place']).execute()).toEqual([
    { execution_id: executionId, place: 'embedded' },
  ]);
});

verifies('n8n-test-where', 'without the engine pack the instance runs everything', async () => {
  const instance = await pretendedInstance();
  const bench = await openN8n({ engine: false, environment: { N8N_API_URL: instance.url, N8N_API_KEY: 'key' } });
  bench.write('greeting.json', greeting);
  expect(await bench.done('test_workflow', { workflowId: 'greeting', testData: { name: 'Ada' } })).toMatchObject({
    data: { where: 'instance' },
  });
  expect(instance.called).toEqual([{ items: [{ json: { name: 'Ada' } }] }]);
  const alone = await openN8n({ engine: false });
  alone.write('greeting.json', greeting);
  expect(await alone.refused('test_workflow', { workflowId: 'greeting' })).toMatchObject({
    details: { fix: { instruction: 'Install it: millrace engine add n8n' } },
  });
});

const SLACK = {
  resource: 'message',
  operation: 'post',
  select: 'channel',
  channelId: { __rl: true, mode: 'id', value: 'C0123456789' },
  text: 'hi',
};

/** As much of an n8n as a test run touches: its replies are shaped like those of a real one. */
async function pretendedInstance() {
  const calls: string[] = [];
  const called: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const path = (request.url ?? '').replace(/\?.*/, '').replace(/^\/webhook\/.*/, '/webhook');
    calls.push(`${request.method} ${path}`);
    if (path === '/webhook') called.push(JSON.parse(body));
    const task = { startTime: 1, executionTime: 1, executionStatus: 'success', data: { main: [[{ json: { ok: true } }]] } };
    const runData = { Start: [{ ...task, executionIndex: 1 }], Greet: [{ ...task, executionIndex: 2 }] };
    const replies: Record<string, unknown> = {
      'POST /api/v1/workflows': { ...(body.startsWith('{') && path === '/api/v1/workflows' ? JSON.parse(body) : {}), id: '7' },
      'GET /api/v1/executions': { data: [{ id: 12, status: 'success', stoppedAt: 'now', data: { resultData: { runData } } }] },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(replies[`${request.method} ${path}`] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, called };
}

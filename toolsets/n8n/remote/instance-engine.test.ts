import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { chain, items, node, output, start } from '../../../test/harness/n8n-workflows.ts';
import { PackReader } from '../catalogue/pack/pack-reader.ts';
import type { RunInput } from '../engine/engine.ts';
import { InstanceClient } from './client.ts';
import { type InstanceAccess, InstanceEngine } from './instance-engine.ts';

interface Reply {
  status?: number;
  body?: unknown;
  text?: string;
  cookie?: string;
}

type Answers = Record<string, Reply | ((body: Record<string, unknown>) => Reply)>;

const workflow = chain(start, node('End', 'noOp', 1));
const task = { startTime: 1, executionTime: 1, executionStatus: 'success', data: { main: [[{ json: { ok: true } }]] } };
const execution = { id: 12, status: 'success', stoppedAt: 'now', data: { resultData: { runData: { End: [task] } } } };

/** As much of an instance as is asked for, with replies like those of a real one. */
async function instance(answers: Answers, access: InstanceAccess) {
  const calls: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const all: Answers = {
    'POST /api/v1/workflows': (body) => ({ body: { ...body, id: '7' } }),
    'GET /api/v1/executions/12': { body: execution },
    'GET /api/v1/executions': { body: { data: [execution] } },
    'DELETE /api/v1/workflows/7': {},
    ...answers,
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    const call = `${request.method} ${(request.url ?? '').replace(/\?.*/, '').replace(/^\/webhook\/.*/, '/webhook')}`;
    calls.push(call);
    bodies.push(body);
    const found = all[call] ?? {};
    const reply = typeof found === 'function' ? found(body) : found;
    response.statusCode = reply.status ?? 200;
    if (reply.cookie) response.setHeader('set-cookie', reply.cookie);
    response.end(reply.text ?? JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = new InstanceEngine(
    new InstanceClient({ url, apiKey: 'key' }),
    new PackReader({ home: '/nowhere', log: silentLog }),
    access,
  );
  const run = (input: RunInput = items({ x: 1 })) =>
    engine.run(workflow, input, { timeoutMs: 20_000, signal: new AbortController().signal });
  return { run, calls, bodies };
}

const said = (executionId: string | null, error?: string) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { structuredContent: { executionId, status: 'success', error } },
});
const login = { email: 'a@b.c', password: 'secret' };

test("the instance's MCP server is asked first, with the test data pinned", async () => {
  for (const reply of [{ body: said('12') }, { text: `event: message\ndata: ${JSON.stringify(said('12'))}\n\n` }]) {
    const { run, calls, bodies } = await instance({ 'POST /mcp-server/http': reply }, { mcpToken: 'token', login });
    const result = await run({ ...items({ x: 1 }), pinned: { End: [{ json: { y: 1 } }] } });
    expect(result).toMatchObject({ status: 'success', where: 'instance', via: 'mcp', executionId: '12' });
    expect(output(result, 'End')).toEqual([{ ok: true }]);
    expect(calls).toEqual(['POST /api/v1/workflows', 'POST /mcp-server/http', 'GET /api/v1/executions/12', 'DELETE /api/v1/workflows/7']);
    expect(bodies[0]).toMatchObject({ settings: { availableInMCP: true, saveManualExecutions: true } });
    expect(bodies[1]).toMatchObject({
      params: {
        name: 'test_workflow',
        arguments: { workflowId: '7', triggerNodeName: 'Start', pinData: { Start: [{ json: { x: 1 } }], End: [{ json: { y: 1 } }] } },
      },
    });
  }
});

test('signed in, the copy with its pins is run as the editor does; a session that ran out is renewed', async () => {
  let attempts = 0;
  const { run, calls, bodies } = await instance(
    {
      'POST /mcp-server/http': { status: 404, text: '<html>' },
      'POST /rest/login': { cookie: 'n8n-auth=1; Path=/' },
      'POST /rest/workflows/7/run': () => (++attempts === 1 ? { status: 401 } : { body: { data: { executionId: '12' } } }),
    },
    { mcpToken: 'token', login },
  );
  const result = await run();
  expect(result).toMatchObject({ status: 'success', via: 'session' });
  expect(result.logs.slice(0, 2)).toEqual([
    "Not by the instance's MCP server: it is not switched on (status 404)",
    'Run on the instance by the run route of its editor',
  ]);
  expect(calls.slice(3)).toEqual([
    'POST /rest/login',
    'POST /api/v1/workflows',
    'POST /rest/workflows/7/run',
    'POST /rest/login',
    'POST /rest/workflows/7/run',
    'GET /api/v1/executions/12',
    'DELETE /api/v1/workflows/7',
  ]);
  expect(bodies[4]).toMatchObject({ pinData: { Start: [{ json: { x: 1 } }] } });
  expect(bodies[5]).toMatchObject({
    workflowData: { id: '7', pinData: { Start: [{ json: { x: 1 } }] } },
    triggerToStartFrom: { name: 'Start' },
  });
});

test.each<[string, Answers]>([
  ['tokens and passwords are wrong', { 'POST /mcp-server/http': { status: 401 }, 'POST /rest/login': { status: 401 } }],
  [
    'its MCP server knows no such tool',
    { 'POST /mcp-server/http': { body: { error: { code: -32602 } } }, 'POST /rest/login': { status: 404 } },
  ],
  [
    'its MCP server will not, and the route is another',
    { 'POST /mcp-server/http': { body: said(null, 'not available') }, 'POST /rest/workflows/7/run': { status: 404 } },
  ],
])('a webhook does when %s', async (_what, answers) => {
  const { run, calls } = await instance(answers, { mcpToken: 'token', login });
  const result = await run();
  expect(result).toMatchObject({ status: 'success', via: 'webhook' });
  expect(result.logs.filter((line) => line.startsWith('Not by'))).toHaveLength(2);
  const made = calls.filter((call) => call === 'POST /api/v1/workflows').length;
  expect(calls.filter((call) => call === 'DELETE /api/v1/workflows/7')).toHaveLength(made);
});

test('an older instance is given what it takes', async () => {
  const { run, bodies } = await instance(
    {
      'POST /api/v1/workflows': (body) =>
        'pinData' in body ? { status: 400, body: { message: 'must NOT have additional properties' } } : { body: { ...body, id: '7' } },
      'POST /rest/workflows/7/run': { body: { data: { executionId: '12' } } },
    },
    { login },
  );
  expect(await run()).toMatchObject({ status: 'success', via: 'session' });
  expect(bodies[2]).not.toHaveProperty('settings.availableInMCP');
});

test('a run that waits for a call from outside is reported as waiting', async () => {
  const waiting = {
    ...execution,
    status: 'waiting',
    stoppedAt: null,
    data: { resultData: { runData: { End: [task] }, lastNodeExecuted: 'End' } },
  };
  const { run } = await instance(
    { 'POST /mcp-server/http': { body: said('12') }, 'GET /api/v1/executions/12': { body: waiting } },
    { mcpToken: 'token' },
  );
  expect(await run()).toMatchObject({ status: 'error', error: { node: 'End', message: expect.stringContaining('waits for something') } });
});

test('pins of nodes that are not there are refused', async () => {
  const { run, calls } = await instance({}, { login });
  await expect(run({ pinned: { Nobody: [] } })).rejects.toMatchObject({ code: 'invalid_input' });
  expect(calls).toEqual([]);
});

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ReplayedFlowise, recorded } from '../../../toolsets/flowise/testing/replay.ts';
import { LAUNCHER } from '../../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernRequest, temporaryFolder } from '../../harness/process.ts';
import { verifies } from '../../requirements.ts';

const TOKEN = 'the-token-of-the-owner-in-this-test';
const folder = temporaryFolder();
let flowise: ReplayedFlowise;
let server: HttpProcess;
beforeAll(async () => {
  flowise = await ReplayedFlowise.start({
    'GET /chatflows': recorded('list'),
    'GET /chatflows/*': recorded('get-agentflow'),
    'POST /chatflows': recorded('create'),
    'PUT /chatflows/*': recorded('update'),
    'DELETE /chatflows/*': recorded('delete'),
    'POST /prediction/*': recorded('predict-agentflow-stream'),
    'POST /agentflowv2-generator/generate': recorded('generate'),
    'GET /chatmessage/*': recorded('messages'),
    'GET /executions': recorded('execution-failed'),
  });
  const env = { MILLRACE_TOKEN: TOKEN, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'flowise', FLOWISE_API_URL: flowise.url };
  server = await new HttpProcess([LAUNCHER, 'serve'], cleanEnvironment(folder.path, env)).listening();
});
afterAll(async () => {
  await server?.stop();
  await flowise.close();
  folder[Symbol.dispose]();
});

const headers = { authorization: `Bearer ${TOKEN}` };
const listed = JSON.parse(recorded('list').body).map(({ id }: { id: string }) => ({ id }));

const call = { name: 'list_chatflows', arguments: {} };

function bareText(reply: object): unknown {
  const { content } = reply as { content?: { text: string }[] };
  return JSON.parse(content?.[0]?.text ?? '');
}

verifies('flowise-list-array-shape', 'list_chatflows is a bare array over REST', async () => {
  const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{"name":"list_chatflows"}' };
  expect(await (await fetch(`${server.url}/mcp/execute`, options)).json()).toMatchObject(listed);
});

verifies('flowise-list-array-shape', 'a 2026 client gets a bare array', async () => {
  const { body } = await modernRequest(server.url, TOKEN, 'tools/call', call);
  expect(body.result?.structuredContent).toMatchObject(listed);
  expect(bareText(body.result ?? {})).toMatchObject(listed);
});

verifies('flowise-list-array-shape', 'a 2025 client gets {result: [...]}, and errors as they are', async () => {
  const client = new ClientV1({ name: 'test', version: '1' });
  await client.connect(new HttpV1(new URL(`${server.url}/mcp`), { requestInit: { headers } }) as Parameters<ClientV1['connect']>[0]);
  await client.listTools();
  const reply = await client.callTool(call);
  expect(reply.structuredContent).toMatchObject({ result: listed });
  expect(bareText(reply)).toMatchObject(listed);
  const refused = await client.callTool({ name: 'list_chatflows', arguments: { page: 0 } });
  expect(refused).toMatchObject({ isError: true, structuredContent: { error: { type: 'ValidationError', details: { field: 'page' } } } });
  await client.close();
});

test('an SDK client, which checks every reply against its schema, accepts those of all tools', async () => {
  const client = new ClientV1({ name: 'test', version: '1' });
  await client.connect(new HttpV1(new URL(`${server.url}/mcp`), { requestInit: { headers } }) as Parameters<ClientV1['connect']>[0]);
  const { tools } = await client.listTools();
  const parameters: Record<string, object> = {
    create_chatflow: { name: 'x', flow_data: '{"nodes":[{"id":"a"}],"edges":[]}' },
    update_chatflow: { chatflow_id: 'x', name: 'y' },
    delete_chatflow: { chatflow_id: 'x' },
    run_prediction: { chatflow_id: 'x', question: 'y' },
    deploy_chatflow: { chatflow_id: 'x', deployed: false },
    generate_agentflow_v2: { description: 'an agent that does something' },
    get_prediction_result: { chatflow_id: 'x', chat_id: 'y' },
    restore_chatflow: { chatflow_id: 'x', dry_run: true },
    get_chatflow: { chatflow_id: 'x', format: 'thin' },
    list_chatflows: {},
  };
  expect(tools.map((tool) => tool.name).sort()).toEqual(Object.keys(parameters).sort());
  for (const [name, given] of Object.entries(parameters)) {
    const reply = await client.callTool({ name, arguments: given as Record<string, unknown> });
    expect(reply.isError, `${name} ${JSON.stringify(reply.content)}`).toBeUndefined();
    expect((await client.callTool({ name, arguments: { nonsense: 1 } })).isError, name).toBe(true);
  }
  await client.close();
});

test('the SDK client of 2026 accepts the array and the error', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  expect(tools.find((tool) => tool.name === 'list_chatflows')?.outputSchema).toHaveProperty('anyOf');
  expect((await client.callTool(call)).structuredContent).toMatchObject(listed);
  expect(await client.callTool({ name: 'list_chatflows', arguments: { page: 0 } })).toMatchObject({ isError: true });
  await client.close();
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestMillrace } from '../harness/millrace.ts';
import { agentflowFunction, agentflowModel } from './flowise-flows.ts';
import { startProxy, type Trouble, type TroubledProxy } from './flowise-proxy.ts';
import { flowiseSuite } from './flowise-suite.ts';

const suite = flowiseSuite();
const { create } = suite;
let proxy: TroubledProxy;
let tools: TestMillrace;
let impatient: TestMillrace;

beforeAll(async () => {
  proxy = await startProxy(suite.real.flowise.url);
  tools = await suite.real.toolsWith({ FLOWISE_API_URL: proxy.url });
  impatient = await suite.real.toolsWith({ FLOWISE_API_URL: proxy.url, FLOWISE_TIMEOUT: '1' });
});
afterAll(() => proxy?.close());

async function during<Result>(trouble: Trouble, only: RegExp | undefined, work: () => Promise<Result>): Promise<Result> {
  Object.assign(proxy, { trouble, only });
  try {
    return await work();
  } finally {
    Object.assign(proxy, { trouble: 'none', only: undefined });
  }
}

const call = (tool: string, parameters: object) => suite.call(tool, parameters, {}, tools);
const rows = async () => (await suite.real.api.send('GET', '/chatflows')).json as { id: string; name: string; flowData: string }[];
const eight = (id: string): Record<string, object> => ({
  list_chatflows: {},
  get_chatflow: { chatflow_id: id },
  create_chatflow: { name: 'Never', flow_data: agentflowFunction() },
  update_chatflow: { chatflow_id: id, name: 'Never', flow_data: agentflowFunction("return 'never'") },
  delete_chatflow: { chatflow_id: id },
  run_prediction: { chatflow_id: id, question: 'x' },
  deploy_chatflow: { chatflow_id: id, deployed: false },
  generate_agentflow_v2: { description: 'Create a translator please' },
});

describe('an instance that', () => {
  const types: [Trouble, string[]][] = [
    ['hang', ['TimeoutError']],
    ['reset', ['ConnectionError']],
    ['expired', ['AuthenticationError']],
  ];
  for (const [trouble, expected] of types) {
    test(`${trouble === 'expired' ? 'no longer knows the key' : `${trouble}s`} is reported as it is, and nothing is changed`, async () => {
      const id = await create(`Through a ${trouble}`, agentflowFunction());
      const before = await rows();
      for (const [tool, parameters] of Object.entries(eight(id))) {
        const reply = await during(trouble, undefined, () => (trouble === 'hang' ? impatient : tools).call(tool, parameters));
        expect((reply.structured as { error?: { type?: string } }).error?.type, `${trouble} ${tool}`).toBeOneOf(expected);
        expect(reply.text).not.toContain(suite.real.flowise.apiKey);
      }
      expect(await rows()).toEqual(before);
    });
  }

  test('answers half is a ConnectionError that says what may have been done', async () => {
    for (const tool of Object.keys(eight(''))) {
      const id = await create('Through halves', agentflowFunction());
      const { error } = await during('half', undefined, () => call(tool, eight(id)[tool] ?? {}));
      expect(error?.type, tool).toBe('ConnectionError');
    }
    const id = await create('Half changed', agentflowFunction());
    const { error } = await during('half', /^PUT/, () => call('update_chatflow', { chatflow_id: id, name: 'Changed' }));
    expect(error).toMatchObject({ type: 'ConnectionError', message: expect.stringContaining('may or may not have been done') });
    expect((await rows()).find((row) => row.id === id)?.name).toBe('Changed');
    await call('restore_chatflow', { chatflow_id: id });
    expect((await rows()).find((row) => row.id === id)?.name).toBe('Half changed');
  });

  test('answers slowly is waited for', async () => {
    const id = await create('Slowly', agentflowModel(suite.real.needs));
    await during('slow', undefined, async () => {
      expect((await call('get_chatflow', { chatflow_id: id })).name).toBe('Slowly');
      expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).text).toBe('STUB: x');
    });
  });
});

test('a key that expires in the middle of creating leaves nothing deployed, and the reply names what is left', async () => {
  const before = (await rows()).length;
  const flow = { name: 'Expiring', flow_data: agentflowFunction(), deployed: true };
  const early = await during('expired', /^POST/, () => call('create_chatflow', flow));
  expect(early.error.type).toBe('AuthenticationError');
  expect(await rows()).toHaveLength(before);
  const late = await during('expired', /^(PUT|DELETE)/, () => call('create_chatflow', flow));
  expect(late.error).toMatchObject({ type: 'AuthenticationError', details: { left_behind: expect.any(String) } });
  const left = (await suite.real.api.send('GET', `/chatflows/${late.error.details.left_behind}`)).json;
  expect(left).toMatchObject({ name: 'Expiring', deployed: false });
});

test('what is not a flow, or is too large, never reaches Flowise', async () => {
  const before = await rows();
  const bomb = `{"nodes":[],"edges":[],"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
  for (const flow_data of [
    '{}',
    '[]',
    'null',
    '"x"',
    '{"nodes":{},"edges":[]}',
    '{"nodes":[1],"edges":[]}',
    'nonsense',
    bomb,
    'x'.repeat(1_100_000),
  ]) {
    const { error } = await call('create_chatflow', { name: 'Bad', flow_data });
    expect(error, flow_data.slice(0, 40)).toMatchObject({ type: 'ValidationError', details: { field: 'flow_data' } });
  }
  for (const name of ['', 'x'.repeat(256)])
    expect((await call('create_chatflow', { name, flow_data: agentflowFunction() })).error.type).toBe('ValidationError');
  expect(await rows()).toEqual(before);
});

test('ids that would climb, inject or overflow name no chatflow', async () => {
  const before = await rows();
  for (const id of [
    '..',
    '../apikey',
    "' OR 1=1 --",
    '%2e%2e%2fapikey',
    'x\r\nHost: evil',
    '\u0000',
    '{"$ne":null}',
    'x'.repeat(5_000),
    '\ud800',
  ]) {
    for (const [tool, rest] of [
      ['get_chatflow', {}],
      ['delete_chatflow', {}],
      ['update_chatflow', { name: 'x' }],
      ['run_prediction', { question: 'x' }],
    ] as const) {
      const { error } = await call(tool, { chatflow_id: id, ...rest });
      expect(error?.type, `${tool} ${JSON.stringify(id).slice(0, 40)}`).toBeOneOf(['ValidationError', 'NotFoundError']);
    }
  }
  expect(await rows()).toEqual(before);
});

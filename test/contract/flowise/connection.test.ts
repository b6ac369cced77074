import { createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { json, recorded, recordedJson } from '../../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../../requirements.ts';
import { EIGHT, KEY, structured, toolsAt, toolsOn } from './tools.ts';

const SKELETON = '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}';

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

verifies('flowise-connection-error', 'each of the eight tools says that nothing listens, or that the host is unknown', async () => {
  for (const apiUrl of [`http://127.0.0.1:${await freePort()}`, 'http://no-such-host.invalid']) {
    const { call } = await toolsAt({ apiUrl });
    for (const [tool, parameters] of Object.entries(EIGHT)) {
      expect(structured(await call(tool, parameters)).error, `${tool} ${apiUrl}`).toMatchObject({
        type: 'ConnectionError',
        details: { variable: 'FLOWISE_API_URL' },
      });
    }
  }
});

verifies(['flowise-env-url', 'flowise-connection-error'], 'without an address the tools are listed and name the variable', async () => {
  for (const apiUrl of [undefined, '', '   ']) {
    const { call, catalog } = await toolsAt({ apiUrl });
    for (const [tool, parameters] of Object.entries(EIGHT)) {
      expect(catalog.find(tool)).toBeDefined();
      const reply = structured(await call(tool, parameters));
      expect(reply.error, tool).toMatchObject({ type: 'ConnectionError', message: expect.stringContaining('FLOWISE_API_URL') });
    }
  }
});

verifies('flowise-env-url', 'the address may end in a slash or in /api/v1, or have a path; anything else is named', async () => {
  const { flowise } = await toolsOn({ 'GET /chatflows': recorded('list') });
  for (const end of ['', '/', '/api/v1', '/api/v1/']) {
    const { call } = await toolsAt({ apiUrl: `${flowise.url}${end}` });
    expect((await call('list_chatflows')).isError, end).toBe(false);
  }
  for (const apiUrl of ['localhost:3000', 'ftp://x', 'nonsense', 'http://user:pass@127.0.0.1:1/']) {
    const { call } = await toolsAt({ apiUrl });
    const reply = await call('list_chatflows');
    expect(structured(reply).error, apiUrl).toMatchObject({ type: 'ConnectionError', message: expect.stringContaining('FLOWISE_API_URL') });
    expect(reply.text).not.toContain('pass@');
  }
});

verifies('flowise-env-key', 'the key goes as a bearer token with every request; without one no header is sent', async () => {
  const { call, flowise } = await toolsOn({ 'GET /chatflows': recorded('list') });
  await call('list_chatflows');
  expect(flowise.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  for (const apiKey of [undefined, '', ' ']) {
    const keyless = await toolsAt({ apiUrl: flowise.url, apiKey });
    await keyless.call('list_chatflows');
    expect(flowise.requests.at(-1)?.headers).not.toHaveProperty('authorization');
  }
  const padded = await toolsAt({ apiUrl: flowise.url, apiKey: ` ${KEY}\n` });
  await padded.call('list_chatflows');
  expect(flowise.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  const before = flowise.requests.length;
  const broken = await toolsAt({ apiUrl: flowise.url, apiKey: 'one-key\r\nX-Injected: 1' });
  expect(structured(await broken.call('list_chatflows')).error).toMatchObject({ type: 'AuthenticationError' });
  expect(flowise.requests.length).toBe(before);
});

describe('another server', () => {
  verifies('flowise-connection-html', 'a web page instead of JSON means a wrong address', async () => {
    const { call } = await toolsOn({ 'GET /chatflows': recorded('unknown-route') });
    expect(structured(await call('list_chatflows')).error).toMatchObject({
      type: 'ConnectionError',
      message: expect.stringContaining('FLOWISE_API_URL is wrong'),
    });
  });

  const html = (status: number) => ({ status, headers: { 'content-type': 'text/html' }, body: '<h1>nginx</h1>' });
  verifies(
    ['flowise-connection-html', 'flowise-error-types'],
    'pages of a proxy and replies in other forms are what they are',
    async () => {
      const cases: [object, string][] = [
        [html(404), 'ConnectionError'],
        [html(500), 'ConnectionError'],
        [html(502), 'ConnectionError'],
        [html(503), 'ConnectionError'],
        [html(413), 'ValidationError'],
        [{ status: 302, headers: { location: '/login' }, body: '' }, 'ConnectionError'],
        [{ status: 204, headers: {}, body: '' }, 'ConnectionError'],
        [{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'hi' }, 'ConnectionError'],
        [{ status: 200, headers: { 'content-type': 'application/json' }, body: '' }, 'ConnectionError'],
        [json({}), 'UnexpectedError'],
        [json('text'), 'UnexpectedError'],
        [json([null]), 'UnexpectedError'],
        [json([{ id: 1, name: 2 }]), 'UnexpectedError'],
        [json({ message: 'x'.repeat(100_000) }, 500), 'UnexpectedError'],
        [json({ message: 'boom' }, 500), 'UnexpectedError'],
        [{ status: 500, headers: { 'content-type': 'text/plain' }, body: 'Internal Server Error' }, 'UnexpectedError'],
        [json({ message: 'x' }, 418), 'UnexpectedError'],
        [{ status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' }, body: '' }, 'RateLimitError'],
      ];
      for (const [reply, type] of cases) {
        const { call } = await toolsOn({ 'GET /chatflows': reply as never });
        expect(structured(await call('list_chatflows')).error?.type, JSON.stringify(reply).slice(0, 100)).toBe(type);
      }
    },
  );

  test('that does not speak HTTP is a ConnectionError', async () => {
    const port = await portOf(createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    const { call } = await toolsAt({ apiUrl: `http://127.0.0.1:${port}` });
    expect(structured(await call('list_chatflows')).error.type).toBe('ConnectionError');
  });
});

describe('a bad connection', () => {
  verifies('flowise-timeout-or-connection', 'an answer that comes too late is a TimeoutError on any tool', async () => {
    const { call } = await toolsOn(
      { 'GET /chatflows': 'hang', 'GET /chatflows/*': { slowly: recorded('get'), ms: 3_000 } },
      { timeout: 1 },
    );
    const replies = await Promise.all([
      call('list_chatflows'),
      call('get_chatflow', { chatflow_id: 'x' }),
      call('delete_chatflow', { chatflow_id: 'x' }),
    ]);
    expect(replies.map((reply) => structured(reply).error.type)).toEqual(['TimeoutError', 'TimeoutError', 'TimeoutError']);
  });

  test('reads are tried again, changes are sent once', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get') });
    flowise.on('GET /chatflows', 'reset', { half: recorded('list') }, recorded('list'));
    expect((await call('list_chatflows')).isError).toBe(false);
    expect(flowise.sent('GET')).toHaveLength(3);
    flowise.on('POST /chatflows', 'reset');
    const reply = structured(await call('create_chatflow', { name: 'x', flow_data: SKELETON }));
    expect(reply.error).toMatchObject({ type: 'ConnectionError', message: expect.stringContaining('may or may not have been done') });
    expect(flowise.sent('POST')).toHaveLength(1);
  });

  test('a connection that keeps breaking is a ConnectionError in the end', async () => {
    for (const behaviour of ['reset', { half: recorded('list') }] as const) {
      const { call, flowise } = await toolsOn({ 'GET /chatflows': behaviour });
      expect(structured(await call('list_chatflows')).error.type).toBe('ConnectionError');
      expect(flowise.requests).toHaveLength(3);
    }
  });

  test('a short Retry-After is waited for once, a long one is passed on', async () => {
    const limited = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds }, body: '' });
    const { call, flowise } = await toolsOn({});
    flowise.on('GET /chatflows', limited('0'), recorded('list'));
    expect((await call('list_chatflows')).isError).toBe(false);
    flowise.on('GET /chatflows', limited('120'));
    expect(structured(await call('list_chatflows')).error).toMatchObject({ type: 'RateLimitError', details: { retry_after_seconds: 120 } });
  });

  test('a stream that ends early is a ConnectionError, not half an answer', async () => {
    const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get-agentflow') });
    expect((await call('get_chatflow', { chatflow_id: 'x' })).isError).toBe(false);
    for (const behaviour of [
      { half: recorded('predict-agentflow-stream') },
      { ...recorded('predict-agentflow-stream'), body: 'data:{"event":"token","data":"STUB"}\n\n' },
    ]) {
      const tools = await toolsOn({ 'GET /chatflows/*': recorded('get-agentflow'), 'POST /prediction/*': behaviour });
      expect(structured(await tools.call('run_prediction', { chatflow_id: 'x', question: 'y' })).error.type).toBe('ConnectionError');
    }
  });

  test('a key that expires in the middle leaves nothing half-saved', async () => {
    const runnable =
      '{"nodes":[{"id":"a","name":"startAgentflow"},{"id":"b","name":"directReplyAgentflow","inputs":{"directReplyMessage":"x"}}],"edges":[{"source":"a","target":"b"}]}';
    const { call, flowise } = await toolsOn({
      'POST /chatflows': recorded('create'),
      'PUT /chatflows/*': recorded('unauthorized'),
      'DELETE /chatflows/*': recorded('delete'),
    });
    const reply = structured(await call('create_chatflow', { name: 'x', flow_data: runnable, deployed: true }));
    expect(reply.error.type).toBe('AuthenticationError');
    expect(flowise.sent('DELETE').map(({ path }) => path)).toEqual([`/chatflows/${recordedJson('create').id}`]);
  });
});

test('an id cannot leave its place in the path', async () => {
  const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get-missing'), 'GET /chatflows': recorded('list') });
  const ids = [
    '../credentials',
    '..',
    '.',
    '%2e%2e',
    'a/b',
    'a?x=1',
    'a#b',
    'a\r\nX-Injected: 1',
    'ä🌊',
    '\ud800',
    "' OR 1=1",
    'x'.repeat(100_000),
  ];
  for (const chatflow_id of ids) {
    const reply = await call('get_chatflow', { chatflow_id });
    expect(structured(reply).error?.type, chatflow_id.slice(0, 20)).toBe('NotFoundError');
    expect(reply.text.length).toBeLessThan(2_000);
  }
  expect(
    flowise.requests.every(
      ({ path, headers }) => path.startsWith('/chatflows/') && path.split('/').length === 3 && !('x-injected' in headers),
    ),
  ).toBe(true);
});

verifies('flowise-concurrent-calls', 'ten calls at once all succeed, and slow ones hold up nobody', async () => {
  const { call, flowise } = await toolsOn({
    'GET /chatflows/*': recorded('get-chatflow'),
    'GET /chatflows-streaming/*': recorded('streaming-no'),
    'GET /chatflows': recorded('list'),
  });
  const waiting: (() => void)[] = [];
  flowise.on('POST /prediction/*', () => new Promise((resolve) => waiting.push(() => resolve(recorded('predict-chatflow')))));
  const slow = Array.from({ length: 10 }, () => call('run_prediction', { chatflow_id: 'x', question: 'y' }));
  while (waiting.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  const quick = await Promise.all(Array.from({ length: 10 }, () => call('list_chatflows')));
  expect(quick.every((reply) => !reply.isError)).toBe(true);
  for (const go of waiting) go();
  expect((await Promise.all(slow)).every((reply) => !reply.isError)).toBe(true);
});

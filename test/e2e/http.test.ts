import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernRequest, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';

const TOKEN = 'the-token-of-the-owner-in-this-test';
const folder = temporaryFolder();
const env = cleanEnvironment(folder.path, { MILLRACE_TOKEN: TOKEN, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'todo' });
let server: HttpProcess;
let annToken: string;

beforeAll(async () => {
  annToken = await cli('user', 'add', 'ann');
  server = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

async function cli(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [LAUNCHER, ...args], { env });
  return stdout.trim();
}

interface Answered {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

async function post(
  path: string,
  body: unknown,
  token: string | undefined = TOKEN,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, headers: response.headers };
}

const execute = (name: unknown, parameters?: unknown, token?: string) =>
  post('/mcp/execute', { name, ...(parameters !== undefined && { parameters }) }, token);

test('an issuer without an audience is refused at the start', async () => {
  const started = new HttpProcess([LAUNCHER, 'serve'], { ...env, MILLRACE_JWT_ISSUER: 'http://127.0.0.1:9' });
  expect(await started.exited).toBe(1);
  expect(started.stderr).toContain('Set MILLRACE_JWT_AUDIENCE');
});

test('an address that is none is not found, and nothing breaks', async () => {
  const { port } = new URL(server.url);
  const status = (path: string) =>
    new Promise((resolve, reject) => {
      request({ port, path, method: 'GET' }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const path of ['//', '///x', 'http://[', '/%ff', '/\\']) expect(await status(path), path).toBe(401);
  expect(await status('http://localhost/healthz')).toBe(200);
});

test('who opens many sessions loses their own, and nobody else does', async () => {
  const headers = (token: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  const open = async (token: string) => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const response = await fetch(`${server.url}/mcp`, { method: 'POST', headers: headers(token), body });
    await response.text();
    return response.headers.get('mcp-session-id') as string;
  };
  const ping = async (token: string, session: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const sent = { ...headers(token), 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
    return (await fetch(`${server.url}/mcp`, { method: 'POST', headers: sent, body })).status;
  };
  const anns = await open(annToken);
  const first = await open(TOKEN);
  for (let count = 0; count < 100; count++) await open(TOKEN);
  expect(await ping(annToken, anns)).toBe(200);
  expect(await ping(TOKEN, first)).toBe(404);
});

test('regression: a token whose issuer cannot be reached was refused as invalid', async () => {
  const issuer = { MILLRACE_JWT_ISSUER: 'http://127.0.0.1:9', MILLRACE_JWT_AUDIENCE: 'millrace' };
  const jwtEnv = { ...env, MILLRACE_HOME: join(folder.path, 'jwt'), ...issuer };
  const guarded = await new HttpProcess([LAUNCHER, 'serve'], jwtEnv).listening();
  const [header, payload] = [
    { alg: 'RS256', kid: 'one' },
    { sub: 'ann', iss: 'http://127.0.0.1:9', exp: 9_999_999_999 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const headers = { authorization: `Bearer ${header}.${payload}.c2lnbmF0dXJl` };
  const response = await fetch(`${guarded.url}/mcp/tools`, { method: 'POST', headers });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('the keys of its issuer cannot be read') } });
  await guarded.stop();
});

describe('REST', () => {
  verifies('kernel-rest-tools', 'lists the tools of every toolset', async () => {
    const { status, body } = await post('/mcp/tools', {});
    expect(status).toBe(200);
    const tools = body.tools as Record<string, unknown>[];
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['create_todo', 'read_todos', 'update_todo', 'delete_todo']));
    for (const tool of tools) expect(Object.keys(tool)).toEqual(['name', 'description', 'inputSchema', 'outputSchema', 'toolset']);
  });

  verifies('kernel-rest-execute', 'answers the structured result, unwrapped, and takes absent parameters as {}', async () => {
    const created = await execute('create_todo', { title: 'Buy groceries' });
    expect(created).toMatchObject({
      status: 200,
      body: { success: true, error: null, todo: { title: 'Buy groceries', user_id: 'owner', status: 'open', priority: 'medium' } },
    });
    expect((await execute('read_todos')).body).toMatchObject({ success: true, count: 1 });
  });

  verifies('kernel-rest-tool-not-found', 'answers 404 for the name of no tool', async () => {
    expect(await execute('create_tood', {})).toMatchObject({
      status: 404,
      body: {
        error: {
          code: 'TOOL_NOT_FOUND',
          message: 'There is no tool named "create_tood"',
          details: { nearest: ['create_todo', 'create_todos'] },
        },
      },
    });
  });

  verifies('kernel-rest-invalid-format', 'answers 400 for a body that is not a request', async () => {
    for (const body of [
      '{',
      '[]',
      '"x"',
      {},
      { name: 1 },
      { name: '' },
      { name: 'read_todos', parameters: [] },
      { name: 'read_todos', parameters: null },
      { name: 'read_todos', params: {} },
    ]) {
      expect(await post('/mcp/execute', body)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST_FORMAT' } } });
    }
  });

  verifies(
    ['kernel-rest-invalid-parameters', 'kernel-rest-error-envelope'],
    'answers 400 for parameters that break the schema, with the toolset’s own envelope in details',
    async () => {
      expect(await execute('create_todo', { title: ' ' })).toMatchObject({
        status: 400,
        body: {
          error: {
            code: 'INVALID_TOOL_PARAMETERS',
            message: 'Title cannot be empty',
            details: { envelope: { success: false, error: 'Title cannot be empty' } },
          },
        },
      });
    },
  );

  verifies('kernel-rest-execution-error', 'answers 404 when the thing named does not exist', async () => {
    expect(await execute('delete_todo', { id: '770e8400-e29b-41d4-a716-446655440002' })).toMatchObject({
      status: 404,
      body: {
        error: {
          code: 'TOOL_EXECUTION_ERROR',
          message: 'Todo not found',
          details: { envelope: { success: false, error: 'Todo not found' } },
        },
      },
    });
  });

  verifies('kernel-rest-refusals', 'answers 401 without a valid token and 403 for what a user may not do', async () => {
    for (const token of ['', 'wrong-token-of-nobody']) {
      const refused = await execute('read_todos', {}, token);
      expect(refused).toMatchObject({ status: 401, body: { error: { details: { reason: 'unauthenticated' } } } });
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    }
    const { body } = await execute('create_todo', { title: 'mine' });
    const { id } = body.todo as { id: string };
    expect(await execute('update_todo', { id, title: 'yours' }, annToken)).toMatchObject({
      status: 403,
      body: { error: { message: 'Access denied' } },
    });
  });
});

describe('identity', () => {
  verifies('kernel-identity', 'stdio and the owner’s token are the same user; others come by their own token', async () => {
    await execute('create_todo', { title: 'from REST' });
    const stdio = new StdioProcess([LAUNCHER], env);
    const listed = await stdio.callTool('read_todos', {}, {}, {});
    expect(JSON.stringify(listed.result?.structuredContent)).toContain('from REST');
    await stdio.close();
    expect((await execute('read_todos', {}, annToken)).body).toMatchObject({ count: 0 });
    expect(await cli('user', 'list', '--json')).not.toContain(annToken);
  });

  test('a revoked token stops at once', async () => {
    const token = await cli('user', 'add', 'bob');
    expect((await execute('read_todos', {}, token)).status).toBe(200);
    await cli('user', 'revoke', 'bob');
    expect((await execute('read_todos', {}, token)).status).toBe(401);
  });
});

describe('the HTTP server', () => {
  verifies('kernel-open-endpoints', 'asks for a token everywhere but at /healthz and /readyz', async () => {
    const status = async (path: string, method = 'GET') => (await fetch(server.url + path, { method })).status;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    expect([
      await status('/metrics'),
      await status('/mcp'),
      await status('/mcp', 'POST'),
      await status('/mcp/tools', 'POST'),
      await status('/x'),
    ]).toEqual([401, 401, 401, 401, 401]);
    const page = await fetch(`${server.url}/`);
    expect(page.status).toBe(401);
    const html = await page.text();
    expect(html).toContain('Sign in');
    expect(html).not.toContain('create_todo');
    const signedIn = await fetch(`${server.url}/`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await signedIn.text()).toContain('create_todo');
  });

  test('answers neither foreign hosts nor foreign origins', async () => {
    expect((await post('/mcp/tools', {}, TOKEN, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await post('/mcp/tools', {}, TOKEN, { origin: 'http://localhost:5173' })).status).toBe(200);
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      const { hostname, port } = new URL(server.url);
      request(
        { hostname, port, path: '/mcp/tools', method: 'POST', headers: { host: 'evil.example', authorization: `Bearer ${TOKEN}` } },
        (response) => resolve(response.statusCode),
      ).end('{}');
    });
    expect(status).toBe(403);
  });

  test('refuses a body above 4 MiB and continues', async () => {
    const response = await post('/mcp/execute', {
      name: 'create_todo',
      parameters: { title: 'x', description: 'y'.repeat(5_000_000) },
    }).catch(() => ({ status: 413 }));
    expect(response.status).toBe(413);
    expect((await execute('read_todos')).status).toBe(200);
  });

  test('publishes metrics', async () => {
    const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await response.text();
    expect(text).toMatch(/millrace_tool_calls_total\{tool="create_todo",status="success",code="none"\} [1-9]/);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  verifies('kernel-protocol-eras', 'knows no session that it did not open', async () => {
    const answer = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, TOKEN, {
      'mcp-session-id': 'none',
      accept: 'application/json, text/event-stream',
    });
    expect(answer.status).toBe(404);
  });

  verifies(['kernel-audit-failures', 'kernel-audit-row'], 'records refused calls too', async () => {
    await execute('read_todos', { limit: -1 }, 'a-wrong-token-for-the-audit');
    await modernRequest(server.url, 'another-wrong-token-for-it', 'tools/call', { name: 'delete_todo', arguments: { id: 'x' } });
    await execute('create_todo', { title: '' }, annToken);
    const rows = (await cli('audit', '--json', '--status', 'failure')).split('\n').map((line) => JSON.parse(line));
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          tool: 'read_todos',
          userId: null,
          errorCode: 'unauthenticated',
          status: 'failure',
          messageId: null,
          parentId: null,
          parameters: { limit: -1 },
        }),
        expect.objectContaining({ tool: 'delete_todo', userId: null, errorCode: 'unauthenticated' }),
        expect.objectContaining({ tool: 'create_todo', errorCode: 'invalid_input', result: { error: 'Title cannot be empty' } }),
      ]),
    );
    for (const row of rows)
      expect(Object.keys(row)).toEqual([
        'id',
        'userId',
        'messageId',
        'parentId',
        'tool',
        'parameters',
        'result',
        'status',
        'errorCode',
        'durationMs',
        'at',
      ]);
  });
});

test('a server that is asked to stop finishes and exits with 0', async () => {
  const other = await new HttpProcess([LAUNCHER, 'serve'], { ...env, MILLRACE_HOME: join(folder.path, 'other') }).listening();
  expect(await other.stop()).toBe(0);
});

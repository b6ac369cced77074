import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LAUNCHER, ROOT } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernMeta, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  env = cleanEnvironment(folder.path);
});
afterEach(() => folder[Symbol.dispose]());

describe('millrace over stdio', () => {
  verifies('kernel-stdio', 'writes nothing but JSON-RPC to stdout, logs to stderr, and ends with stdin', async () => {
    const server = new StdioProcess([LAUNCHER], { ...env, MILLRACE_LOG_LEVEL: 'debug' });
    await server.request('server/discover', { _meta: modernMeta() });
    await server.callTool('create_todo', { title: 'x' });
    await server.callTool('no_such_tool', {});
    server.child.stdin.write('this is not JSON\n');
    expect((await server.callTool('read_todos', {})).result).toMatchObject({ structuredContent: { count: 1 } });
    expect(await server.close()).toBe(0);
    expect(server.strayLines).toEqual([]);
  });

  test('answers what a client has piped in before it ends with stdin', async () => {
    const server = new StdioProcess([LAUNCHER], env);
    const answers = [
      server.request('tools/list', { _meta: modernMeta() }),
      server.callTool('create_todo', { title: 'piped' }),
      server.callTool('field_request', { query: 'Remind me to pay the caterer', confidence_level: 0.8 }),
    ];
    expect(await server.close(), server.stderr).toBe(0);
    for (const { result } of await Promise.all(answers)) expect(result?.isError, JSON.stringify(result)).toBeUndefined();
  });

  test('answers a short job that a client has piped in', async () => {
    using place = temporaryFolder();
    mkdirSync(join(place.path, 'workspace/docs'), { recursive: true });
    writeFileSync(join(place.path, 'workspace/docs/a.md'), '# Orders\n\nOrders go to Kafka.\n');
    writeFileSync(join(place.path, 'workspace/flowrag.config.json'), JSON.stringify({ docs: './docs', data: './data' }));
    const own = cleanEnvironment(place.path);
    const first = new StdioProcess([LAUNCHER, '--toolsets', 'flowrag'], own);
    expect((await first.callTool('flowrag_index', {})).result?.isError).toBeUndefined();
    await first.close();
    const second = new StdioProcess([LAUNCHER, '--toolsets', 'flowrag'], own);
    const answers = [second.callTool('flowrag_index', {}), second.callTool('flowrag_index', {})];
    expect(await second.close(), second.stderr).toBe(0);
    for (const { result } of await Promise.all(answers)) expect(JSON.stringify(result)).toContain('1 unchanged');
  });

  test('refuses a message over 10 MB and a line that is not JSON, and continues', async () => {
    const server = new StdioProcess([LAUNCHER], { ...env, MILLRACE_LOG_LEVEL: 'warn' });
    const refusals: unknown[] = [];
    createInterface({ input: server.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.id === null) refusals.push(message.error);
    });
    const large = await server.callTool('create_todo', { title: 'x'.repeat(11 * 1024 * 1024) });
    expect(large.error).toEqual({ code: -32600, message: 'Message too large: a message may have 10485760 bytes' });
    server.child.stdin.write('this is not JSON\n');
    expect((await server.callTool('read_todos', {})).result).toMatchObject({ structuredContent: { count: 0 } });
    expect(refusals).toEqual([{ code: -32700, message: 'Parse error: the line is not JSON' }]);
    expect(server.stderr).toContain('Message too large');
    expect(await server.close()).toBe(0);
  });

  verifies('kernel-text-and-structured', 'says the same object as compact JSON text and as structured content', async () => {
    const server = new StdioProcess([LAUNCHER], env);
    const { result } = await server.callTool('create_todo', { title: 'x' });
    const {
      content: [content],
    } = result as { content: [{ text: string }] };
    expect(content.text).toBe(JSON.stringify(result?.structuredContent));
    await server.close();
  });

  verifies('kernel-is-error', 'marks failed calls as errors', async () => {
    const server = new StdioProcess([LAUNCHER], env);
    expect((await server.callTool('create_todo', { title: '' })).result).toMatchObject({
      isError: true,
      structuredContent: { success: false },
    });
    expect((await server.callTool('create_todo', { title: 'x' })).result?.isError).toBeUndefined();
    await server.close();
  });

  verifies('kernel-toolset-selection', 'offers the configured toolsets and tools', async () => {
    const listed = async (...flags: string[]) => {
      const server = new StdioProcess([LAUNCHER, '--toolsets', 'todo', ...flags], env);
      const { result } = await server.request('tools/list', { _meta: modernMeta() });
      await server.close();
      return (result as { tools: { name: string }[] }).tools.map((tool) => tool.name);
    };
    const published = ['create_todo', 'read_todos', 'update_todo', 'delete_todo'];
    expect(await listed()).toEqual([...published, 'create_todos']);
    expect(await listed('--published-only')).toEqual(published);
    expect(await listed('--read-only')).toEqual(['read_todos']);
    expect(await listed('--tools', 'read_todos,create_todo', '--exclude-tools', 'create_todo')).toEqual(['read_todos']);
  });

  test('documents each tool as a resource, with completion of its name', async () => {
    const server = new StdioProcess([LAUNCHER], env);
    const page = await server.request('resources/read', { uri: 'millrace://tools/create_todo', _meta: modernMeta() });
    expect(JSON.stringify(page.result)).toContain('| title | string | yes |');
    const ref = { type: 'ref/resource', uri: 'millrace://tools/{name}' };
    const completed = await server.request('completion/complete', {
      ref,
      argument: { name: 'name', value: 'create_' },
      _meta: modernMeta(),
    });
    expect(completed.result?.completion).toMatchObject({ values: expect.arrayContaining(['create_todo', 'create_todos']) });
    expect((await server.request('resources/read', { uri: 'millrace://tools/nope', _meta: modernMeta() })).error?.code).toBe(-32602);
    await server.close();
  });
});

describe('clients', () => {
  verifies('kernel-protocol-eras', 'the SDK clients of both eras manage todos over stdio', async () => {
    const transport = { command: process.execPath, args: [LAUNCHER], env };
    const modern = new Client({ name: 'v2', version: '2' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await modern.connect(new StdioClientTransport(transport));
    await modern.listTools();
    expect((await modern.callTool({ name: 'create_todo', arguments: { title: 'from v2' } })).structuredContent).toMatchObject({
      success: true,
    });
    expect(await modern.callTool({ name: 'create_todo', arguments: { title: 1 } })).toMatchObject({ isError: true });
    await modern.close();
    const old = new ClientV1({ name: 'v1', version: '1' });
    await old.connect(new StdioV1(transport));
    await old.listTools();
    expect((await old.callTool({ name: 'read_todos', arguments: {} })).structuredContent).toMatchObject({
      count: 1,
      todos: [{ title: 'from v2' }],
    });
    expect(await old.callTool({ name: 'read_todos', arguments: { limit: 'x' } })).toMatchObject({
      isError: true,
      structuredContent: { success: false },
    });
    expect(old.getInstructions()).toContain('Todos');
    await old.close();
  });

  test('the MCP Inspector drives stdio and HTTP', async () => {
    const token = 'a-token-for-the-inspector-here';
    const server = await new HttpProcess([LAUNCHER, 'serve'], { ...env, MILLRACE_TOKEN: token, MILLRACE_PORT: '0' }).listening();
    const inspector = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'node_modules/.bin/mcp-inspector'), '--cli', ...args], {
        env,
      });
      return stdout;
    };
    const stdio = ['-e', `MILLRACE_HOME=${env.MILLRACE_HOME}`, process.execPath, LAUNCHER];
    expect(await inspector(...stdio, '--method', 'tools/list')).toContain('create_todo');
    expect(await inspector(...stdio, '--method', 'tools/call', '--tool-name', 'create_todo', '--tool-arg', 'title=inspected')).toContain(
      'inspected',
    );
    const http = [`${server.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    expect(await inspector(...http, '--method', 'tools/call', '--tool-name', 'read_todos')).toContain('inspected');
    await server.stop();
  }, 60_000);
});

describe('millrace connect', () => {
  verifies('kernel-connect', 'prints an entry that starts a working server from anywhere with a bare PATH', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [LAUNCHER, 'connect', 'claude'], { env });
    const { command, args, env: entryEnv } = JSON.parse(stdout).mcpServers.millrace;
    const server = new StdioProcess(args, { ...entryEnv, PATH: '/usr/bin:/bin' }, '/');
    expect(command).toBe(process.execPath);
    expect((await server.callTool('create_todo', { title: 'connected' })).result).toMatchObject({ structuredContent: { success: true } });
    await server.close();
  });

  test('writes it into the client’s file, keeping what was there', async () => {
    const { mkdirSync, readdirSync, readFileSync, writeFileSync } = await import('node:fs');
    const cursor = join(folder.path, '.cursor');
    mkdirSync(cursor);
    writeFileSync(join(cursor, 'mcp.json'), '{"mcpServers":{"other":{"command":"x"}}}');
    await promisify(execFile)(process.execPath, [LAUNCHER, 'connect', 'cursor', '--write'], { env });
    expect(Object.keys(JSON.parse(readFileSync(join(cursor, 'mcp.json'), 'utf8')).mcpServers)).toEqual(['other', 'millrace']);
    expect(readdirSync(cursor).filter((name) => name.endsWith('.bak'))).toHaveLength(1);
  });
});

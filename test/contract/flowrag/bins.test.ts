import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launcher } from '../../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernMeta, StdioProcess, temporaryFolder } from '../../harness/process.ts';
import { verifies } from '../../requirements.ts';

const FLOWRAG = launcher('flowrag');
const FLOWRAG_MCP = launcher('flowrag-mcp');
const TOOLS = [
  'flowrag_index',
  'flowrag_search',
  'flowrag_entities',
  'flowrag_relations',
  'flowrag_trace',
  'flowrag_path',
  'flowrag_stats',
];
const folder = temporaryFolder();
const env = cleanEnvironment(folder.path);

beforeAll(() => {
  mkdirSync(join(folder.path, 'content'), { recursive: true });
  writeFileSync(join(folder.path, 'content/a.md'), '# Orders\n\nOrders are published to Kafka.\n');
  writeFileSync(
    join(folder.path, 'own.json'),
    JSON.stringify({ data: './own-data', docs: './content', schema: { entityTypes: ['PLANET'] } }),
  );
});
afterAll(() => folder[Symbol.dispose]());

async function line(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  return promisify(execFile)(process.execPath, [FLOWRAG, ...args], { env, cwd: folder.path }).then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
}

async function toolsOf(server: StdioProcess): Promise<string[]> {
  const { result = {} } = await server.request('tools/list', { _meta: modernMeta() });
  return (result.tools as { name: string }[]).map((tool) => tool.name);
}

describe('the programs', () => {
  verifies(
    ['flowrag-bins', 'flowrag-no-config-file', 'flowrag-transports'],
    'flowrag-mcp serves stdio with --data and --docs alone',
    async () => {
      const server = new StdioProcess([FLOWRAG_MCP, '--data', './data', '--docs', './content'], env, folder.path);
      expect(await toolsOf(server)).toEqual(TOOLS);
      const { result = {} } = await server.callTool('flowrag_index', {});
      expect((result.content as { text: string }[])[0]?.text).toMatch(/^Indexed 1 documents, 1 chunks, /);
      expect(server.strayLines).toEqual([]);
      server.child.stdin.end();
      expect(await server.exited).toBe(0);
    },
  );

  verifies(['flowrag-bins', 'flowrag-flags'], 'flowrag mcp starts the same server with the same --config', async () => {
    const server = new StdioProcess([FLOWRAG, 'mcp', '--config', './own.json'], env, folder.path);
    expect(await toolsOf(server)).toEqual(TOOLS);
    const { result = {} } = await server.request('resources/read', { uri: 'flowrag://schema', _meta: modernMeta() });
    expect(JSON.parse((result.contents as { text: string }[])[0]?.text ?? '')).toMatchObject({ entityTypes: ['PLANET'] });
    server.child.stdin.end();
    await server.exited;
  });

  verifies(['flowrag-transports', 'flowrag-config-transport'], 'flowrag-mcp serves Streamable HTTP on the configured port', async () => {
    const port = await freePort();
    writeFileSync(join(folder.path, 'http.json'), JSON.stringify({ docs: './content', transport: 'http', port }));
    const token = 'a-token-of-this-test-that-is-long-enough';
    const server = new HttpProcess([FLOWRAG_MCP, '--config', join(folder.path, 'http.json')], { ...env, MILLRACE_TOKEN: token });
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(
        () =>
          fetch(`${url}/healthz`).then(
            (reply) => reply.status,
            () => 0,
          ),
        { timeout: 15_000 },
      )
      .toBe(200);
    const reply = await fetch(`${url}/mcp/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'flowrag_stats' }),
    });
    expect(await reply.json()).toMatchObject({ documents: 1 });
    expect((await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
    await server.stop();
  });

  test('the commands work on the same folder, and flags win over the file', async () => {
    const indexed = await line('index', '--config', 'own.json', '--data', './flag-data');
    expect(indexed.stdout, indexed.stderr).toMatch(/^Indexed 1 documents, /);
    expect((await line('stats', '--data', './flag-data')).stdout).toMatch(/^Documents: 1, /);
    expect((await line('search', 'orders', '--data', './flag-data', '--limit', '1')).stdout).toContain('a.md:L3-L3');
    const broken = await line('stats', '--config', 'content/a.md');
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('is not valid JSON');
  });
});

describe('the help of flowrag', () => {
  test('speaks of flowrag, its own flags and its own file', async () => {
    const { stdout } = await line('--help');
    expect(stdout).toMatch(/^FlowRAG: /);
    for (const flag of ['--config', '--data', '--docs']) expect(stdout).toContain(`  ${flag} <value>`);
    expect(stdout).toContain('flowrag.config.json');
    expect(stdout).not.toContain('millrace.config.json');
    expect(stdout).toMatch(/flowrag(\.js)? search <query\.\.\.>/);
  });

  test('is where an unknown command or flag leads', async () => {
    expect((await line('zzzzzz')).stderr).toMatch(/^flowrag: There is no command "zzzzzz"\nSee: .*flowrag(\.js)? --help\n$/);
    expect((await line('stats', '--zzzzzz')).stderr).toMatch(/See: .*flowrag(\.js)? stats --help\n$/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

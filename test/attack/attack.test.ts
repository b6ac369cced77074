import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedPackHome } from '../harness/n8n-pack.ts';
import { chain, code, node, setField } from '../harness/n8n-workflows.ts';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernRequest, temporaryFolder } from '../harness/process.ts';
import { type Attack, attacks } from './attacks.ts';

const TOKEN = 'a-token-for-the-attacks-only';
const IN_ENVIRONMENT = 'secret-of-the-environment-4711';
const REACHED = 'secret-that-only-a-breach-says-4712';
const MOST_MEMORY = 1500 * 2 ** 20;
const INSPECTOR = 9229;

const pack = sharedPackHome();
const confined = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '/bin/true']).status === 0;
if (!confined) process.stderr.write('skipped: without bubblewrap and user namespaces some attacks succeed, and would end this machine\n');
const depth = Number(process.env.ATTACK_DEPTH ?? 1);

describe.skipIf(pack === undefined || !confined)('attacks on the engine', () => {
  const folder = temporaryFolder();
  const canary = join(folder.path, 'canary');
  let server: HttpProcess;
  let visits = 0;
  let peak = 0;
  let target: Record<string, unknown>;
  const visited = createServer((socket) => {
    visits++;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi');
  });
  let watch: NodeJS.Timeout;

  beforeAll(async () => {
    await new Promise<void>((resolve) => visited.listen(0, '127.0.0.1', resolve));
    const env = cleanEnvironment(folder.path, {
      MILLRACE_TOKEN: TOKEN,
      MILLRACE_PORT: '0',
      MILLRACE_RATE_LIMITS: 'off',
      MILLRACE_TOOLSETS: 'n8n,todo',
      A_SECRET: IN_ENVIRONMENT,
    });
    mkdirSync(env.MILLRACE_WORKSPACE as string, { recursive: true });
    mkdirSync(env.MILLRACE_HOME as string);
    symlinkSync(join(pack as string, 'engines'), join(env.MILLRACE_HOME as string, 'engines'));
    writeFileSync(join(folder.path, 'secret'), IN_ENVIRONMENT);
    server = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
    const { pid } = server.child;
    target = {
      pid,
      port: (visited.address() as AddressInfo).port,
      canary,
      home: env.MILLRACE_HOME,
      workspace: folder.path,
      secret: REACHED,
    };
    watch = setInterval(() => {
      peak = Math.max(peak, residentBytes(pid as number));
    }, 50);
  });
  afterAll(async () => {
    clearInterval(watch);
    visited.close();
    await server?.kill();
    folder[Symbol.dispose]();
  });

  async function call(name: string, parameters: object): Promise<Record<string, unknown>> {
    const { body } = await modernRequest(server.url, TOKEN, 'tools/call', { name, arguments: parameters }, {});
    return (body.result?.structuredContent ?? body) as Record<string, unknown>;
  }

  /** What the attacked node returned, and everything that was logged. */
  async function run({ kind, text }: Omit<Attack, 'name'>): Promise<string> {
    const filled = text.replaceAll('CANARY', canary).replaceAll('PORT', String(target.port)).replaceAll('SECRET', `'${REACHED}'`);
    const attacked = kind === 'script' ? code(text) : setField('Code', 'found', filled);
    const workflow = chain(node('Start', 'manualTrigger', 1), attacked);
    await call('workflow_save', { workflowId: 'attack', workflowData: workflow, filePath: 'attack.json' });
    const parameters = { workflowId: 'attack', testData: { items: [{ json: kind === 'script' ? target : {} }] }, timeout: 6000 };
    const { data, logs, ...rest } = (await call('test_workflow', parameters)) as {
      data?: { nodes?: Record<string, unknown>; error?: unknown };
      logs?: string[];
    };
    return JSON.stringify([data?.nodes?.Code ?? rest, logs, data?.error]);
  }

  test.each(attacks(depth))('$name', async (attack) => {
    peak = 0;
    const before = visits;
    const said = await run(attack);
    expect(said, 'a secret got out').not.toMatch(new RegExp(`${IN_ENVIRONMENT}|${REACHED}|root:x:0:|${TOKEN}`));
    expect(visits - before, 'the network was reached').toBe(0);
    expect(existsSync(canary), 'a file was written').toBe(false);
    expect(await listens(INSPECTOR), 'an inspector was opened').toBe(false);
    expect(peak, 'too much memory was held').toBeLessThan(MOST_MEMORY);
    expect(server.child.exitCode ?? server.child.signalCode, 'the server ended').toBeNull();
    expect((await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(5000) })).status).toBe(200);
    if (/next|frame|expression/.test(attack.name)) {
      const next = await run({
        kind: 'script',
        text: 'return [{ json: { keys: Object.keys({}).length, list: [1, 2].map((one) => one + 1) } }]',
      });
      expect(JSON.parse(next)[0], 'the next run is not what it should be').toMatchObject({
        outputs: [{ items: [{ json: { keys: 0, list: [2, 3] } }] }],
      });
    }
  });
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** What a process and all below it hold. */
function residentBytes(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + residentBytes(Number(child)), own);
  } catch {
    return 0;
  }
}

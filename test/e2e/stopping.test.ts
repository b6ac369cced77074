import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LAUNCHER, ROOT } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, StdioProcess, temporaryFolder } from '../harness/process.ts';

const MOST_MS = 3_000;

class Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<number | string>;
  stderr = '';

  constructor(folder: string, args: readonly string[], more: Record<string, string> = {}) {
    this.child = spawn(process.execPath, args, { env: cleanEnvironment(folder, more), cwd: folder });
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.child.stdout.resume();
    this.#exit = once(this.child, 'exit').then(([code, signal]) => signal ?? code);
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Has taken over the signals (Node itself leaves SIGHUP alone), and been at work for a while. */
  async atWork(): Promise<this> {
    const caught = () => Number.parseInt(/SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1] ?? '0', 16);
    while (caught() % 2 === 0) await sleep(10);
    // Started is who has nothing to do: on a busy machine that takes longer than any fixed time.
    for (let quiet = 0, before = ''; quiet < 6; before = this.#state()) {
      await sleep(100);
      quiet = this.#state() === before ? quiet + 1 : 0;
    }
    return this;
  }

  /** Whether it sleeps, and how much processor time it has used. */
  #state(): string {
    const fields = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields[0] === 'S' ? `${fields[11]} ${fields[12]}` : String(performance.now());
  }

  async stopped(signal: NodeJS.Signals): Promise<number | string> {
    const asked = performance.now();
    this.child.kill(signal);
    const end = await this.#exit;
    expect(performance.now() - asked, this.stderr).toBeLessThan(MOST_MS);
    return end;
  }
}

/** Processes that were started for a test, by the home in their environment. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`HOME=${folder}`);
    } catch {
      return false;
    }
  });
}

function manyDocuments(folder: string): string {
  const docs = join(folder, 'docs');
  mkdirSync(docs);
  for (let number = 0; number < 100; number++) writeFileSync(join(docs, `${number}.md`), `# ${number}\n${'Words to read. '.repeat(500)}`);
  return docs;
}

const program = (name: string) => join(dirname(LAUNCHER), `${name}.js`);

describe.skipIf(process.platform !== 'linux')('a program that is asked to stop', () => {
  test.each([
    ['millrace', [LAUNCHER]],
    ['flowrag-mcp', [program('flowrag-mcp'), '--data', 'data']],
    ['millrace serve', [LAUNCHER, 'serve', '--port', '0']],
    ['millrace chat', [LAUNCHER, 'chat']],
    ['millrace audit --follow', [LAUNCHER, 'audit', '--follow']],
  ])('exits with 0 when no work is interrupted: %s', async (_name, args) => {
    using folder = temporaryFolder();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const started = await new Program(folder.path, args).atWork();
      expect(await started.stopped(signal), started.stderr).toBe(0);
    }
  });

  test('ends with the code of the signal when it breaks off a message', async () => {
    using folder = temporaryFolder();
    const started = await new Program(folder.path, [LAUNCHER, 'chat', '-m', '-']).atWork();
    expect(await started.stopped('SIGTERM')).toBe(143);
  });

  test('breaks off an installation, with npm', async () => {
    using folder = temporaryFolder();
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close().closeAllConnections());
    await once(silent, 'listening');
    const registry = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const asked = once(silent, 'request');
    const started = new Program(folder.path, [LAUNCHER, 'engine', 'add', 'n8n'], { npm_config_registry: registry });
    await asked;
    expect(await started.stopped('SIGINT'), started.stderr).toBe(130);
    expect(started.stderr).toContain('was cancelled');
    await expect.poll(() => processesOf(folder.path), { timeout: MOST_MS }).toEqual([]);
  });

  test('answers the calls of an HTTP server before it ends, and ends with the code of the signal', async () => {
    using folder = temporaryFolder();
    const docs = manyDocuments(folder.path);
    const token = 'a-token-of-this-test-that-is-long-enough';
    const environment = cleanEnvironment(folder.path, { MILLRACE_FLOWRAG_DOCS: docs, MILLRACE_TOKEN: token });
    const server = await new HttpProcess([LAUNCHER, 'serve', '--port', '0'], environment).listening();
    onTestFinished(() => server.kill());
    const reply = fetch(`${server.url}/mcp/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ name: 'flowrag_index' }),
    });
    await expect.poll(() => processesOf(folder.path).length, { timeout: 30_000 }).toBeGreaterThan(1);
    const asked = performance.now();
    expect(await server.stop(), server.stderr).toBe(143);
    expect(performance.now() - asked).toBeLessThan(MOST_MS);
    expect(await (await reply).text()).toContain('The server is shutting down');
    await expect.poll(() => processesOf(folder.path), { timeout: MOST_MS }).toEqual([]);
  });

  test('ends with 1 and names the job that it breaks off when a client closes stdin', async () => {
    using folder = temporaryFolder();
    const settings = { MILLRACE_FLOWRAG_DOCS: manyDocuments(folder.path), MILLRACE_LOG_LEVEL: 'warn' };
    const server = new StdioProcess([LAUNCHER], cleanEnvironment(folder.path, settings));
    onTestFinished(() => server.kill());
    const answer = server.callTool('flowrag_index', {});
    await expect.poll(() => processesOf(folder.path).length, { timeout: 30_000 }).toBeGreaterThan(1);
    const asked = performance.now();
    expect(await server.close(), server.stderr).toBe(1);
    expect(performance.now() - asked).toBeLessThan(MOST_MS);
    expect(JSON.stringify(await answer)).toContain('The server is shutting down');
    await expect
      .poll(() => server.stderr)
      .toContain('"tools":["flowrag_index"],"msg":"stopped running calls: the server is shutting down"');
  });

  // A checkout under an old Node continues under the pinned one; a preload makes this Node look old to the launcher.
  const asOld = ['--require', join(ROOT, 'test/harness/old-node.cjs'), join(ROOT, 'bin/millrace.js')];

  test.each(['SIGTERM', 'SIGKILL'] as const)('ends with its launcher, which gets %s', async (signal) => {
    using folder = temporaryFolder();
    const launcher = new Program(folder.path, [...asOld, 'serve', '--port', '0'], { MILLRACE_LOG_LEVEL: 'info' });
    await expect.poll(() => launcher.stderr, { timeout: 30_000 }).toContain('listening');
    expect(processesOf(folder.path)).toHaveLength(2);
    expect(await launcher.stopped(signal), launcher.stderr).toBe(signal === 'SIGTERM' ? 0 : 'SIGKILL');
    await expect.poll(() => processesOf(folder.path), { timeout: MOST_MS }).toEqual([]);
  });

  test('that dies by a signal passes it on through the launcher', async () => {
    using folder = temporaryFolder();
    const launcher = new Program(folder.path, [...asOld, 'serve', '--port', '0'], { MILLRACE_LOG_LEVEL: 'info' });
    await expect.poll(() => launcher.stderr, { timeout: 30_000 }).toContain('listening');
    const [inner] = processesOf(folder.path).filter((pid) => Number(pid) !== launcher.child.pid);
    process.kill(Number(inner), 'SIGKILL');
    expect(await once(launcher.child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});

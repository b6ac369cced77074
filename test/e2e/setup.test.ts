import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../harness/package.ts';
import { temporaryFolder } from '../harness/process.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
  for (const path of ['scripts/setup.mjs', 'scripts/setup', 'scripts/bundle-freshness.mjs'])
    cpSync(join(ROOT, path), join(folder.path, path), { recursive: true });
  for (const path of ['toolsets', 'bin', 'docs', 'scripts/release', 'dist/library', 'packages/server/bin'])
    mkdirSync(join(folder.path, path), { recursive: true });
  write('packages/server/package.json', { name: 'millrace', version: '0.0.0', bin: { millrace: 'bin/millrace.js' } });
  writeFileSync(join(folder.path, 'packages/server/bin/millrace.js'), '#!/usr/bin/env node\n');
  dependOn({});
});
afterEach(() => folder[Symbol.dispose]());

function write(path: string, content: object): void {
  writeFileSync(join(folder.path, path), JSON.stringify(content));
}

/** A checkout as small as can be: one workspace, and a bundle that is newer than every source. */
function dependOn(dependencies: Record<string, string>): void {
  write('package.json', { name: 'small', version: '0.0.0', private: true, workspaces: ['packages/*'], dependencies });
  write('package-lock.json', {
    name: 'small',
    version: '0.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'small', version: '0.0.0', workspaces: ['packages/*'], dependencies },
      'node_modules/millrace': { resolved: 'packages/server', link: true },
      'packages/server': { name: 'millrace', version: '0.0.0', bin: { millrace: 'bin/millrace.js' } },
    },
  });
  for (const path of ['scripts/build.ts', 'server.json', 'dist/library/vectors.bin']) writeFileSync(join(folder.path, path), '');
  utimesSync(join(folder.path, 'dist/library/vectors.bin'), new Date('2100-01-01'), new Date('2100-01-01'));
}

function environment(more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: folder.path, npm_config_cache: join(folder.path, '.npm'), ...more };
}

interface Ended {
  code: number | null;
  said: string;
}

function start(more: Record<string, string> = {}): { child: ChildProcess; ended: Promise<Ended>; said(): string } {
  const child = spawn(process.execPath, [join(folder.path, 'scripts/setup.mjs')], {
    env: environment(more),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, said })));
  return { child, ended, said: () => said };
}

async function registry(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(answer as () => void);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('installs once, links the commands, and has nothing to say afterwards', async () => {
  const first = await start().ended;
  expect(first).toEqual({ code: 0, said: expect.stringMatching(/^Installing packages\.\.\.\nPackages are installed \(\d+ s\)\n$/) });
  expect(existsSync(join(folder.path, 'node_modules/.bin/millrace'))).toBe(true);
  expect(await start().ended).toEqual({ code: 0, said: '' });
  rmSync(join(folder.path, 'node_modules/.bin/millrace'));
  rmSync(join(folder.path, 'node_modules/.millrace-setup'));
  expect((await start().ended).code).toBe(0);
  expect(existsSync(join(folder.path, 'node_modules/.bin/millrace')), 'an older install gets the commands too').toBe(true);
});

test('two starts at once: the second waits and installs nothing again', async () => {
  const [one, two] = await Promise.all([start().ended, start().ended]);
  expect([one.code, two.code]).toEqual([0, 0]);
  const said = one.said + two.said;
  expect(said.match(/Installing packages/g)).toHaveLength(1);
  expect(said.match(/Another start of Millrace is setting up this folder; waiting for it/g)).toHaveLength(1);
});

test('a registry that does not answer ends in a sentence, and the next start repairs the install', async () => {
  const silent = await registry(() => {});
  dependOn({ 'a-package': '1.0.0' });
  const { code, said } = await start({ npm_config_registry: silent, MILLRACE_SETUP_PATIENCE_MS: '2000' }).ended;
  expect(code).toBe(1);
  expect(said).toMatch(/The npm registry has not answered for 2 seconds\. Check the network, .*downloaded packages are kept\.\n$/);
  dependOn({});
  const again = await start().ended;
  expect(again).toEqual({ code: 0, said: expect.stringContaining('The last install was interrupted, so it starts over.') });
  expect(readdirSync(join(folder.path, '.setup'))).toEqual([]);
});

test('a registry that cannot be reached, refuses or lacks a package: each has its sentence', async () => {
  dependOn({ 'a-package': '1.0.0' });
  const quick = { npm_config_fetch_retries: '0' };
  const dead = await start({ npm_config_registry: 'http://127.0.0.1:1', ...quick }).ended;
  expect(dead).toEqual({ code: 1, said: expect.stringContaining('The npm registry cannot be reached.') });
  const refusing = await registry((_request, response) => void response.writeHead(401).end('{}'));
  expect((await start({ npm_config_registry: refusing, ...quick }).ended).said).toContain('The npm registry refuses access.');
  const empty = await registry((_request, response) => void response.writeHead(404).end('{}'));
  expect((await start({ npm_config_registry: empty, ...quick }).ended).said).toContain('The npm registry lacks a package');
});

test('a start that was killed in the middle holds up nobody', async () => {
  const silent = await registry(() => {});
  dependOn({ 'a-package': '1.0.0' });
  const { child } = start({ npm_config_registry: silent });
  await expect.poll(() => existsSync(join(folder.path, '.setup/installing')), { timeout: 20_000 }).toBe(true);
  process.kill(-(child.pid as number), 'SIGKILL');
  dependOn({});
  expect(await start().ended).toEqual({ code: 0, said: expect.stringContaining('starts over') });
});

test.skipIf(process.getuid?.() === 0 && !existsSync('/usr/bin/setpriv'))('a folder without write permission is named', () => {
  chmodSync(folder.path, 0o555);
  const [command, ...args] =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath] : [process.execPath];
  const { status, stderr } = spawnSync(command as string, [...args, join(folder.path, 'scripts/setup.mjs')], {
    env: environment(),
    encoding: 'utf8',
  });
  chmodSync(folder.path, 0o755);
  expect([status, stderr]).toEqual([
    1,
    `${folder.path} cannot be written to. Start Millrace as the owner of that folder, or clone it into a folder you own.\n`,
  ]);
});

test('a Node that is too old gets one line', () => {
  // The check reads process.versions, which nothing else can change for a real old Node.
  const pretend = join(folder.path, 'old.cjs');
  writeFileSync(pretend, "Object.defineProperty(process.versions, 'node', { value: '18.20.0' });");
  const { status, stderr } = spawnSync(process.execPath, ['--require', pretend, join(folder.path, 'scripts/setup.mjs')], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, 'Millrace needs Node 20 or newer; this is 18.20.0. Install a newer Node and start it again.\n']);
});

test('a checkout that was never set up explains what to run', () => {
  for (const path of ['bin/millrace.js', 'bin/launch.js', 'bin/package.json']) cpSync(join(ROOT, path), join(folder.path, path));
  const { status, stderr } = spawnSync(process.execPath, [join(folder.path, 'bin/millrace.js'), 'doctor'], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, 'Millrace is not set up in this folder yet. Run: npm start\n']);
});

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeProgram, OLDEST_NODE, TOO_OLD_NODE } from '../../scripts/real-registry.ts';
import { version } from '../../scripts/release/manifest.ts';
import { hostPlatform, nativePackage, PLATFORMS } from '../../scripts/release/natives.ts';
import { packRelease } from '../../scripts/release/pack.ts';
import { modernMeta, type StdioProcess, temporaryFolder } from '../harness/process.ts';
import { killAll, Machine, sizeOf } from './registry-machine.ts';
import { type Registry, startRegistry } from './registry-server.ts';

const folder = temporaryFolder();
const host = hostPlatform();
const foreign = PLATFORMS.find(({ os }) => os !== host.os) ?? host;
const MEGABYTE = 1024 * 1024;
let registry: Registry;

beforeAll(async () => {
  chmodSync(folder.path, 0o755);
  const storage = join(folder.path, 'storage');
  mkdirSync(storage);
  registry = await startRegistry(storage);
  const npmrc = join(folder.path, 'npmrc');
  writeFileSync(npmrc, `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=anyone\n`);
  for (const tarball of packRelease(join(folder.path, 'release'), [host, foreign]))
    await promisify(execFile)('npm', [
      'publish',
      tarball,
      '--userconfig',
      npmrc,
      '--cache',
      join(folder.path, 'publisher'),
      '--loglevel=error',
    ]);
});
afterAll(async () => {
  await registry?.close();
  execFileSync('chmod', ['-R', 'u+w', folder.path]);
  folder[Symbol.dispose]();
});

function machine(name: string, node = process.execPath): Machine {
  registry.asked.length = 0;
  registry.delay = 0;
  return new Machine(join(folder.path, name), node, registry.url);
}

async function toolsOf(server: StdioProcess, params: Record<string, unknown>): Promise<string[]> {
  const { result, error } = await server.request('tools/list', params);
  if (!result) throw new Error(error?.message);
  return (result.tools as { name: string }[]).map(({ name }) => name);
}

async function call(server: StdioProcess, name: string, parameters: object): Promise<unknown> {
  const { result, error } = await server.callTool(name, parameters, {}, {});
  if (error) throw new Error(error.message);
  return result?.structuredContent;
}

/** Packages of a global install, with what npm would run while installing them. */
function installScripts(prefix: string): Record<string, string[]> {
  const modules = join(prefix, 'lib/node_modules');
  const manifests = globSync(['*/package.json', '**/node_modules/*/package.json', '**/node_modules/@*/*/package.json'], { cwd: modules });
  return Object.fromEntries(
    manifests.map((path) => {
      const { name, scripts = {} } = JSON.parse(readFileSync(join(modules, path), 'utf8')) as { name: string; scripts?: object };
      return [name, Object.keys(scripts)];
    }),
  );
}

describe.each([
  ['the oldest Node', nodeProgram(OLDEST_NODE)],
  ['this Node', process.execPath],
])('installed from a registry, on %s', (title, node) => {
  const name = title.replaceAll(' ', '-');

  test('npx runs millrace and flowrag-mcp', async () => {
    const person = machine(name, node);
    expect(await person.run('npx', ['-y', 'millrace', '--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
    const server = person.serve('npx', ['-y', '-p', 'millrace', 'flowrag-mcp']);
    const { result } = await server.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    expect(result).toMatchObject({ serverInfo: { version } });
    server.notify('notifications/initialized', {});
    expect(await toolsOf(server, {})).toEqual(expect.arrayContaining(['flowrag_index', 'flowrag_search']));
    expect(server.strayLines).toEqual([]);
    await server.close();
  });

  test('npm i -g brings two packages without scripts, which serve from a folder that nobody may write to', async () => {
    const person = machine(name, node);
    const prefix = person.makeFolder(join(folder.path, name, 'prefix'));
    expect(await person.run('npm', ['install', '--global', '--prefix', prefix, 'millrace'])).toMatchObject({ status: 0 });
    expect(installScripts(prefix)).toEqual({ millrace: [], [nativePackage(host)]: [] });
    expect(sizeOf(prefix) / MEGABYTE).toBeLessThan(120);
    execFileSync('chmod', ['-R', 'a-w', prefix]);

    const elsewhere = person.makeFolder(join(folder.path, name, 'elsewhere'));
    const workspace = person.makeFolder(join(elsewhere, 'work'));
    mkdirSync(join(workspace, 'docs'));
    writeFileSync(join(workspace, 'docs/orders.md'), '# Order Service\n\nThe Order Service keeps its orders in PostgreSQL.\n');
    const env = { HOME: elsewhere, MILLRACE_WORKSPACE: workspace, MILLRACE_FLOWRAG_DOCS: join(workspace, 'docs') };
    const server = person.serve(join(prefix, 'bin/millrace'), [], { env, cwd: prefix });
    expect(await toolsOf(server, { _meta: modernMeta() })).toContain('create_todo');
    expect(await call(server, 'create_todo', { title: 'Ship it' })).toMatchObject({ success: true });
    expect(await call(server, 'flowrag_index', {})).toMatchObject({ documents: 1 });
    expect(JSON.stringify(await call(server, 'flowrag_search', { query: 'Which database has the orders?' }))).toContain('PostgreSQL');
    expect(await server.close()).toBe(0);
  });
});

describe('when something goes wrong', () => {
  test('a Node that is too old gets one line', async () => {
    const person = machine('too-old', nodeProgram(TOO_OLD_NODE));
    const { status, stderr } = await person.run('npx', ['-y', '--loglevel=error', 'millrace', '--version']);
    expect([status, stderr]).toEqual([
      1,
      `Millrace needs Node 22.18 or newer; this is ${TOO_OLD_NODE}. Install a newer Node and start it again.\n`,
    ]);
  });

  test('without optional dependencies, the server explains what is missing', async () => {
    const person = machine('no-optional');
    expect(await person.run('npm', ['install', '--omit=optional', 'millrace'])).toMatchObject({ status: 0 });
    const { status, stderr } = await person.run('node_modules/.bin/millrace', []);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^millrace: @millrace\/native-\S+ is not installed\. Install Millrace again with optional dependencies .*\n$/),
    ]);
  });

  test('a slow registry is waited for', async () => {
    const person = machine('slow');
    registry.delay = 500;
    const prefix = person.makeFolder(join(folder.path, 'slow/prefix'));
    expect(await person.run('npm', ['install', '--global', '--prefix', prefix, 'millrace'])).toMatchObject({ status: 0 });
    expect(await person.run(join(prefix, 'bin/millrace'), ['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });

  test('after a registry that did not answer and an install that was killed, installing again works', async () => {
    const person = machine('interrupted');
    const prefix = person.makeFolder(join(folder.path, 'interrupted/prefix'));
    const install = ['install', '--global', '--prefix', prefix, 'millrace'];
    registry.delay = Number.POSITIVE_INFINITY;
    const unanswered = await person.run('npm', [...install, '--fetch-timeout=500', '--fetch-retries=0']);
    expect(unanswered).toMatchObject({ status: 1, stderr: expect.stringContaining('network timeout') });

    registry.delay = 200;
    const asked = registry.tarballAsked();
    const killed = person.start('npm', install);
    await asked;
    await killAll(killed);

    registry.delay = 0;
    expect(await person.run('npm', install)).toMatchObject({ status: 0 });
    expect(await person.run(join(prefix, 'bin/millrace'), ['--version'])).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
});

test('nothing but the packages of the release was asked for', async () => {
  const person = machine('asked');
  rmSync(join(person.home, '.npm'), { recursive: true, force: true });
  await person.run('npx', ['-y', 'millrace', '--version']);
  const packages = new Set(registry.asked.map((line) => decodeURIComponent(line.split('/-/')[0] ?? '')));
  expect([...packages].sort()).toEqual(['GET /millrace', ...PLATFORMS.map((platform) => `GET /${nativePackage(platform)}`)].sort());
});

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { TypeStore } from '../types/type-store.ts';
import { installN8nPack } from './install.ts';
import { enginesFolder, installedPacks, PINNED_VERSION, packFolder } from './installed.ts';
import type { RegistryClient, RegistryInstall } from './npm.ts';

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'millrace-pack-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

const lamp = {
  name: 'lamp',
  displayName: 'Lamp',
  description: 'Switches a lamp',
  group: ['output'],
  version: 1,
  defaults: { name: 'Lamp' },
  inputs: ['main'],
  outputs: ['main'],
  properties: [],
};

/** A registry whose packages hold one made-up node. */
function registry(during: (request: RegistryInstall) => Promise<void> = async () => {}): RegistryClient & { installs: number } {
  return {
    installs: 0,
    async install(request) {
      this.installs++;
      for (const [name, types] of [
        ['n8n-nodes-base', [lamp]],
        ['@n8n/n8n-nodes-langchain', []],
      ] as const) {
        const folder = join(request.folder, 'node_modules', name, 'dist/types');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'nodes.json'), JSON.stringify(types));
        await writeFile(join(folder, 'nodes.d.ts'), 'export {};');
      }
      await during(request);
    },
  };
}

test('a pack is installed whole, with its index, and a second time nothing is done', async () => {
  const home = await newHome();
  const client = registry();
  const steps: string[] = [];
  const pack = await installN8nPack({ home, registry: client, progress: (_done, _total, message = '') => void steps.push(message) });
  expect(pack.folder).toBe(packFolder(home, PINNED_VERSION));
  expect(steps).toContain('Reading the nodes');
  expect((await installedPacks(home)).map(({ version }) => version)).toEqual([PINNED_VERSION]);
  const types = await TypeStore.open(pack.folder);
  onTestFinished(() => types.close());
  expect(types.find('n8n-nodes-base.lamp')?.newest).toBe(1);
  expect(existsSync(join(pack.folder, 'node_modules/n8n-nodes-base/dist/types/nodes.d.ts'))).toBe(false);
  await installN8nPack({ home, registry: client });
  expect(client.installs).toBe(1);
});

test('the lock file names versions and checksums for every package, and no registry', async () => {
  const home = await newHome();
  let lock = '';
  const reading = async ({ folder }: RegistryInstall) => {
    lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  };
  await installN8nPack({ home, registry: registry(reading) });
  const packages = Object.entries((JSON.parse(lock) as { packages: Record<string, { integrity?: string; resolved?: string }> }).packages);
  expect(packages.length).toBeGreaterThan(200);
  for (const [path, entry] of packages) {
    if (path === '') continue;
    expect(entry.integrity, path).toMatch(/^sha512-/);
    expect(entry.resolved, path).toBeUndefined();
  }
});

test('two installs at once share one', async () => {
  const home = await newHome();
  const client = registry(() => sleep(300));
  const both = await Promise.all([installN8nPack({ home, registry: client }), installN8nPack({ home, registry: client })]);
  expect(client.installs).toBe(1);
  expect(both[0]).toEqual(both[1]);
});

test('an install that fails or is cancelled leaves nothing, and the next one works', async () => {
  const home = await newHome();
  const broken = registry(async () => {
    throw new Failure('upstream', 'npm could not install');
  });
  await expect(installN8nPack({ home, registry: broken })).rejects.toThrow('npm could not install');
  const stop = new AbortController();
  const cancelled = installN8nPack({ home, signal: stop.signal, registry: registry(async () => stop.abort()) });
  await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  expect(await readdir(enginesFolder(home))).toEqual([]);
  expect(await installedPacks(home)).toEqual([]);
  await installN8nPack({ home, registry: registry() });
  expect(await installedPacks(home)).toHaveLength(1);
});

test('the leftovers of a killed install are not a pack, and are removed', async () => {
  const home = await newHome();
  const leftover = join(enginesFolder(home), `.n8n-${PINNED_VERSION}.partial-1`);
  await mkdir(leftover, { recursive: true });
  await mkdir(packFolder(home, '9.9.9'), { recursive: true });
  expect(await installedPacks(home)).toEqual([]);
  await installN8nPack({ home, registry: registry() });
  expect(existsSync(leftover)).toBe(false);
});

test('several versions stand side by side, the newest first', async () => {
  const home = await newHome();
  await installN8nPack({ home, registry: registry() });
  for (const version of ['2.9.0', '10.0.0']) {
    await mkdir(packFolder(home, version), { recursive: true });
    await writeFile(join(packFolder(home, version), 'millrace-pack.json'), JSON.stringify({ n8n: version, installedAt: '' }));
  }
  expect((await installedPacks(home)).map(({ version }) => version)).toEqual(['10.0.0', PINNED_VERSION, '2.9.0']);
});

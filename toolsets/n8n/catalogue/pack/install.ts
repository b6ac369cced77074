import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, isSystemError, type Progress } from '@millrace/kernel';
import { withFileLock } from '@millrace/storage';
import type { Engine } from '@millrace/toolset';
import { buildCatalogue } from '../types/build.ts';
import { enginesFolder, type InstalledPack, installedPack, installedPacks, MARKER, PINNED_VERSION, packFolder } from './installed.ts';
import { npmClient, type RegistryClient } from './npm.ts';

import manifest from './package.json' with { type: 'json' };

export interface InstallOptions {
  /** MILLRACE_HOME: the pack goes to engines/ below it. */
  home: string;
  progress?: Progress;
  signal?: AbortSignal;
  registry?: RegistryClient;
  now?: () => Date;
}

/** Installs the pinned n8n from the npm registry, once per home. Returns at once if it is installed. */
export async function installN8nPack(options: InstallOptions): Promise<InstalledPack> {
  const { home, progress = () => {}, signal = new AbortController().signal } = options;
  const there = await installedPack(home, PINNED_VERSION);
  if (there) return there;
  await mkdir(enginesFolder(home), { recursive: true }).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new Failure('storage', `${enginesFolder(home)} cannot be made`, {
      fix: { instruction: 'Check that the home folder belongs to you and the disk has room' },
      cause: error,
    });
  });
  const onWait = () => progress(0, undefined, 'Another process is installing n8n; waiting for it');
  return withFileLock(join(enginesFolder(home), '.n8n.lock'), { signal, onWait }, async () => {
    const meanwhile = await installedPack(home, PINNED_VERSION);
    return meanwhile ?? install({ registry: npmClient, now: () => new Date(), ...options, progress, signal });
  });
}

async function install({ home, progress, signal, registry, now }: Required<InstallOptions>): Promise<InstalledPack> {
  await removeLeftovers(home);
  const staging = join(enginesFolder(home), `.n8n-${PINNED_VERSION}.partial-${process.pid}`);
  await mkdir(staging, { recursive: true });
  try {
    const { default: lock } = await import('./package-lock.json', { with: { type: 'json' } });
    const packages = Object.keys(lock.packages).length - 1;
    const { name, version, dependencies } = manifest;
    await writeFile(join(staging, 'package.json'), JSON.stringify({ name, version, private: true, dependencies }));
    await writeFile(join(staging, 'package-lock.json'), JSON.stringify(lock));
    await registry.install({ folder: staging, packages, signal, progress });
    progress(packages, packages, 'Reading the nodes');
    await trim(join(staging, 'node_modules'));
    await buildCatalogue(staging, PINNED_VERSION);
    signal.throwIfAborted();
    const installedAt = now().toISOString();
    await writeFile(join(staging, MARKER), JSON.stringify({ n8n: PINNED_VERSION, installedAt }));
    const folder = packFolder(home, PINNED_VERSION);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
    return { version: PINNED_VERSION, folder, installedAt };
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (signal.aborted && !(error instanceof Failure)) throw new Failure('cancelled', 'The installation of n8n was cancelled');
    throw error;
  }
}

/** The leftovers of killed installs; the caller holds the lock. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(enginesFolder(home))) {
    if (name.startsWith('.n8n-') && name.includes('.partial-')) await rm(join(enginesFolder(home), name), { recursive: true, force: true });
  }
}

/** Shown before n8n's packages are installed. */
export function licenceNotice(version: string): string {
  return [
    `n8n ${version} is not part of Millrace. It comes from the npm registry, under n8n's own Sustainable Use License:`,
    'free for your internal business, personal and non-commercial use; it may not be sold or offered as a service.',
    'The terms are installed with it (LICENSE.md of each n8n package). Code that belongs to n8n stays in this folder.',
  ].join('\n');
}

/** Parts of packages that neither the catalogue nor the engine reads. */
const UNUSED_FOLDERS = [
  'n8n-nodes-base/dist/node-definitions',
  '@n8n/n8n-nodes-langchain/dist/node-definitions',
  '@n8n/n8n-nodes-langchain/dist/nodes',
  '@n8n/n8n-nodes-langchain/dist/utils',
  'n8n-workflow/dist/esm',
];
const UNUSED_FILES = /\.(map|d\.ts|d\.cts|d\.mts|tsbuildinfo|flow)$/;

/** Removes what only a developer of n8n needs: half of what the packages unpack to. Licences stay. */
export async function trim(nodeModules: string): Promise<void> {
  await Promise.all(UNUSED_FOLDERS.map((folder) => rm(join(nodeModules, folder), { recursive: true, force: true })));
  const entries = await readdir(nodeModules, { recursive: true, withFileTypes: true });
  const unused = entries.filter((entry) => entry.isFile() && UNUSED_FILES.test(entry.name));
  for (let start = 0; start < unused.length; start += 200) {
    await Promise.all(unused.slice(start, start + 200).map((entry) => rm(join(entry.parentPath, entry.name))));
  }
}

export const n8nEngine: Engine = {
  summary: 'n8n (to check and run workflows without a server)',

  async add({ home, terminal, noticed }) {
    if (!noticed) terminal.say(licenceNotice(PINNED_VERSION));
    const { version, folder } = await installN8nPack({ home, progress: terminal.progress('n8n'), signal: terminal.signal });
    terminal.say(`n8n ${version} is installed in ${folder}. node_search, workflow_validate and test_workflow work now.`);
    return 0;
  },

  async list(home, program) {
    const installed = await installedPacks(home);
    if (installed.length === 0) return [{ version: PINNED_VERSION, state: `not installed: ${program} engine add n8n`, folder: '' }];
    return installed.map(({ version, folder }) => ({ version, state: 'installed; started when a workflow is run', folder }));
  },

  offer: {
    isInstalled: async (home) => (await installedPacks(home)).length > 0,
    purpose: 'The n8n engine checks and runs workflows on this machine; everything else works without it.',
    notice: licenceNotice(PINNED_VERSION),
  },
};

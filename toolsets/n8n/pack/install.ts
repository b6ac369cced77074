import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, isSystemError, type Progress } from '@millrace/kernel';
import { withFileLock } from '@millrace/storage';
import { buildCatalogue } from '../catalogue/build.ts';
import { npmClient, type RegistryClient } from './npm.ts';
import manifest from './package.json' with { type: 'json' };
import { enginesFolder, MARKER, PINNED_VERSION, packFolder } from './places.ts';
import { type InstalledPack, installedPack } from './status.ts';
import { trim } from './trim.ts';

export interface InstallOptions {
  /** MILLRACE_HOME: the pack goes to engines/ below it. */
  home: string;
  progress?: Progress;
  signal?: AbortSignal;
  registry?: RegistryClient;
  now?: () => Date;
}

/** Brings the pinned n8n from the npm registry, once per home. Returns at once when it is there. */
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

/** What installs that were killed have left behind; whoever is here has the lock. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(enginesFolder(home))) {
    if (name.startsWith('.n8n-') && name.includes('.partial-')) await rm(join(enginesFolder(home), name), { recursive: true, force: true });
  }
}

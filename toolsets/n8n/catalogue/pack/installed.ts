import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { absent, jsonIn, recordOf } from '@millrace/kernel';
import manifest from './package.json' with { type: 'json' };

export interface InstalledPack {
  version: string;
  folder: string;
  installedAt: string;
}

/** The newest first. */
export async function installedPacks(home: string): Promise<InstalledPack[]> {
  const names = (await readdir(enginesFolder(home)).catch(absent)) ?? [];
  const versions = names.filter((name) => name.startsWith('n8n-')).map((name) => name.slice('n8n-'.length));
  const found = await Promise.all(versions.map((version) => installedPack(home, version)));
  return found.filter((pack) => pack !== undefined).sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }));
}

export async function installedPack(home: string, version: string): Promise<InstalledPack | undefined> {
  const folder = packFolder(home, version);
  const text = await readFile(join(folder, MARKER), 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const marker = jsonIn(text);
  return marker === undefined ? undefined : { version, folder, installedAt: String(recordOf(marker)['installedAt'] ?? '') };
}

/** The version of n8n that this version of Millrace is tested with. */
export const PINNED_VERSION: string = manifest.version;

/** All packs of a home, one folder a version, side by side. */
export function enginesFolder(home: string): string {
  return join(home, 'engines');
}

export function packFolder(home: string, version: string): string {
  return join(enginesFolder(home), `n8n-${version}`);
}

/** Written last: a folder without it is not a pack. */
export const MARKER = 'millrace-pack.json';

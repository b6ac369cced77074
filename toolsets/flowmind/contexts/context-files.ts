import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absent } from '@millrace/kernel';

export interface ContextFile {
  path: string;
  /** Changes whenever the file does. */
  stamp: string;
  updatedAt: Date;
}

const MOST_FILES = 50_000;
const SKIPPED = new Set(['node_modules', 'dist']);

/** Every YAML file and every SKILL.md below a folder, in a fixed order; links are not followed, hidden folders and those of packages are skipped. */
export async function contextFilesBelow(folder: string): Promise<ContextFile[]> {
  const paths: string[] = [];
  await collect(folder, paths);
  const files = await Promise.all(paths.map(contextFile));
  return files.filter((file) => file !== undefined);
}

async function collect(folder: string, paths: string[]): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (paths.length >= MOST_FILES) return;
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) await collect(path, paths);
    else if (entry.isFile() && isContextFile(entry.name)) paths.push(path);
  }
}

export function isContextFile(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === 'SKILL.md';
}

/** A file may vanish between being listed and being looked at. */
async function contextFile(path: string): Promise<ContextFile | undefined> {
  const found = await stat(path).catch(absent);
  return found && { path, stamp: `${found.mtimeMs}:${found.size}`, updatedAt: found.mtime };
}

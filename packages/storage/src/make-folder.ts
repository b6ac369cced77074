import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a folder and those above it. Node's own way never ends where the system has an existing parent deny its children, as /proc does. */
export function makeFolder(path: string, options: { mode?: number } = {}): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, options);
  try {
    mkdirSync(path, options);
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and its parents. Node's own function never ends if an existing parent denies new children, as /proc does. */
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

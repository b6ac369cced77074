import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { absent, Failure, isSystemError } from '@millrace/kernel';

/** A file or folder below one of the roots, with every symlink on the way resolved. */
export interface Place {
  path: string;
  root: string;
  /** Below its root, with forward slashes: what replies call it. */
  shown: string;
  exists: boolean;
}

/** The folders that hold workflow files. Nothing outside of them is read or written. */
export class Roots {
  readonly folders: readonly string[];
  readonly #workspace: string;

  constructor(workspace: string, folders: readonly string[]) {
    this.#workspace = resolve(workspace);
    this.folders = folders.map((folder) => resolve(workspace, folder));
  }

  /** The roots as they really are; one that does not exist yet stands for itself. */
  async real(): Promise<string[]> {
    return Promise.all(this.folders.map(async (folder) => (await realpathOrParent(folder)).path));
  }

  /** Where a path that a caller wrote leads: relative to a root or to the workspace, or absolute. */
  async locate(written: string): Promise<Place> {
    if (written.includes('\0')) throw outside(written);
    const candidates = this.#candidates(written);
    const roots = await this.real();
    const places: Place[] = [];
    for (const candidate of candidates) {
      const { path, exists } = await realpathOrParent(candidate);
      const root = roots.find((folder) => isInside(folder, path));
      if (root === undefined) throw outside(written);
      const place = { path, root, shown: shownBelow(root, path), exists };
      if (exists) return place;
      places.push(place);
    }
    // Of what does not exist, `workflows/new.json` means the root of that name and not a folder in it.
    const place = candidates.includes(resolve(this.#workspace, written)) ? places.at(-1) : places[0];
    if (!place) throw outside(written);
    return place;
  }

  #candidates(written: string): string[] {
    const paths = isAbsolute(written) ? [resolve(written)] : [...this.folders, this.#workspace].map((folder) => resolve(folder, written));
    return [...new Set(paths)].filter((path) => this.folders.some((folder) => isInside(folder, path)));
  }

  /** Says no when a path has become something else since it was located, as when a folder was swapped for a symlink. */
  async confirm(place: Place): Promise<void> {
    const real = await realpath(dirname(place.path)).catch(absent);
    if (real === undefined || join(real, basename(place.path)) !== place.path || !isInside(place.root, place.path))
      throw outside(place.shown);
  }
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export function shownBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

function outside(written: string): Failure {
  return new Failure('forbidden', `${JSON.stringify(written.slice(0, 200))} is outside of the workflow folders`, {
    details: { path: written.slice(0, 200) },
    fix: { instruction: 'Give a path below a workflow folder, such as "my-workflow.json"' },
  });
}

/** The real path, or for something that does not exist the real path of its nearest existing folder plus the rest. */
async function realpathOrParent(path: string): Promise<{ path: string; exists: boolean }> {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return { path: join(await realpath(at), ...rest), exists: rest.length === 0 };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const { code } = error;
      if (code === 'ELOOP' || code === 'EACCES') throw outside(path);
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(at) === at) throw error;
      rest.unshift(basename(at));
    }
  }
}

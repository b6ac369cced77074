import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative, sep } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import type { Environment } from './config/load.ts';
import { VERSION } from './version.ts';

export interface Started {
  /** The script that Node was given, as it was given. */
  script: string;
  environment: Environment;
  workingDirectory: string;
  platform: NodeJS.Platform;
}

/** Where this process was started. A folder that was deleted meanwhile has no path. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new Failure('unavailable', 'The folder that this was started in no longer exists', {
      fix: { instruction: 'Change to a folder that exists, then start again' },
      cause,
    });
  }
}

export function thisProcess(): Started {
  return { script: process.argv[1] ?? '', environment: process.env, workingDirectory: currentFolder(), platform: process.platform };
}

/** What a person types to start `name` again, derived from how this process was started. */
export function programOf(name: string, started: Started): string {
  if (isOnPath(name, started)) return name;
  if (isFromNpx(started)) return name === 'millrace' ? 'npx millrace' : `npx -p millrace ${name}`;
  if (linkedAround(name, started)) return `npx ${name}`;
  const { script } = started;
  const sibling = join(dirname(script), `${name}.js`);
  return `node ${quoted(existsSync(sibling) ? sibling : script)}`;
}

/** How another program starts this one, from any folder, today and after an update. */
export function launchOf(started: Started, node: string): { command: string; args: string[] } {
  const npx = ['-y', `millrace@${VERSION}`];
  if (!isFromNpx(started)) return { command: real(node), args: [real(started.script)] };
  // There npx is a batch file, which only a shell can start.
  return started.platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...npx] } : { command: 'npx', args: npx };
}

function isFromNpx({ script }: Started): boolean {
  return script.split(sep).includes('_npx');
}

/** A global install or a linked checkout. The folders that npx and npm scripts put on the PATH do not count. */
function isOnPath(name: string, { script, environment, platform }: Started): boolean {
  const folders = (environment.PATH ?? environment.Path ?? '').split(delimiter).filter((folder) => folder && basename(folder) !== '.bin');
  const ours = dirname(real(script));
  return folders.some((folder) => {
    if (platform === 'win32')
      return existsSync(join(folder, `${name}.cmd`)) && ours.startsWith(join(real(folder), 'node_modules', 'millrace'));
    const found = join(folder, name);
    return existsSync(found) && dirname(real(found)) === ours;
  });
}

/** Whether npx finds us from the working directory: npm linked us into the checkout or project around it. */
function linkedAround(name: string, { script, workingDirectory }: Started): boolean {
  const place = rootOf(real(script));
  const projects = [...new Set([place, script.split(`${sep}node_modules${sep}`)[0]])];
  return projects.some((project) => project !== undefined && isWithin(project, workingDirectory) && isLinked(project, name));
}

function isLinked(project: string, name: string): boolean {
  return existsSync(join(project, 'node_modules', '.bin', name)) || existsSync(join(project, 'node_modules', '.bin', `${name}.cmd`));
}

/** The checkout that a script belongs to, if it is in one: bin/x.js or packages/server/bin/x.js. */
function rootOf(script: string): string | undefined {
  const above = [dirname(dirname(script)), dirname(dirname(dirname(dirname(script))))];
  return above.find((folder) => existsSync(join(folder, 'packages', 'server', 'bin')));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`));
}

function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function quoted(path: string): string {
  return /[\s"'$&()]/.test(path) ? `"${path}"` : path;
}

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The programs that the Dockerfile calls, besides Node and npm. */
const PROGRAMS = ['sh', 'env', 'mkdir', 'chown'];

function which(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/** The shared libraries of a program, its loader too. */
function librariesOf(program: string): string[] {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' });
  return [...listed.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, path = '']) => path);
}

/** Writes the files of a minimal Linux that runs Node and npm, taken from this machine. */
export function writeBase(folder: string): void {
  const copy = (from: string, to = from) => {
    const target = join(folder, to);
    mkdirSync(dirname(target), { recursive: true });
    if (!existsSync(target)) cpSync(realpathSync(from), target, { recursive: true });
  };
  for (const program of PROGRAMS.map(which)) {
    copy(program, `/bin/${program.split('/').at(-1)}`);
    for (const library of librariesOf(program)) copy(library);
  }
  copy(which('env'), '/usr/bin/env');
  copy(process.execPath, '/usr/local/bin/node');
  for (const library of librariesOf(process.execPath)) copy(library);
  const npm = dirname(dirname(realpathSync(which('npm'))));
  copy(npm, '/usr/local/lib/node_modules/npm');
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/local/bin/npm')]);
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}

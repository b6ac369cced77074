import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { absent } from '@millrace/kernel';

/** full: the system keeps the process from everything but its own files. process: Node's permission model alone does. */
export type Level = 'full' | 'process';

export interface Needs {
  readable: readonly string[];
  writable: readonly string[];
}

export interface User {
  uid: number;
  gid: number;
}

export interface Command {
  program: string;
  arguments: string[];
  /** Who runs it, unless the one who asks. */
  user?: User;
}

export interface Sandbox {
  level: Level;
  /** What confines, or why nothing better does, in words for the doctor. */
  detail: string;
  /** How to raise the level; absent at the full one. */
  fix?: string;
  /** The command that runs another one confined. */
  around(command: Command, needs: Needs): Command;
}

/** A system that takes longer than this to start a process is not one to rely on. */
const PROBE_MS = 10_000;

const FIX = 'Install bubblewrap (apt install bubblewrap), and allow unprivileged user namespaces';

/** Where the system keeps its programs. What a PATH names may be anybody's. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

let found: Promise<Sandbox> | undefined;

/** The best sandbox that works on this machine. It is tried once, and must hold what it promises. */
export function bestSandbox(): Promise<Sandbox> {
  found ??=
    process.platform === 'linux' ? linuxSandbox(FOLDERS) : Promise.resolve(unconfined(`there is no sandbox for ${process.platform} yet`));
  return found;
}

export function linuxSandbox(folders: readonly string[]): Promise<Sandbox> {
  return tried(bubblewrap(folders));
}

function unconfined(reason: string): Sandbox {
  return { level: 'process', detail: `Node's permission model only: ${reason}`, fix: FIX, around: asNobody };
}

const NOBODY: User = { uid: 65534, gid: 65534 };

/** Root starts a process as nobody, who can send signals to no other; unless nobody could not read what it needs. */
function asNobody(command: Command, { readable }: Needs): Command {
  return process.getuid?.() === 0 && [command.program, ...readable].every(isOpen) ? { ...command, user: NOBODY } : command;
}

/** Whether everyone may read a path. */
export function isOpen(path: string): boolean {
  if ((statSync(path).mode & 0o005) === 0) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** What Node needs to start: the loader with its libraries, and the time zone. */
const SYSTEM = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache', '/etc/localtime', '/usr/share/zoneinfo', '/nix/store'];

function bubblewrap(folders: readonly string[]): Sandbox | undefined {
  const program = folders.map((folder) => join(folder, 'bwrap')).find(isProgram);
  if (program === undefined) return undefined;
  const bound = (flag: string, paths: readonly string[]) => paths.flatMap((path) => [flag, path, path]);
  return {
    level: 'full',
    detail: 'bubblewrap: no network, no files but its own, no view of other processes',
    around: (command, { readable, writable }) => ({
      program,
      arguments: [
        ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--dev', '/dev'],
        ...bound('--ro-bind-try', SYSTEM),
        ...bound('--ro-bind', [command.program, ...readable]),
        ...bound('--bind', writable),
        ...['--', command.program, ...command.arguments],
      ],
    }),
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    return absent(error) ?? false;
  }
}

/** What a process in the sandbox must not be able to do; it prints what it could. Only in a namespace of its own has it one of the first numbers. */
const PROBE = `
const reached = [];
const attempt = (name, work) => { try { if (work() !== false) reached.push(name); } catch {} };
attempt('the processes of this user', () => process.pid > 3);
attempt('the files of this machine', () => require('node:fs').readFileSync('/etc/passwd'));
attempt('the network', () => Object.values(require('node:os').networkInterfaces()).flat().some((one) => !one.internal));
require('node:fs').writeSync(1, JSON.stringify(reached));
`;

async function tried(sandbox: Sandbox | undefined): Promise<Sandbox> {
  if (!sandbox) return unconfined('bubblewrap is not installed');
  const { program, arguments: given } = sandbox.around(
    { program: process.execPath, arguments: ['-e', PROBE] },
    { readable: [], writable: [] },
  );
  const child = spawn(program, given, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const clock = setTimeout(() => child.kill('SIGKILL'), PROBE_MS);
  try {
    await once(child, 'close');
  } catch (error) {
    // What cannot be started is reported by its error alone.
    return unconfined(`bubblewrap could not be started (${error instanceof Error ? error.message : 'unknown'})`);
  } finally {
    clearTimeout(clock);
  }
  if (child.signalCode === 'SIGKILL') return unconfined(`bubblewrap did not answer within ${PROBE_MS / 1000} seconds`);
  if (child.exitCode !== 0 || !out.startsWith('['))
    return unconfined(`bubblewrap does not work here (${err.trim().split('\n')[0]?.slice(0, 200) || `exit code ${child.exitCode}`})`);
  return out.trim() === '[]' ? sandbox : unconfined(`bubblewrap leaves open ${out.trim().slice(1, -1)}`);
}

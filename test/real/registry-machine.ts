import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, linkSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StdioProcess } from '../harness/process.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A person's machine: one version of Node, an empty home, no privileges, and no way to any host but the registry. */
export class Machine {
  readonly home: string;
  readonly #env: Record<string, string>;

  constructor(folder: string, node: string, registry: string) {
    this.home = join(folder, 'home');
    const bin = join(folder, 'bin');
    for (const path of [folder, this.home, bin]) this.makeFolder(path);
    const program = join(bin, 'node');
    if (!existsSync(program)) place(node, program);
    this.#env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: this.home,
      npm_config_registry: registry,
      // Whatever asks another host is sent to a port where nobody listens.
      npm_config_https_proxy: 'http://127.0.0.1:9',
      npm_config_proxy: 'http://127.0.0.1:9',
      npm_config_noproxy: '127.0.0.1',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      MILLRACE_LOG_LEVEL: 'error',
    };
  }

  /** A folder of the machine's user. */
  makeFolder(path: string): string {
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    return path;
  }

  start(command: string, args: readonly string[], { env = {}, cwd = this.home }: Started = {}): ChildProcess {
    const [program, all] = unprivileged(command, args);
    return spawn(program, all, { env: { ...this.#env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  }

  run(command: string, args: readonly string[], options?: Started): Promise<Outcome> {
    const child = this.start(command, args, options);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
  }

  /** A server that an assistant would start with this command line. */
  serve(command: string, args: readonly string[], { env = {}, cwd = this.home }: Started = {}): StdioProcess {
    const [program, all] = unprivileged(command, args);
    return new StdioProcess(all, { ...this.#env, ...env }, cwd, program);
  }
}

interface Started {
  env?: Record<string, string>;
  cwd?: string;
}

function unprivileged(command: string, args: readonly string[]): [string, string[]] {
  if (!isRoot) return [command, [...args]];
  return ['setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', command, ...args]];
}

/** The folder of a Node may be closed to other users; the program itself is not. */
function place(program: string, to: string): void {
  try {
    linkSync(program, to);
  } catch {
    cpSync(program, to);
  }
}

/** Ends a command and everything that it started, at once. */
export async function killAll(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-(child.pid as number), 'SIGKILL');
  await ended;
}

/** The bytes that a folder takes on disk. */
export function sizeOf(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.blocks * 512;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absent, Failure, isSystemError } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';

export interface ProcessKind {
  /** What the process is for, in words. */
  title: string;
  script: URL;
  /** Arguments of the script, given the process's own folder. */
  arguments(folder: string): string[];
  /** Folders that it may read, besides its script's and its own: real paths, since Node's permissions know no symbolic links. */
  readable: string[];
  /** Whether it may write into its own folder. */
  writes: boolean;
  memoryMb: number;
}

export interface PoolLimits {
  /** Processes at once; further work waits for one. */
  most: number;
  /** A process that nobody needed for so long ends. */
  idleMs: number;
}

const START_MS = 60_000;
const KEPT_CHARACTERS = 2_000;

/** One process, for one piece of work at a time. */
export class PooledProcess {
  readonly child: ChildProcess;
  readonly folder: string;
  idle: NodeJS.Timeout | undefined;
  #killed = false;
  #lastWords = '';

  constructor(child: ChildProcess, folder: string) {
    this.child = child;
    this.folder = folder;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-KEPT_CHARACTERS);
    });
    // Whether a process is waited for is a matter of its channel.
    if (child.stderr instanceof Socket) child.stderr.unref();
  }

  /** How it ended, in words that fit after "the process". */
  get end(): string {
    const { exitCode, signalCode } = this.child;
    return signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`;
  }

  get ranOutOfMemory(): boolean {
    return /heap out of memory|Reached heap limit/.test(this.#lastWords);
  }

  /** The end of what it wrote to stderr. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  get alive(): boolean {
    return !this.#killed && this.child.exitCode === null && this.child.signalCode === null && this.child.connected;
  }

  kill(): void {
    clearTimeout(this.idle);
    this.#killed = true;
    this.child.kill('SIGKILL');
  }
}

type Waiting = { resolve(): void };

/** Processes that are started when first needed, kept warm, and bounded in number. */
export class ProcessPool {
  readonly #kind: ProcessKind;
  readonly #limits: PoolLimits;
  readonly #idle: PooledProcess[] = [];
  readonly #all = new Set<PooledProcess>();
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #swept: Promise<void> | undefined;
  #closed = false;

  constructor(kind: ProcessKind, limits: PoolLimits) {
    this.#kind = kind;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  /** A process that is ready for work. Give it back when the work is done. */
  async take(signal: AbortSignal): Promise<PooledProcess> {
    for (;;) {
      if (this.#closed) throw new Failure('cancelled', 'The server is shutting down');
      signal.throwIfAborted();
      const idle = this.#idle.pop();
      if (idle?.alive) {
        clearTimeout(idle.idle);
        idle.child.ref();
        idle.child.channel?.ref();
        return idle;
      }
      if (idle) continue;
      if (this.#count < this.#limits.most) return this.#start(signal);
      await this.#turn(signal);
    }
  }

  /** Keeps the process for the next piece of work, or lets it go when it is dead. */
  give(process: PooledProcess): void {
    if (!process.alive || this.#closed) process.kill();
    else {
      process.idle = setTimeout(() => process.kill(), this.#limits.idleMs).unref();
      process.child.unref();
      process.child.channel?.unref();
      this.#idle.push(process);
    }
    this.#waiting.shift()?.resolve();
  }

  /** Ends a process that must not be used again, and starts one in its place, so that the next piece of work finds it ready. */
  renew(process: PooledProcess): void {
    if (this.#all.has(process)) process.child.once('exit', () => this.warm());
    else this.warm();
    process.kill();
  }

  /** Starts a process that will soon be needed, unless one is waiting. */
  warm(): void {
    if (this.#closed || this.#idle.length > 0 || this.#count >= this.#limits.most) return;
    this.#start(new AbortController().signal).then(
      (started) => this.give(started),
      () => {},
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.resolve();
    const ends = [...this.#all].map((process) => {
      process.child.ref();
      process.kill();
      return once(process.child, 'exit');
    });
    await Promise.all(ends);
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { resolve };
      this.#waiting.push(waiting);
      signal.addEventListener(
        'abort',
        () => {
          const position = this.#waiting.indexOf(waiting);
          if (position >= 0) this.#waiting.splice(position, 1);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  async #start(signal: AbortSignal): Promise<PooledProcess> {
    this.#count++;
    let started: PooledProcess | undefined;
    try {
      this.#swept ??= sweepProcessFolders();
      const folder = await processFolder();
      if (this.#closed) {
        await rm(folder, { recursive: true, force: true });
        throw new Failure('cancelled', 'The server is shutting down');
      }
      started = this.#fork(folder);
      await this.#ready(started, signal);
      return started;
    } catch (error) {
      if (started) started.kill();
      else this.#count--;
      throw error;
    }
  }

  #fork(folder: string): PooledProcess {
    const { script, memoryMb } = this.#kind;
    const child = fork(realpathSync(fileURLToPath(script)), this.#kind.arguments(folder), {
      execArgv: [`--max-old-space-size=${memoryMb}`, '--disable-warning=ExperimentalWarning', ...this.#permissions(folder)],
      env: {},
      cwd: folder,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const process = new PooledProcess(child, folder);
    this.#all.add(process);
    child.once('exit', () => {
      this.#all.delete(process);
      this.#count--;
      const position = this.#idle.indexOf(process);
      if (position >= 0) this.#idle.splice(position, 1);
      clearTimeout(process.idle);
      void rm(folder, { recursive: true, force: true });
      this.#waiting.shift()?.resolve();
    });
    return process;
  }

  /** Node's permission model: no child processes, threads, addons or files but these. */
  #permissions(folder: string): string[] {
    const { script, readable, writes } = this.#kind;
    const scripts = dirname(dirname(realpathSync(fileURLToPath(script))));
    const within = (path: string) => (path.endsWith(sep) ? path : path + sep);
    return [
      '--permission',
      ...[scripts, folder, ...readable].map((path) => `--allow-fs-read=${within(path)}`),
      ...(writes ? [`--allow-fs-write=${within(folder)}`] : []),
    ];
  }

  async #ready(process: PooledProcess, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const clock = AbortSignal.timeout(START_MS);
    // Unlike "exit", it comes after the last of stderr.
    process.child.once('close', () => ended.abort());
    try {
      await once(process.child, 'message', { signal: AbortSignal.any([signal, ended.signal, clock]) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (ended.signal.aborted) throw this.#notStarted(`it ${process.end}`, new Error(process.lastWords || 'nothing on stderr'));
      if (clock.aborted) throw this.#notStarted(`it was not ready within ${START_MS / 1000} seconds`, error);
      throw isSystemError(error) ? this.#notStarted(`the system refused it (${error.code})`, error) : error;
    }
  }

  #notStarted(why: string, cause: unknown): Failure {
    return new Failure('unavailable', `The process for ${this.#kind.title} did not start: ${why}`, {
      fix: {
        instruction: 'If this happens again, remove the folder of the engine pack in MILLRACE_HOME and install it again',
        command: 'engine add n8n',
      },
      cause,
    });
  }
}

/** Containers may share a folder for temporary files, but not their processes. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const PREFIX = `millrace-engine-${MACHINE}-`;

/** A folder for one process of the engine, named after the server that it belongs to. */
export async function processFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`)));
}

/** Removes the leftovers of killed servers: folders whose server is gone. */
export async function sweepProcessFolders(): Promise<void> {
  const names = (await readdir(tmpdir()).catch(absent)) ?? [];
  const left = names.filter((name) => {
    const server = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    return Number.isInteger(server) && server > 0 && !isRunning(server);
  });
  await Promise.all(left.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(absent)));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, readdirSync, realpathSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absent, Failure } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';
import { Channel } from './confinement/channel.ts';
import { watchMemory } from './confinement/memory-watch.ts';
import { bestSandbox, type Sandbox } from './confinement/sandbox.ts';

/** What a process says before anything else. */
export interface Ready {
  kind: 'ready';
}

export interface ProcessKind<Incoming> {
  /** What the process is for, in words. */
  title: string;
  script: URL;
  /** Arguments of the script, given the process's own folder. */
  arguments(folder: string): string[];
  /** Folders that it may read, besides its script's and its own: real paths, since Node's permissions know no symbolic links. */
  readable: string[];
  /** Whether it may write into its own folder. */
  writes: boolean;
  /** Of JavaScript's heap; what a process holds in all may be some more. */
  memoryMb: number;
  /** Makes a message of what it sent, or throws. */
  check(value: unknown): Incoming | Ready;
  /** Sets up what the process finds in its folder, which may have something to note. Returns how to put it away. */
  furnish?(folder: string, note: (line: string) => void): Promise<() => void>;
}

export interface PoolLimits {
  /** Processes at once; further work waits for one. */
  most: number;
  /** A process that nobody needed for so long ends. */
  idleMs: number;
}

const START_MS = 60_000;
const KEPT_CHARACTERS = 2_000;
/** What Node needs beside the heap: its own code, buffers, and what waits to be sent. */
const BESIDE_THE_HEAP_MB = 300;

/** One process, for one piece of work at a time. */
export class PooledProcess<Outgoing, Incoming> {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly ready = Promise.withResolvers<void>();
  /** They get what the process says. */
  readonly listeners = new Set<(message: Incoming) => void>();
  /** Gets what happened around the process. */
  note: ((line: string) => void) | undefined;
  idle: NodeJS.Timeout | undefined;
  readonly #channel: Channel<Outgoing, Incoming | Ready>;
  readonly #stream: Socket;
  #killed = false;
  #lastWords = '';
  #offence: string | undefined;
  #tooLarge = false;

  constructor(child: ChildProcess, folder: string, { check, memoryMb }: ProcessKind<Incoming>) {
    this.child = child;
    this.folder = folder;
    this.#stream = child.stdio[3] as Socket;
    this.#channel = new Channel(this.#stream, {
      check,
      message: (message) => {
        if (isReady(message)) this.ready.resolve();
        else for (const listener of [...this.listeners]) listener(message);
      },
      surprise: (reason) => {
        this.#offence = reason;
        this.kill();
      },
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-KEPT_CHARACTERS);
    });
    // Whether a process is waited for is a matter of its channel.
    if (child.stderr instanceof Socket) child.stderr.unref();
    if (child.pid === undefined) return;
    const unwatch = watchMemory(child.pid, (memoryMb + BESIDE_THE_HEAP_MB) * 2 ** 20, () => {
      this.#tooLarge = true;
      this.kill();
    });
    child.once('exit', unwatch);
  }

  /** How it ended, in words that fit after "the process". */
  get end(): string {
    if (this.#offence !== undefined) return `was ended because ${this.#offence}`;
    const { exitCode, signalCode } = this.child;
    return signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`;
  }

  get ranOutOfMemory(): boolean {
    return this.#tooLarge || /heap out of memory|Reached heap limit/.test(this.#lastWords);
  }

  /** The end of what it wrote to stderr. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  get alive(): boolean {
    return !this.#killed && this.child.exitCode === null && this.child.signalCode === null && !this.#stream.destroyed;
  }

  send(message: Outgoing): boolean {
    return this.alive && this.#channel.send(message);
  }

  /** Whether this server stays for its sake. */
  keep(kept: boolean): void {
    for (const held of [this.child, this.#stream]) kept ? held.ref() : held.unref();
  }

  kill(): void {
    clearTimeout(this.idle);
    this.#killed = true;
    this.child.kill('SIGKILL');
  }
}

function isReady<Incoming>(message: Incoming | Ready): message is Ready {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'ready';
}

type Waiting = { resolve(): void };

/** Processes that are started when first needed, kept warm, and bounded in number. */
export class ProcessPool<Outgoing, Incoming> {
  readonly #kind: ProcessKind<Incoming>;
  readonly #limits: PoolLimits;
  readonly #idle: PooledProcess<Outgoing, Incoming>[] = [];
  readonly #all = new Set<PooledProcess<Outgoing, Incoming>>();
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #swept: Promise<void> | undefined;
  #closed = false;

  constructor(kind: ProcessKind<Incoming>, limits: PoolLimits) {
    this.#kind = kind;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  /** A process that is ready for work. Give it back when the work is done. */
  async take(signal: AbortSignal): Promise<PooledProcess<Outgoing, Incoming>> {
    for (;;) {
      if (this.#closed) throw new Failure('cancelled', 'The server is shutting down');
      signal.throwIfAborted();
      const idle = this.#idle.pop();
      if (idle?.alive) {
        clearTimeout(idle.idle);
        idle.keep(true);
        return idle;
      }
      if (idle) continue;
      if (this.#count < this.#limits.most) return this.#start(signal);
      await this.#turn(signal);
    }
  }

  /** Keeps the process for the next piece of work, or lets it go when it is dead. */
  give(process: PooledProcess<Outgoing, Incoming>): void {
    if (!process.alive || this.#closed) process.kill();
    else {
      process.idle = setTimeout(() => process.kill(), this.#limits.idleMs).unref();
      process.listeners.clear();
      process.note = undefined;
      process.keep(false);
      this.#idle.push(process);
    }
    this.#waiting.shift()?.resolve();
  }

  /** Ends a process that must not be used again, and starts one in its place, so that the next piece of work finds it ready. */
  renew(process: PooledProcess<Outgoing, Incoming>): void {
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
      process.keep(true);
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

  async #start(signal: AbortSignal): Promise<PooledProcess<Outgoing, Incoming>> {
    this.#count++;
    let started: PooledProcess<Outgoing, Incoming> | undefined;
    try {
      this.#swept ??= sweepProcessFolders();
      const folder = await processFolder();
      if (this.#closed) {
        await rm(folder, { recursive: true, force: true });
        throw new Failure('cancelled', 'The server is shutting down');
      }
      const unfurnish = await this.#kind.furnish?.(folder, (line) => started?.note?.(line));
      started = this.#spawn(folder, await bestSandbox());
      if (unfurnish) started.child.once('exit', unfurnish);
      await this.#ready(started, signal);
      return started;
    } catch (error) {
      if (started) started.kill();
      else this.#count--;
      throw error;
    }
  }

  #spawn(folder: string, sandbox: Sandbox): PooledProcess<Outgoing, Incoming> {
    const { script, memoryMb, readable, writes } = this.#kind;
    const path = realpathSync(fileURLToPath(script));
    const command = {
      program: process.execPath,
      arguments: [
        `--max-old-space-size=${memoryMb}`,
        ...['--disable-warning=ExperimentalWarning', '--disable-sigusr1', ...this.#permissions(folder)],
        ...[path, ...this.#kind.arguments(folder)],
      ],
    };
    const needs = { readable: [scriptsOf(path), ...readable], writable: writes ? [folder] : [] };
    const { program, arguments: given, user } = sandbox.around(command, needs);
    if (user) for (const own of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) chownSync(own, user.uid, user.gid);
    const child = spawn(program, given, { env: {}, cwd: folder, stdio: ['ignore', 'ignore', 'pipe', 'pipe'], ...user });
    const process_ = new PooledProcess<Outgoing, Incoming>(child, folder, this.#kind);
    this.#all.add(process_);
    child.once('exit', () => {
      this.#all.delete(process_);
      this.#count--;
      const position = this.#idle.indexOf(process_);
      if (position >= 0) this.#idle.splice(position, 1);
      clearTimeout(process_.idle);
      void rm(folder, { recursive: true, force: true });
      this.#waiting.shift()?.resolve();
    });
    return process_;
  }

  /** Node's permission model: no child processes, threads, addons or files but these. */
  #permissions(folder: string): string[] {
    const { script, readable, writes } = this.#kind;
    const scripts = scriptsOf(realpathSync(fileURLToPath(script)));
    const within = (path: string) => (path.endsWith(sep) ? path : path + sep);
    return [
      '--permission',
      ...[scripts, folder, ...readable].map((path) => `--allow-fs-read=${within(path)}`),
      ...(writes ? [`--allow-fs-write=${within(folder)}`] : []),
    ];
  }

  async #ready(process: PooledProcess<Outgoing, Incoming>, signal: AbortSignal): Promise<void> {
    const clock = AbortSignal.timeout(START_MS);
    const given = AbortSignal.any([signal, clock]);
    const failed = Promise.withResolvers<Failure>();
    const stop = () => failed.resolve(this.#notStarted(`it was not ready within ${START_MS / 1000} seconds`, given.reason));
    given.addEventListener('abort', stop, { once: true });
    process.child.once('error', (error: NodeJS.ErrnoException) =>
      failed.resolve(this.#notStarted(`the system refused it (${error.code})`, error)),
    );
    // Unlike "exit", it comes after the last of stderr.
    process.child.once('close', () =>
      failed.resolve(this.#notStarted(`it ${process.end}`, new Error(process.lastWords || 'nothing on stderr'))),
    );
    const failure = await Promise.race([process.ready.promise, failed.promise]);
    given.removeEventListener('abort', stop);
    signal.throwIfAborted();
    if (failure) throw failure;
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

/** The folder with everything that a script of a process imports of ours. */
function scriptsOf(path: string): string {
  return dirname(dirname(path));
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

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Failure } from '@millrace/kernel';
import type { ModelFiles } from './model-files.ts';
import { NativeTurn } from './native-turn.ts';
import type { WorkerData, WorkerReply, WorkerRequest } from './worker.ts';

export interface PoolOptions {
  /** At most so many sessions; one a core when not given. */
  threads?: number;
  /** Sessions beyond the first end after this time without work: each holds a copy of the model. */
  idleMs?: number;
}

interface Task {
  texts: string[];
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
  cancelled: boolean;
}

interface Session {
  worker: Worker;
  turn: NativeTurn;
  task: Task | undefined;
  idle: NodeJS.Timeout | undefined;
}

const SLICE = 4;

/** Of all pools: what a process that exits without closing them has to wait for. */
const running = new Set<NativeTurn>();
const LAST_RUN_MS = 2_000;

function endRunning(): void {
  for (const turn of running) turn.end(LAST_RUN_MS);
}

/** Sessions in threads of their own, started as the work needs them. */
export class WorkerPool {
  readonly #files: ModelFiles;
  readonly #threads: number;
  readonly #idleMs: number;
  readonly #sessions = new Set<Session>();
  /** Queries do not wait behind the passages of an indexing run. */
  readonly #urgent: Task[] = [];
  readonly #waiting: Task[] = [];
  #closed = false;

  constructor(files: ModelFiles, options: PoolOptions = {}) {
    this.#files = files;
    this.#threads = Math.max(1, options.threads ?? availableParallelism());
    this.#idleMs = options.idleMs ?? 30_000;
  }

  async embed(texts: readonly string[], urgent: boolean, signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (this.#closed) throw new Failure('unavailable', 'The embedding model is closed');
    const tasks: Task[] = [];
    const queue = urgent ? this.#urgent : this.#waiting;
    const slices: Promise<Float32Array[]>[] = [];
    for (let start = 0; start < texts.length; start += SLICE) {
      slices.push(
        new Promise((resolve, reject) => {
          const task = { texts: texts.slice(start, start + SLICE), resolve, reject, cancelled: false };
          tasks.push(task);
          queue.push(task);
        }),
      );
    }
    const abort = () => {
      for (const task of tasks) {
        task.cancelled = true;
        task.reject(signal?.reason);
      }
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      this.#dispatch();
      return (await Promise.all(slices)).flat();
    } catch (error) {
      for (const task of tasks) task.cancelled = true;
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const gone = new Failure('cancelled', 'The embedding model was closed');
    for (const task of [...this.#urgent.splice(0), ...this.#waiting.splice(0)]) task.reject(gone);
    await Promise.all([...this.#sessions].map((session) => this.#end(session, gone)));
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  #next(): Task | undefined {
    for (const queue of [this.#urgent, this.#waiting]) {
      for (let task = queue.shift(); task; task = queue.shift()) if (!task.cancelled) return task;
    }
    return undefined;
  }

  #dispatch(): void {
    for (const session of this.#sessions) {
      if (!session.task && !this.#give(session)) return;
    }
    while (this.#sessions.size < this.#threads) {
      const task = this.#next();
      if (!task) return;
      const session = this.#start();
      this.#run(session, task);
    }
  }

  #give(session: Session): boolean {
    const task = this.#next();
    if (!task) return false;
    this.#run(session, task);
    return true;
  }

  #run(session: Session, task: Task): void {
    clearTimeout(session.idle);
    session.task = task;
    session.worker.ref();
    session.worker.postMessage({ texts: task.texts } satisfies WorkerRequest);
  }

  #start(): Session {
    const turn = new NativeTurn();
    const worker = new Worker(new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url), {
      workerData: { files: this.#files, turn: turn.shared } satisfies WorkerData,
      execArgv: conditionsOf(process.execArgv),
      // What it works on is native memory: its own heap holds a tokenizer and one text.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 },
    });
    const session: Session = { worker, turn, task: undefined, idle: undefined };
    this.#sessions.add(session);
    if (!process.listeners('exit').includes(endRunning)) process.once('exit', endRunning);
    running.add(turn);
    worker.on('exit', () => running.delete(turn));
    worker.on('message', (reply: WorkerReply) => {
      const { task } = session;
      session.task = undefined;
      worker.unref();
      if ('vectors' in reply) task?.resolve(reply.vectors);
      else task?.reject(cannotRun(reply.error));
      if (this.#sessions.has(session) && !this.#give(session)) this.#rest(session);
    });
    worker.on('error', (error) => {
      this.#sessions.delete(session);
      session.task?.reject(cannotRun(error.message));
      this.#dispatch();
    });
    return session;
  }

  #rest(session: Session): void {
    session.idle = setTimeout(() => {
      if (this.#sessions.size > 1) void this.#end(session);
    }, this.#idleMs);
    session.idle.unref();
  }

  /** Lets the session finish what it is at, and end: it must not be ended in the middle of a run. */
  async #end(session: Session, reason?: Failure): Promise<void> {
    clearTimeout(session.idle);
    this.#sessions.delete(session);
    session.task?.reject(reason);
    session.task = undefined;
    session.worker.ref();
    const exited = once(session.worker, 'exit');
    session.worker.postMessage('end' satisfies WorkerRequest);
    await exited.catch(() => {});
  }
}

function cannotRun(cause: string): Failure {
  return new Failure('unavailable', 'The local embedding model could not be run', {
    details: { cause: cause.slice(0, 300) },
    fix: { instruction: 'Check that the model folder is complete, or install the packages again: npm ci' },
  });
}

/** A worker resolves packages as its parent does; the flag may have its value beside it. */
function conditionsOf(flags: readonly string[]): string[] {
  return flags.filter((flag, at) => flag.startsWith('--conditions=') || flag === '--conditions' || flags[at - 1] === '--conditions');
}

import { availableParallelism } from 'node:os';
import { Failure } from '@millrace/kernel';
import type { ModelFiles } from './model-files.ts';
import { SessionProcess } from './session-process.ts';

export interface PoolOptions {
  /** The maximum number of sessions; one per core by default. */
  sessions?: number;
  /** Sessions beyond the first end after this time without work: each holds a copy of the model. */
  idleMs?: number;
}

interface Task {
  texts: string[];
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
  cancelled: boolean;
}

/** Texts in one request: few enough that a query soon gets its turn. */
const SLICE = 4;

/** Sessions in processes of their own, started as the work needs them. */
export class SessionPool {
  readonly #files: ModelFiles;
  readonly #most: number;
  readonly #idleMs: number;
  readonly #sessions = new Map<SessionProcess, { idle?: NodeJS.Timeout }>();
  /** Queries do not wait behind the passages of an indexing run. */
  readonly #urgent: Task[] = [];
  readonly #waiting: Task[] = [];
  #closed = false;

  constructor(files: ModelFiles, options: PoolOptions = {}) {
    this.#files = files;
    this.#most = Math.max(1, options.sessions ?? availableParallelism());
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
    const sessions = [...this.#sessions.keys()];
    for (const task of [...this.#urgent.splice(0), ...this.#waiting.splice(0)]) task.reject(closed());
    await Promise.all(sessions.map((session) => session.kill()));
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

  /** Gives every free session work, and starts further ones while there is more. */
  #dispatch(): void {
    for (;;) {
      const free = [...this.#sessions.keys()].find((session) => !session.busy);
      if (!free && this.#sessions.size >= this.#most) return;
      const task = this.#next();
      if (!task) return;
      void this.#run(free ?? this.#start(), task);
    }
  }

  async #run(session: SessionProcess, task: Task): Promise<void> {
    clearTimeout(this.#sessions.get(session)?.idle);
    try {
      task.resolve(await session.embed(task.texts));
    } catch (error) {
      task.reject(this.#closed && error instanceof Failure ? closed() : error);
    }
    this.#dispatch();
    if (!session.busy) this.#rest(session);
  }

  #start(): SessionProcess {
    const session = new SessionProcess(this.#files, () => this.#sessions.delete(session));
    this.#sessions.set(session, {});
    return session;
  }

  #rest(session: SessionProcess): void {
    const kept = this.#sessions.get(session);
    if (!kept) return;
    kept.idle = setTimeout(() => {
      if (this.#sessions.size === 1) return;
      this.#sessions.delete(session);
      void session.kill();
    }, this.#idleMs).unref();
  }
}

function closed(): Failure {
  return new Failure('cancelled', 'The embedding model was closed');
}

import { randomUUID } from 'node:crypto';
import { Failure } from './failure.ts';
import type { Clock, Closed, JobJournal, JobState, Log, Progress } from './ports.ts';

export interface JobRequest<Result> {
  tool: string;
  key: string;
  userId: string;
  /** The caller's own signal and progress: they end with the call, not with the job. */
  signal: AbortSignal;
  progress: Progress;
  work(signal: AbortSignal, progress: Progress): Promise<Result>;
}

export type JobOutcome<Result> = { finished: true; value: Result } | { finished: false; job: JobState };

interface Running {
  state: JobState;
  finished: Promise<unknown>;
  stop: AbortController;
  listeners: Set<Progress>;
}

const PROGRESS_JOURNAL_MS = 1000;

/** Work that outlives the call that started it. A call with the same key attaches to what is already running. */
export class Jobs {
  #running = new Map<string, Running>();
  #options: { journal: JobJournal; clock: Clock; log: Log; patienceMs: number };

  constructor(options: { journal: JobJournal; clock: Clock; log: Log; patienceMs?: number }) {
    this.#options = { ...options, patienceMs: options.patienceMs ?? 45_000 };
  }

  async run<Result>(request: JobRequest<Result>): Promise<JobOutcome<Result>> {
    const key = `${request.tool}:${request.key}`;
    const running = this.#running.get(key) ?? this.#start(key, request);
    running.listeners.add(request.progress);
    let patience: NodeJS.Timeout | undefined;
    const cancelled = () => {
      running.listeners.delete(request.progress);
      if (running.listeners.size === 0) running.stop.abort(new Failure('cancelled', 'The job was cancelled'));
    };
    request.signal.addEventListener('abort', cancelled, { once: true });
    try {
      const value = await Promise.race([
        running.finished.then((result) => ({ finished: true as const, value: result as Result })),
        new Promise<{ finished: false; job: JobState }>((resolve) => {
          patience = setTimeout(() => resolve({ finished: false, job: running.state }), this.#options.patienceMs);
        }),
      ]);
      return value;
    } finally {
      clearTimeout(patience);
      running.listeners.delete(request.progress);
      request.signal.removeEventListener('abort', cancelled);
    }
  }

  /** Registered without awaiting, so that two simultaneous calls start one job. */
  #start<Result>(key: string, request: JobRequest<Result>): Running {
    const { journal, clock, log } = this.#options;
    const stop = new AbortController();
    const state: JobState = {
      id: randomUUID(),
      tool: request.tool,
      key: request.key,
      userId: request.userId,
      status: 'running',
      progress: { done: 0, total: null, message: '' },
      startedAt: clock.now(),
      updatedAt: clock.now(),
    };
    const listeners = new Set<Progress>();
    let journaledAt = 0;
    const journaled = (change: Parameters<JobJournal['update']>[1]) =>
      journal.update(state.id, change).catch((error: unknown) => log.warn({ err: error, job: state.id }, 'could not journal a job'));
    const progress: Progress = (done, total, message) => {
      state.progress = { done, total: total ?? null, message: message ?? '' };
      state.updatedAt = clock.now();
      for (const listener of listeners) listener(done, total, message);
      if (performance.now() - journaledAt < PROGRESS_JOURNAL_MS) return;
      journaledAt = performance.now();
      void journaled({ progress: state.progress });
    };
    const begun = journal.start(state);
    const finished = begun
      .then(() => request.work(stop.signal, progress))
      .then(
        async (value) => {
          await journaled({ status: 'completed', progress: state.progress });
          return value;
        },
        async (error: unknown) => {
          await journaled({ status: stop.signal.aborted ? 'cancelled' : 'failed', progress: state.progress });
          // A caller that still waits reports the failure; without one, only the log does.
          if (listeners.size === 0 && !stop.signal.aborted) log.error({ err: error, job: state.id, tool: state.tool }, 'a job failed');
          throw error;
        },
      )
      .finally(() => this.#running.delete(key));
    finished.catch(() => {});
    const running: Running = { state, finished, stop, listeners };
    this.#running.set(key, running);
    return running;
  }

  /** Stops every running job when the server shuts down. */
  async close(): Promise<Closed> {
    const all = [...this.#running.values()];
    const brokenOff = all.filter((job) => !job.stop.signal.aborted).map((job) => job.state.tool);
    if (brokenOff.length > 0) this.#options.log.warn({ tools: brokenOff }, 'stopped running jobs: the server is shutting down');
    for (const job of all) job.stop.abort(new Failure('cancelled', 'The server is shutting down'));
    await Promise.allSettled(all.map((job) => job.finished));
    return { brokenOff: brokenOff.length > 0 };
  }
}

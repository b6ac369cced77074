import { Failure } from '@millrace/kernel';
import type { NodeRun, RunResult } from './engine.ts';
import type { PooledProcess, ProcessPool } from './process-pool.ts';
import type {
  CallAnswer,
  CallRequest,
  CodeOutcome,
  CodeTask,
  FromCode,
  FromEngine,
  HelperOutcome,
  HelperRequest,
  RunError,
  RunOrder,
  ToCode,
  ToEngine,
} from './protocol.ts';

export interface RunParts {
  process: PooledProcess<ToEngine, FromEngine>;
  codePool: CodePool;
  order: RunOrder;
  /** Finds a workflow that the running one calls. */
  planCall(request: CallRequest): Promise<CallAnswer>;
  timeoutMs: number;
  signal: AbortSignal;
}

export type CodePool = ProcessPool<ToCode, FromCode>;

const MOST_LOGS = 500;

/** One run in one engine process: gathers what it tells, and kills it when it takes too long or nobody waits any more. */
export class Run {
  readonly #parts: RunParts;
  readonly #runs: NodeRun[] = [];
  readonly #logs: string[] = [];
  readonly #over = new AbortController();
  readonly #started = performance.now();
  readonly #code: CodeRunner;
  readonly #outcome = Promise.withResolvers<RunResult>();
  /** The last request that did not reach its host: n8n knows only that a connection broke. */
  #unreached: string | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#code = new CodeRunner(parts.codePool, this.#over.signal, (request) => this.#send({ kind: 'helper', ...request }));
  }

  async result(): Promise<RunResult> {
    const { process, order, timeoutMs, signal } = this.#parts;
    const timeout = setTimeout(() => this.#over.abort('timeout'), timeoutMs);
    const cancelled = () => this.#over.abort('cancelled');
    signal.addEventListener('abort', cancelled, { once: true });
    if (signal.aborted) cancelled();
    try {
      const { promise, resolve } = this.#outcome;
      const died = () => resolve(this.#result('error', this.#death()));
      const listen = (message: FromEngine) => {
        const ended = this.#heard(message);
        if (ended) resolve(ended);
      };
      process.listeners.add(listen);
      process.note = (line) => {
        this.#unreached = line;
        this.#log(line);
      };
      // Unlike "exit", it comes after the last of stderr.
      process.child.once('close', died);
      this.#over.signal.addEventListener('abort', () => {
        process.listeners.delete(listen);
        process.child.off('close', died);
        if (this.#over.signal.reason === 'done') return;
        process.kill();
        resolve(this.#result(...this.#stopped()));
      });
      if (!this.#over.signal.aborted) this.#send({ kind: 'run', order });
      return await promise;
    } finally {
      clearTimeout(timeout);
      signal.removeEventListener('abort', cancelled);
      this.#over.abort('done');
      this.#code.close();
    }
  }

  #death(): RunError {
    const { process } = this.#parts;
    if (process.ranOutOfMemory) return { node: null, message: 'The run used more memory than a process of the engine may have' };
    const description = process.lastWords && `It last wrote: ${JSON.stringify(process.lastWords.slice(-300))}`;
    return { node: null, message: `The process of the engine ${process.end} during the run`, ...(description && { description }) };
  }

  #stopped(): [RunResult['status'], RunError] {
    const { timeoutMs } = this.#parts;
    if (this.#over.signal.reason === 'cancelled') return ['cancelled', { node: null, message: 'The run was cancelled' }];
    return ['timeout', { node: null, message: `The run took longer than ${timeoutMs} ms and was stopped` }];
  }

  #heard(message: FromEngine): RunResult | undefined {
    if (message.executionId !== this.#parts.order.executionId) return undefined;
    if (message.kind === 'node') this.#note(message.run);
    else if (message.kind === 'log') this.#log(message.line);
    else if (message.kind === 'code') void this.#runCode(message.task, message.code);
    else if (message.kind === 'helper-done') void this.#code.answer(message.call, message.outcome);
    else if (message.kind === 'call') void this.#planCall(message.task, message.request);
    else return this.#result(message.status, message.error && this.#explained(message.error), message.executionTime);
    return undefined;
  }

  #explained(error: RunError): RunError {
    return this.#unreached === undefined
      ? error
      : { ...error, description: [error.description, this.#unreached].filter(Boolean).join('. ') };
  }

  #note(run: NodeRun): void {
    this.#runs.push(run);
    const items = run.itemCounts ?? run.outputs.map((output) => output.length);
    this.#log(
      run.error
        ? `${run.node} failed after ${run.executionTime} ms: ${run.error.message}`
        : `${run.node} ran in ${run.executionTime} ms: ${items.length === 1 ? items[0] : items.join(' / ')} items`,
    );
  }

  #log(line: string): void {
    if (this.#logs.length < MOST_LOGS) this.#logs.push(line);
    else if (this.#logs.length === MOST_LOGS) this.#logs.push('… more was logged than is kept');
  }

  async #planCall(task: number, request: CallRequest): Promise<void> {
    try {
      const answer = await this.#parts.planCall(request).catch((error: unknown): CallAnswer => ({ ok: false, message: messageOf(error) }));
      if (!this.#over.signal.aborted) this.#send({ kind: 'call-planned', task, answer });
    } catch (error) {
      this.#outcome.reject(error);
    }
  }

  async #runCode(task: number, code: CodeTask): Promise<void> {
    try {
      const outcome = await this.#code
        .run(task, code)
        .catch((error: unknown): CodeOutcome => ({ ok: false, error: { message: messageOf(error) }, logs: [] }));
      if (!this.#over.signal.aborted) this.#send({ kind: 'code-done', task, outcome });
    } catch (error) {
      // Who waits for a process when the run is over is sent away: nobody listens any more.
      if (!this.#over.signal.aborted) this.#outcome.reject(error);
    }
  }

  #send(message: ToEngine): void {
    const { process } = this.#parts;
    if (process.send(message) || !process.alive) return;
    // Nothing can be left out of what a process waits for: the run ends here.
    process.kill();
    this.#outcome.resolve(this.#result('error', { node: null, message: 'The data of this run is too large for the embedded engine' }));
  }

  #result(status: RunResult['status'], error?: RunError, executionTime = performance.now() - this.#started): RunResult {
    return {
      executionId: this.#parts.order.executionId,
      status,
      runs: this.#runs,
      ...(error && { error }),
      logs: this.#logs,
      executionTime: Math.round(executionTime),
      where: 'embedded',
    };
  }
}

/** What a workflow learns about a request of its own that failed; a bug of ours ends the run instead. */
function messageOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  throw error;
}

/** The scripts of one run: they share a process, and the next run gets a fresh one. */
class CodeRunner {
  readonly #pool: CodePool;
  readonly #signal: AbortSignal;
  /** Hands on what a script asks of n8n. */
  readonly #ask: (request: HelperRequest) => void;
  #process: Promise<PooledProcess<ToCode, FromCode>> | undefined;

  constructor(pool: CodePool, signal: AbortSignal, ask: (request: HelperRequest) => void) {
    this.#pool = pool;
    this.#signal = signal;
    this.#ask = ask;
  }

  async run(task: number, code: CodeTask): Promise<CodeOutcome> {
    if (this.#process && !(await this.#process).alive) this.#process = undefined;
    this.#process ??= this.#pool.take(this.#signal);
    const process = await this.#process;
    const { child } = process;
    return new Promise((resolve) => {
      const settle = (outcome: CodeOutcome) => {
        process.listeners.delete(heard);
        child.off('close', died);
        resolve(outcome);
      };
      const heard = (message: FromCode) => {
        if (message.task !== task) return;
        if (message.kind === 'done') settle(message.outcome);
        else this.#ask({ task, call: message.call, name: message.name, parameters: message.parameters });
      };
      const died = () => {
        const message = process.ranOutOfMemory
          ? 'The script used more memory than it may have here'
          : `The process of the script ${process.end}`;
        settle({ ok: false, error: { message }, logs: [] });
      };
      process.listeners.add(heard);
      // Unlike "exit", it comes after the last of stderr.
      child.once('close', died);
      if (!process.send({ kind: 'code', task, code }))
        settle({ ok: false, error: { message: 'The data of this workflow is too large to hand to a script here' }, logs: [] });
    });
  }

  async answer(call: number, outcome: HelperOutcome): Promise<void> {
    const process = await this.#process?.catch(() => undefined);
    if (!process || process.send({ kind: 'helper-done', call, outcome })) return;
    const error = { message: 'What was asked for is too large to hand to a script here' };
    process.send({ kind: 'helper-done', call, outcome: { ok: false, error } });
  }

  /** Ends the process, and lets the pool make the next one ready. */
  close(): void {
    this.#process?.then(
      (process) => this.#pool.renew(process),
      () => {},
    );
  }
}

import type { PooledProcess, ProcessPool } from './process-pool.ts';
import type { CodeOutcome, CodeTask, FromCode, HelperOutcome, HelperRequest, ToCode } from './protocol.ts';

export type CodePool = ProcessPool<ToCode, FromCode>;

/** The scripts of one run: they share a process, and the next run gets a fresh one. */
export class CodeRunner {
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
    const error = { message: 'What was asked for is too large to hand to a script here' };
    if (process && !process.send({ kind: 'helper-done', call, outcome }))
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

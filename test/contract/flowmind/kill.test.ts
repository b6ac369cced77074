import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Envelope, Run } from '../../harness/flowmind-replies.ts';
import { verifies } from '../../requirements.ts';

const WORKER = new URL('./kill-worker.ts', import.meta.url).pathname;

class Worker {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(paths: string[]) {
    this.#child = spawn(process.execPath, [WORKER, ...paths], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdin?.on('error', () => {});
    if (!this.#child.stdout) throw new Error('no output');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async next<Reply>(): Promise<Reply | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : (JSON.parse(value) as Reply);
  }

  send(request: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

async function places() {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ledger = join(folder, 'ledger.txt');
  await writeFile(ledger, '');
  return { paths: [ledger, folder], entries: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean) };
}

/** Answers whatever the session asks; for an entry whose outcome is unknown it looks into the ledger, as a person would. */
function answerTo(run: Run, entries: string[]): unknown {
  if (run.reason !== 'outcome_unknown') return 'done';
  return entries.includes(`entry ${run.variables['i']}`) ? 'it happened' : 'do it again';
}

verifies(
  'flowmind-execute-session-durable',
  'a session that is killed again and again continues, and enters every line once',
  async () => {
    const { paths, entries } = await places();
    let session: string | undefined;
    let run: Run | undefined;
    let asked = 0;
    for (let life = 0; run?.status !== 'completed' && life < 20; life++) {
      const worker = new Worker(paths);
      await worker.next();
      const replied = Promise.withResolvers<void>();
      const death = life < 6 ? replied.promise.then(() => sleep(4 + ((life * 11) % 29))).then(() => worker.kill()) : undefined;
      while (run?.status !== 'completed') {
        const base = { workflow_uri: 'workflow://ledger', ...(session && { session_id: session }) };
        worker.send({ tool: 'execute_workflow', parameters: base });
        const shown: Envelope | undefined = await worker.next<Envelope>();
        replied.resolve();
        if (!shown?.result) break;
        run = shown.result;
        session = run.session_id;
        if (run.status === 'completed' || !run.question) continue;
        if (run.reason === 'outcome_unknown') asked++;
        worker.send({
          tool: 'execute_workflow',
          parameters: { ...base, session_id: session, step_result: { question_id: run.question.id, value: answerTo(run, entries()) } },
        });
        const next: Envelope | undefined = await worker.next<Envelope>();
        if (!next) break;
        expect(next.error).toBeUndefined();
        run = next.result;
      }
      await death;
      await worker.kill();
    }
    expect(run).toMatchObject({ status: 'completed', output: 6 });
    expect(entries()).toEqual(['entry 1', 'entry 2', 'entry 3', 'entry 4', 'entry 5', 'entry 6']);
    expect(asked).toBeLessThan(12);
  },
  60_000,
);

verifies(
  'flowmind-execute-session-durable',
  'an autonomous run whose process was killed is resumed by the next one',
  async () => {
    const { paths, entries } = await places();
    const first = new Worker(paths);
    await first.next();
    first.send({ tool: 'execute_workflow', parameters: { workflow_uri: 'workflow://alone', execution_mode: 'autonomous' } });
    await expect.poll(() => entries().length, { timeout: 10_000, interval: 1 }).toBeGreaterThan(1);
    await first.kill();
    const second = new Worker(paths);
    await second.next();
    let status: { status: string; reason: string | null; id: string } | undefined;
    await expect
      .poll(async () => {
        second.send({ list: true });
        [status] = (await second.next<{ status: string; reason: string | null; id: string }[]>()) ?? [];
        return status?.status;
      })
      .not.toBe('running');
    const base = { workflow_uri: 'workflow://alone', session_id: status?.id };
    second.send({ tool: 'execute_workflow', parameters: base });
    let run = (await second.next<Envelope>())?.result;
    if (run?.reason === 'outcome_unknown') {
      second.send({
        tool: 'execute_workflow',
        parameters: { ...base, step_result: { question_id: run.question?.id, value: answerTo(run, entries()) } },
      });
      run = (await second.next<Envelope>())?.result;
    }
    expect(run).toMatchObject({ status: 'completed', output: 6 });
    expect(entries()).toEqual(['entry 1', 'entry 2', 'entry 3', 'entry 4', 'entry 5', 'entry 6']);
    await second.kill();
  },
  60_000,
);

// Sessions of FlowMind on SQLite with synchronous=FULL, each transition with its commit: node bench/flowmind-execution.ts [transitions]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Catalog, Failure, jsonReply, type Toolset } from '@millrace/kernel';
import { migrate, openSqlite, openStorage, SqliteStore } from '@millrace/storage';
import type { Run } from '../test/harness/flowmind-replies.ts';
import { workshop } from '../test/harness/workshop.ts';

import { type FlowmindTables, flowmindMigrations, sessionMigrations } from '../toolsets/flowmind/migrations.ts';
import { assemble, type Fixture } from '../toolsets/flowmind/testing/assembly.ts';
import { flowmindToolset } from '../toolsets/flowmind/toolset.ts';
import { median, percentile, table } from './measure.ts';

const TRANSITIONS = Number(process.argv[2] ?? 1_000);
const SESSIONS = 1_000;
const AT_ONCE = 50;
const RESUMES = 5;

const STEPS = `
metadata: {id: steps, description: One step after another}
flow:
  - set: {i: 0}
  - while: true
    max_iterations: 10000
    do:
      - increment: i
      - if: i % 2 == 0
        then: [{set: {even: true}}]
      - step: Think
        instruction: "Round \${i}"
        store_as: thought
`;

const CALLS = STEPS.replace('id: steps', 'id: calls').replace(
  '      - step: Think',
  '      - {call: note_down, with: {text: x}}\n      - step: Think',
);

async function open(folder: string): Promise<Fixture> {
  const store = new SqliteStore<FlowmindTables>(openSqlite({ path: join(folder, 'bench.db'), synchronous: 'FULL' }));
  await migrate(store, sessionMigrations, new Date());
  return assemble(folder, { contexts: [STEPS, CALLS], toolsets: [workshop(Failure).toolset], store });
}

const unlimited = { constraints: { max_steps: 100 } };

async function transitions(flowmind: Fixture, uri: string, count: number, between: () => void = () => {}): Promise<number[]> {
  const times: number[] = [];
  let run: Run | undefined;
  while (times.length < count) {
    run = run && run.steps_done < 90 ? run : await flowmind.run(uri, unlimited);
    const started = performance.now();
    run = await flowmind.answer(run, 'thought');
    times.push(performance.now() - started);
    between();
  }
  return times;
}

/** The same with everything that the server adds: teaching, levels, audit, pending calls. */
async function served(folder: string, count: number): Promise<number[]> {
  const clock = { now: () => new Date() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const workspace = join(folder, 'workspace');
  mkdirSync(join(workspace, 'contexts'), { recursive: true });
  writeFileSync(join(workspace, 'contexts', 'steps.yaml'), STEPS);
  const storage = await openStorage({ home: join(folder, 'home'), clock, migrations: flowmindMigrations });
  const owner = { id: 'owner', name: 'owner', level: 'advanced' as const, owner: true };
  let catalog: Catalog | undefined;
  const toolset = flowmindToolset({
    store: storage.store,
    counter: storage.counters,
    catalog: () => catalog as Catalog,
    clock,
    log,
    workspace,
    signingKey: new Uint8Array(32),
  });
  catalog = new Catalog(
    [toolset as Toolset],
    {},
    {
      clock,
      log,
      auditLog: storage.audit,
      identity: { identify: () => owner },
      limiter: { enter: async () => () => {} },
      unknownTool: (failure) => jsonReply({ error: failure.message }, true, failure),
      pendingCalls: storage.pendingCalls,
      jobs: storage.jobs,
    },
  );
  const call = async (parameters: object) => {
    const reply = await catalog?.call(
      'execute_workflow',
      { workflow_uri: 'workflow://steps', ...parameters },
      { credentials: { kind: 'local' } },
    );
    const { result } = (reply?.structured ?? {}) as { result?: Run };
    if (!result) throw new Error(reply?.text);
    return result;
  };
  const times: number[] = [];
  let run: Run | undefined;
  while (times.length < count) {
    run = run && run.steps_done < 90 ? run : await call(unlimited);
    const started = performance.now();
    run = await call({ session_id: run.session_id, step_result: { question_id: run.question?.id, value: 'thought' } });
    times.push(performance.now() - started);
  }
  await catalog.close();
  await storage.close();
  return times;
}

/** The least that a durable transition can cost here: one row, one commit. Measured in turn with the transitions, for a fair ratio. */
function bareCommits(folder: string): { commit(): void; times: number[]; close(): void } {
  const connection = openSqlite({ path: join(folder, 'bare.db'), synchronous: 'FULL' });
  connection.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, state TEXT)');
  const write = connection.prepare('INSERT INTO bare (id, state) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state');
  const times: number[] = [];
  return {
    times,
    commit() {
      const started = performance.now();
      write.run(`${times.length}`.padEnd(1_500, 'x'));
      times.push(performance.now() - started);
    },
    close: () => connection.close(),
  };
}

async function many(flowmind: Fixture): Promise<{ startMs: number; answerMs: number; times: number[]; heapMb: number }> {
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const runs = await inBatches(Array.from({ length: SESSIONS }), () => flowmind.run('workflow://steps', unlimited));
  const begun = performance.now();
  const times: number[] = [];
  const answered = await inBatches(runs, async (run) => {
    const at = performance.now();
    const next = await flowmind.answer(run, 'thought');
    times.push(performance.now() - at);
    return next;
  });
  const ended = performance.now();
  if (answered.some((run) => run.status !== 'awaiting_step' || run.steps_done !== 1)) throw new Error('a session did not continue');
  return { startMs: begun - started, answerMs: ended - begun, times, heapMb: (process.memoryUsage().rss - before) / 2 ** 20 };
}

async function inBatches<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return results;
}

/** From the start of a new process to the reply of the session that the killed one had. */
async function resumed(folder: string): Promise<{ wall: number; open: number }> {
  const first = worker(folder);
  const { session_id, question } = (await first.ask({ start: true })) as Run;
  await first.kill();
  const started = performance.now();
  const second = worker(folder);
  const reply = (await second.ask({ session_id, question_id: question?.id })) as Run & { readyMs: number };
  const wall = performance.now() - started;
  if (reply.steps_done !== 1) throw new Error('the session did not continue');
  await second.kill();
  return { wall, open: reply.readyMs };
}

function worker(folder: string) {
  const child = spawn(process.execPath, [import.meta.filename, 'worker', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(request: unknown): Promise<unknown> {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return JSON.parse((await lines.next()).value ?? 'null');
    },
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function work(folder: string): Promise<void> {
  const started = performance.now();
  const flowmind = await open(folder);
  for await (const line of createInterface({ input: process.stdin })) {
    const { start, session_id, question_id } = JSON.parse(line);
    const run = start
      ? await flowmind.run('workflow://steps')
      : await flowmind.result('execute_workflow', {
          workflow_uri: 'workflow://steps',
          session_id,
          step_result: { question_id, value: 'x' },
        });
    process.stdout.write(`${JSON.stringify({ ...run, readyMs: performance.now() - started })}\n`);
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  try {
    const flowmind = await open(folder);
    await transitions(flowmind, 'workflow://steps', 100);
    const baseline = bareCommits(folder);
    const pure = await transitions(flowmind, 'workflow://steps', TRANSITIONS, baseline.commit);
    const bare = baseline.times;
    baseline.close();
    const calling = await transitions(flowmind, 'workflow://calls', TRANSITIONS / 2);
    const whole = await served(folder, TRANSITIONS / 2);
    const crowd = await many(flowmind);
    const lives: { wall: number; open: number }[] = [];
    for (let index = 0; index < RESUMES; index++) lives.push(await resumed(folder));
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    const base = median(bare);
    const row = (what: string, times: number[], goal: string) => [
      what,
      ms(median(times)),
      ms(percentile(times, 95)),
      `${(median(times) / base).toFixed(1)} ×`,
      goal,
    ];
    process.stdout.write(
      table(
        ['what', 'p50', 'p95', 'to a bare commit', 'goal'],
        [
          row('bare commit of one row, synchronous=FULL', bare, ''),
          row('transition: answer, advance, commit, reply', pure, '≤ 5 ms p50'),
          row('the same in the whole toolset: teaching, levels, audit on disk', whole, ''),
          row('transition with a tool call that must not happen twice (two commits)', calling, ''),
          row(`transition while ${SESSIONS} sessions are in flight, ${AT_ONCE} at once (with the wait for the others)`, crowd.times, ''),
          [
            `${SESSIONS} sessions begun in one process`,
            ms(crowd.startMs / SESSIONS),
            '',
            '',
            `${crowd.heapMb.toFixed(0)} MB more resident`,
          ],
          [`${SESSIONS} sessions answered`, ms(crowd.answerMs / SESSIONS), '', '', 'each'],
          row(
            'resume after kill -9: new process to reply',
            lives.map((life) => life.wall),
            '≤ 1000 ms',
          ),
          row(
            'of which: open, migrate, load, continue',
            lives.map((life) => life.open),
            '',
          ),
        ],
      ),
    );
    await flowmind.catalog.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === 'worker') await work(process.argv[3] as string);
else await main();

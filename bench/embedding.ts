/**
 * The local model in separate processes, compared with the worker threads used before: `node bench/embedding.ts [pairs]`.
 * Both sides are loaded and embed the same small batches in turn, so that a busy machine slows both down. Processor time
 * and memory are those of a side's process and its children.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { findModel, type ModelFiles } from '../packages/models/src/local/model-files.ts';
import { median, table } from './measure.ts';
import { cpuSeconds, memoryMb } from './processes.ts';

const SIDES = ['threads', 'processes'] as const;
type Side = (typeof SIDES)[number];
type Embed = (texts: readonly string[]) => Promise<unknown>;

const BATCH = 32;
const STARTS = 5;
const TEXTS = Array.from({ length: BATCH }, (_, index) =>
  `Order ${index} goes from the checkout service to the billing service, which writes an invoice and tells the warehouse. `.repeat(6),
);

/** The time of one batch, including loading the model for the first one. */
interface Batch {
  ms: number;
  cpuMs: number;
  memoryMb: number;
  privateMb: number;
}

/** Loaded separately: only one of the two has native code in this process. */
const pools: Record<Side, (files: ModelFiles, sessions: number) => Promise<Embed>> = {
  async threads(files, sessions) {
    const { ThreadPool } = await import('./baseline/embedding-threads.ts');
    const pool = new ThreadPool(files, sessions);
    return (texts) => pool.embed(texts);
  },
  async processes(files, sessions) {
    const { SessionPool } = await import('../packages/models/src/local/session-pool.ts');
    const pool = new SessionPool(files, { sessions });
    return (texts) => pool.embed(texts, false);
  },
};

async function serve(side: Side, sessions: number): Promise<void> {
  const files = await findModel({ folders: [] });
  let embed: Promise<Embed> | undefined;
  process.on('message', async (count: number) => {
    const [began, cpu] = [performance.now(), cpuSeconds(process.pid)];
    embed ??= pools[side](files, sessions);
    await (await embed)(TEXTS.slice(0, count));
    const spent = { ms: performance.now() - began, cpuMs: (cpuSeconds(process.pid) - cpu) * 1000 };
    process.send?.({ ...spent, memoryMb: memoryMb(process.pid, 'Pss'), privateMb: memoryMb(process.pid, 'Anonymous') } satisfies Batch);
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

async function started(side: Side, sessions: number): Promise<ChildProcess> {
  const child = fork(import.meta.filename, [side, String(sessions)]);
  await once(child, 'message');
  return child;
}

async function batch(child: ChildProcess, count: number): Promise<Batch> {
  child.send(count);
  const [reply] = await once(child, 'message');
  return reply as Batch;
}

/** Runs something on both sides, the order changing from pair to pair. */
async function inPairs(pairs: number, run: (side: Side) => Promise<Batch>): Promise<Record<Side, Batch[]>> {
  const found: Record<Side, Batch[]> = { threads: [], processes: [] };
  for (let pair = 0; pair < pairs; pair++) {
    for (const side of pair % 2 === 0 ? SIDES : SIDES.toReversed()) found[side].push(await run(side));
  }
  return found;
}

function row(name: string, found: Record<Side, Batch[]>, value: (batch: Batch) => number): string[] {
  const [before, after] = [found.threads.map(value), found.processes.map(value)];
  const ratio = median(after.map((each, pair) => each / (before[pair] as number)));
  return [name, median(before).toFixed(1), median(after).toFixed(1), `${ratio.toFixed(2)}×`];
}

async function compare(sessions: number, pairs: number): Promise<void> {
  const starts = await inPairs(STARTS, async (side) => {
    const child = await started(side, sessions);
    const first = await batch(child, 1);
    child.disconnect();
    return first;
  });
  const sides = { threads: await started('threads', sessions), processes: await started('processes', sessions) };
  await inPairs(2, (side) => batch(sides[side], BATCH));
  const batches = await inPairs(pairs, (side) => batch(sides[side], BATCH));
  for (const side of SIDES) sides[side].disconnect();
  process.stdout.write(`Sessions: ${sessions}. ${STARTS} pairs of starts, ${pairs} pairs of batches of ${BATCH} chunks, medians.\n\n`);
  process.stdout.write(
    table(
      ['', 'threads', 'processes', 'ratio'],
      [
        row('first vector, model not loaded (ms)', starts, ({ ms }) => ms),
        row('… processor time (ms)', starts, ({ cpuMs }) => cpuMs),
        row('chunks per second', batches, ({ ms }) => (BATCH * 1000) / ms),
        row('processor time of a chunk (ms)', batches, ({ cpuMs }) => cpuMs / BATCH),
        row('memory, shared pages counted once (MB)', batches, (each) => each.memoryMb),
        row('… of it private (MB)', batches, (each) => each.privateMb),
      ],
    ),
  );
}

const [first, second] = process.argv.slice(2);
if (first === 'threads' || first === 'processes') await serve(first, Number(second));
else for (const sessions of new Set([1, availableParallelism()])) await compare(sessions, Number(first ?? 10));

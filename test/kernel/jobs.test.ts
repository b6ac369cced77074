import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Jobs } from '../../packages/kernel/src/jobs.ts';
import { verifies } from '../requirements.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const journal = { start: async () => {}, update: async () => {}, get: async () => undefined };
const never = new AbortController().signal;

function jobs(patienceMs: number) {
  return new Jobs({ journal, clock: { now: () => new Date() }, log, patienceMs });
}

verifies('kernel-long-jobs', 'a job that outlasts its call returns its progress, continues, and is joined by calling again', async () => {
  const all = jobs(30);
  let runs = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const request = (progress: (done: number) => void) => ({
    tool: 'index',
    key: 'docs',
    userId: 'owner',
    signal: never,
    progress,
    async work(_signal: AbortSignal, report: (done: number, total?: number, message?: string) => void) {
      runs += 1;
      report(1, 3, 'one');
      await released;
      report(2, 3, 'two');
      await sleep(5);
      return 'done';
    },
  });
  const seen: number[] = [];
  const first = await all.run(request((done) => seen.push(done)));
  expect(first).toMatchObject({ finished: false, job: { status: 'running', progress: { done: 1, total: 3, message: 'one' } } });
  const second = all.run(request((done) => seen.push(done)));
  release();
  expect(await second).toEqual({ finished: true, value: 'done' });
  expect(runs).toBe(1);
  expect(seen).toEqual([1, 2]);
});

test('cancelling the last attached call stops the job', async () => {
  const all = jobs(10_000);
  const client = new AbortController();
  const running = all.run({
    tool: 'index',
    key: 'docs',
    userId: 'owner',
    signal: client.signal,
    progress() {},
    work: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  await sleep(5);
  client.abort();
  await expect(running).rejects.toMatchObject({ code: 'cancelled' });
});

test('a job that fails lets the next call start again', async () => {
  const all = jobs(1000);
  let runs = 0;
  const request = {
    tool: 'index',
    key: 'docs',
    userId: 'owner',
    signal: never,
    progress() {},
    async work() {
      runs += 1;
      if (runs === 1) throw new Error('no');
      return runs;
    },
  };
  await expect(all.run(request)).rejects.toThrow('no');
  expect(await all.run(request)).toEqual({ finished: true, value: 2 });
});

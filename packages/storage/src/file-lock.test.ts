import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { withFileLock } from './file-lock.ts';
import { processName, processNamed } from './process-identity.ts';

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  lock = join(folder, 'a.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ELSEWHERE = 'another-machine/pid:[1] 1 1 a-name a-turn';
const longAgo = () => utimesSync(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
const done = () => withFileLock(lock, {}, async () => 'done');

/** The name of a process of this machine that has ended. */
const gone = () => processNamed(spawnSync(process.execPath, ['-e', '0']).pid);

/** Another process that does something under the lock. */
async function holder(work: string): Promise<ChildProcess> {
  const script = `import { withFileLock } from '${join(import.meta.dirname, 'file-lock.ts')}';
    await withFileLock('${lock}', {}, async (lock) => { ${work} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('work under one lock happens one after the other, and leaves nothing behind', async () => {
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, () =>
      withFileLock(lock, {}, async ({ isHeld }) => {
        most = Math.max(most, ++running);
        expect(existsSync(lock)).toBe(true);
        expect(await isHeld()).toBe(true);
        await sleep(1);
        running--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('work that throws gives the lock back, and a missing folder is made', async () => {
  lock = join(folder, 'below', 'a.lock');
  await expect(withFileLock(lock, {}, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await done()).toBe('done');
});

test('two processes take turns', async () => {
  const file = join(folder, 'count');
  writeFileSync(file, '0');
  const add = `const fs = await import('node:fs'); console.log('began'); const count = Number(fs.readFileSync('${file}', 'utf8'));
    await new Promise((resolve) => setTimeout(resolve, 300)); fs.writeFileSync('${file}', String(count + 1));`;
  const waited = vi.fn();
  const child = await holder(add);
  await withFileLock(lock, { onWait: waited }, async () => writeFileSync(file, String(Number(readFileSync(file, 'utf8')) + 1)));
  expect(readFileSync(file, 'utf8')).toBe('2');
  expect(waited).toHaveBeenCalledTimes(1);
  if (child.exitCode === null) await once(child, 'exit');
});

test('the lock of a process that was killed is passed over at once', async () => {
  const child = await holder("console.log('began'); await new Promise((resolve) => setTimeout(resolve, 60_000));");
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(lock)).toBe(true);
  const began = performance.now();
  expect(await done()).toBe('done');
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('the lock of a killed process stands while its program still works', async () => {
  const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  onTestFinished(() => void worker.kill('SIGKILL'));
  writeFileSync(lock, `${gone()}\n${processNamed(worker.pid as number)}`);
  longAgo();
  await expect(withFileLock(lock, { signal: AbortSignal.timeout(300) }, async () => 'done')).rejects.toThrow();
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  expect(await done()).toBe('done');
});

test('a holder names its program in the lock', async () => {
  await withFileLock(lock, {}, async ({ isHeld, workedOnBy }) => {
    workedOnBy(process.ppid);
    await expect.poll(() => readFileSync(lock, 'utf8').split('\n')[1]).toBe(processNamed(process.ppid));
    expect(await isHeld()).toBe(true);
  });
  expect(existsSync(lock)).toBe(false);
});

test('a lock that nobody renews is passed over, whoever made it', async () => {
  for (const content of [ELSEWHERE, `${processName} stopped`, '{"token":"x","pid":1,"host":"of an earlier version"}', '']) {
    writeFileSync(lock, content);
    longAgo();
    expect(await done(), content).toBe('done');
  }
});

test('a lock of an unknown format or another machine is waited for while it is fresh', async () => {
  for (const content of [ELSEWHERE, '{"starter":99999999,"at":1}', '99999999.1.2']) {
    writeFileSync(lock, content);
    await expect(withFileLock(lock, { signal: AbortSignal.timeout(100) }, async () => 'done')).rejects.toThrow();
  }
});

test('an empty lock is one that is being written, for a moment', async () => {
  writeFileSync(lock, '');
  const began = performance.now();
  expect(await done()).toBe('done');
  expect(performance.now() - began).toBeGreaterThan(700);
});

test('a lock that is held is waited for, and renewed by its holder', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await withFileLock(lock, {}, async () => {
    longAgo();
    vi.advanceTimersByTime(10_000);
    await expect.poll(() => Date.now() - statSync(lock).mtimeMs).toBeLessThan(30_000);
  });
  writeFileSync(lock, `${processName} another-turn`);
  let entered = false;
  const work = withFileLock(lock, {}, async () => {
    entered = true;
  });
  await sleep(100);
  expect(entered).toBe(false);
  rmSync(lock);
  await work;
  expect(entered).toBe(true);
});

test('waiting ends with patience, or when it is cancelled, also behind work of this process', async () => {
  writeFileSync(lock, ELSEWHERE);
  const patience = { ms: 50, over: () => new Failure('conflict', 'in use') };
  await expect(withFileLock(lock, { patience }, async () => 'done')).rejects.toMatchObject({ code: 'conflict' });
  rmSync(lock);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = withFileLock(lock, {}, () => promise);
  const onWait = vi.fn();
  const cancelled = withFileLock(lock, { signal: AbortSignal.timeout(20), onWait }, async () => 'second');
  const third = withFileLock(lock, {}, async () => 'third');
  await expect(cancelled).rejects.toThrow();
  expect(onWait).toHaveBeenCalledTimes(1);
  expect(await Promise.race([third, sleep(50)])).toBeUndefined();
  resolve();
  await first;
  expect(await third).toBe('third');
});

test('the holder notices that it was passed over', async () => {
  await withFileLock(lock, {}, async ({ isHeld }) => {
    writeFileSync(lock, `${processName} another-turn`);
    expect(await isHeld()).toBe(false);
  });
  expect(existsSync(lock)).toBe(true);
});

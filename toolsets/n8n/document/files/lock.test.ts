import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withFileLock } from './lock.ts';

let folder: string;
let path: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
  path = join(folder, 'a.json');
  lock = join(folder, '.a.json.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NO_PROCESS = 2 ** 22 + 1;

test('work on one file happens one after the other, and leaves nothing behind', async () => {
  let running = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, () =>
      withFileLock(path, async ({ isHeld }) => {
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

test('work that throws gives the lock back', async () => {
  await expect(withFileLock(path, async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(path, async () => 'done')).toBe('done');
});

test('the lock of a process that is gone is passed over', async () => {
  writeFileSync(lock, JSON.stringify({ token: 'x', pid: NO_PROCESS, host: hostname() }));
  expect(await withFileLock(path, async () => 'done')).toBe('done');
});

test('a lock that nobody renews is passed over, whoever made it', async () => {
  for (const content of [JSON.stringify({ token: 'x', pid: 1, host: 'another machine' }), '']) {
    writeFileSync(lock, content);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    expect(await withFileLock(path, async () => 'done')).toBe('done');
  }
});

test('a lock that is held is waited for', async () => {
  writeFileSync(lock, JSON.stringify({ token: 'x', pid: process.ppid, host: hostname() }));
  let entered = false;
  const work = withFileLock(path, async () => {
    entered = true;
  });
  await sleep(100);
  expect(entered).toBe(false);
  rmSync(lock);
  await work;
  expect(entered).toBe(true);
});

test('the holder notices that it was passed over', async () => {
  await withFileLock(path, async ({ isHeld }) => {
    writeFileSync(lock, JSON.stringify({ token: 'another', pid: process.pid, host: hostname() }));
    expect(await isHeld()).toBe(false);
  });
  expect(existsSync(lock)).toBe(true);
});

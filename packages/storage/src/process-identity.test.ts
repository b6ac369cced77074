import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isGone, isRunning, processName } from './process-identity.ts';

const [machine, , begin] = processName.split(' ');

test('this process is there', () => {
  expect(isGone(`${processName} some-turn`)).toBe(false);
});

test('an earlier process with the same id is gone', () => {
  expect(isGone([machine, process.pid, begin, 'another-name'].join(' '))).toBe(true);
});

test('a process that ended is gone', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  expect(isGone([machine, child.pid, '-', 'a-name'].join(' '))).toBe(true);
});

test.runIf(process.platform === 'linux')('a process that ended but was not reaped by its parent is gone', async () => {
  // The shell turns into a program that never waits for its child.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  try {
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ');
    expect(isRunning(pid)).toBe(false);
    expect(isRunning(parent.pid as number)).toBe(true);
  } finally {
    parent.kill('SIGKILL');
  }
});

test('processes of other machines are unknown', () => {
  expect(isGone('another-machine/pid:[1] 1 1 a-name')).toBe(false);
  expect(isGone('nonsense')).toBe(false);
});

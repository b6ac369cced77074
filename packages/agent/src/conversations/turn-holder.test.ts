import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isGone, processName } from './turn-holder.ts';

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

test('of other machines nobody knows', () => {
  expect(isGone('another-machine/pid:[1] 1 1 a-name')).toBe(false);
  expect(isGone('nonsense')).toBe(false);
});

import { expect, test } from 'vitest';
import { startProblem } from './starts.ts';

const node = (script: string) => ({ command: process.execPath, args: ['-e', script, '--'], env: {} });

test('a program that prints its version starts', async () => {
  expect(await startProblem(node('console.log("1.2.3")'), process.env)).toBeUndefined();
  expect(await startProblem({ ...node('console.log(process.env.SAID)'), env: { SAID: '2.0.0' } }, {})).toBeUndefined();
});

test('explains why a program does not start', async () => {
  expect(await startProblem({ command: '/nowhere/node', args: [], env: {} }, {})).toBe('/nowhere/node does not exist');
  expect(await startProblem({ command: process.execPath, args: ['/nowhere/millrace.js'], env: {} }, {})).toContain(
    "Cannot find module '/nowhere/millrace.js'",
  );
  expect(await startProblem(node('process.exit(3)'), {})).toBe('it does not start');
  expect(await startProblem(node('console.log("hello")'), {})).toBe('it does not start');
  expect(await startProblem(node('setInterval(() => {}, 1000)'), {}, 300)).toBe('it does not answer within 0.3 seconds');
});

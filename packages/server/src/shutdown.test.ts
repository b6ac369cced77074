import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

const PROGRAM = new URL('./cli/run-program.ts', import.meta.url).href;

/** A program whose work is the given source, started and at work. */
async function started(work: string): Promise<{ child: ChildProcess; end: Promise<unknown>; said(): string }> {
  const source = `
    import { runProgram } from ${JSON.stringify(PROGRAM)};
    import { setTimeout as sleep } from 'node:timers/promises';
    process.exit(await runProgram('test', async (terminal, shutdown) => {
      terminal.out('ready');
      ${work}
    }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const end = once(child, 'exit').then(([code, signal]) => signal ?? code);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, end, said: () => said };
}

test('work that a signal stops exits with the code of the signal', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const { child, end, said } = await started('await sleep(60_000, undefined, { signal: terminal.signal }); return 0;');
    child.kill(signal);
    expect([await end, said()]).toEqual([code, '']);
  }
});

test('finished work keeps its exit code, and a failure its message', async () => {
  const finished = await started('await shutdown.requested; return 0;');
  finished.child.kill('SIGTERM');
  expect(await finished.end).toBe(0);
  const failed = await started('await shutdown.requested; terminal.signal.throwIfAborted(); return 0;');
  failed.child.kill('SIGTERM');
  expect([await failed.end, failed.said()]).toEqual([143, 'test: Stopped\n']);
});

test('a bug during shutdown is not hidden', async () => {
  const { child, end, said } = await started("await shutdown.requested; throw new TypeError('a bug');");
  child.kill('SIGTERM');
  expect(await end).toBe(1);
  expect(said()).toContain('TypeError: a bug');
});

test('work that does not stop is abandoned at the deadline', async () => {
  const { child, end } = await started('await sleep(60_000); return 0;');
  const asked = performance.now();
  child.kill('SIGTERM');
  expect(await end).toBe(143);
  expect(performance.now() - asked).toBeLessThan(3_000);
});

test('a second signal ends it at once, but not the same Ctrl-C that a wrapper passes on', async () => {
  const passedOn = await started('await shutdown.requested; await sleep(300); return 0;');
  passedOn.child.kill('SIGINT');
  passedOn.child.kill('SIGINT');
  expect(await passedOn.end).toBe(0);
  const twice = await started("await shutdown.requested; terminal.out('closing'); await sleep(60_000); return 0;");
  twice.child.kill('SIGINT');
  await sleep(700);
  twice.child.kill('SIGTERM');
  expect(await twice.end).toBe(143);
});

test('a program ends with the launcher that started it', async () => {
  const { child, end } = await started('await sleep(60_000, undefined, { signal: terminal.signal }); return 0;');
  child.disconnect();
  expect(await end).toBe(1);
});

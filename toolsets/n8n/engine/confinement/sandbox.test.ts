import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../test/harness/process.ts';
import { residentBytes, watchMemory } from './memory-watch.ts';
import { bestSandbox, isOpen, linuxSandbox } from './sandbox.ts';

const hasSandbox = (await bestSandbox()).level === 'full';

/** The sandbox as a machine with this program in place of bubblewrap finds it. */
async function sandboxWith(script?: string) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  if (script !== undefined) {
    writeFileSync(join(folder.path, 'bwrap'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder.path, 'bwrap'), 0o755);
  }
  return await linuxSandbox([folder.path]);
}

describe('the sandbox of this machine', () => {
  test.each([
    ['is not installed', undefined, 'bubblewrap is not installed'],
    [
      'may not make namespaces',
      'echo "bwrap: No permissions to create a new namespace" >&2; exit 1',
      'No permissions to create a new namespace',
    ],
    ['half works', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"', 'bubblewrap leaves open "the processes of this user"'],
    ['is something else', 'echo hello', 'bubblewrap does not work here'],
  ])('bubblewrap that %s is not trusted', async (_name, script, reason) => {
    const sandbox = await sandboxWith(script);
    expect(sandbox).toMatchObject({
      level: 'process',
      detail: expect.stringContaining(reason),
      fix: expect.stringContaining('bubblewrap'),
    });
    const command = { program: '/bin/sh', arguments: ['y'] };
    expect(sandbox.around(command, { readable: [], writable: [] })).toMatchObject(command);
  });

  test.skipIf(!hasSandbox)('a program in it sees its own files only, and may write where it may', async () => {
    const sandbox = await bestSandbox();
    expect(sandbox.level).toBe('full');
    const own = temporaryFolder();
    onTestFinished(() => own[Symbol.dispose]());
    const script = `const fs = require('fs');
      fs.writeFileSync(${JSON.stringify(join(own.path, 'x'))}, '1');
      process.stdout.write(JSON.stringify([process.pid < 5, fs.existsSync('/etc'), fs.readdirSync('/').includes('home'), Object.keys(process.env).length < 2]));`;
    const { program, arguments: given } = sandbox.around(
      { program: process.execPath, arguments: ['-e', script] },
      { readable: [], writable: [own.path] },
    );
    const { stdout, stderr } = spawnSync(program, given, { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['[true,true,false,true]', '']);
  });
});

test('root does not run workflows as itself, unless nobody could not read what they need', async () => {
  const sandbox = await sandboxWith();
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  expect([isOpen('/bin/sh'), isOpen(folder.path)]).toEqual([true, false]);
  const userWith = (readable: string[]) => sandbox.around({ program: '/bin/sh', arguments: [] }, { readable, writable: [] }).user?.uid;
  expect([userWith([]), userWith([folder.path])]).toEqual([process.getuid?.() === 0 ? 65534 : undefined, undefined]);
});

test.skipIf(process.platform !== 'linux')('memory of every kind counts, and that of children', async () => {
  const child = spawn(process.execPath, ['-e', 'const kept = Buffer.alloc(300e6, 1); setInterval(() => kept, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((exceeded) => {
    watchMemory(child.pid as number, 250e6, exceeded);
  });
  expect(residentBytes(child.pid as number)).toBeGreaterThan(250e6);
  expect(residentBytes(process.pid)).toBeGreaterThan(residentBytes(child.pid as number));
  expect(residentBytes(2 ** 30)).toBe(0);
});

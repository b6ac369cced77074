import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';

const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'packages/server/package.json'), 'utf8')) as {
  bin: Record<string, string>;
  version: string;
};

test('npm links every command of a checkout, and each starts', () => {
  expect(Object.keys(bin)).toEqual(['millrace', 'flowrag', 'flowrag-mcp']);
  for (const [name, path] of Object.entries(bin)) {
    expect(existsSync(join(ROOT, 'node_modules/.bin', name)), name).toBe(true);
    const { stdout } = spawnSync(process.execPath, [join(ROOT, 'packages/server', path), '--version'], { encoding: 'utf8' });
    expect(stdout, name).toBe(`${version}\n`);
  }
});

const OLD_NODE = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout = '' } = existsSync(path) ? spawnSync(path, ['--version'], { encoding: 'utf8' }) : {};
  return /^v(18|20)\./.test(stdout);
});

test.skipIf(!OLD_NODE)('an old Node hands over to the one that came with the packages', () => {
  const { stdout, status } = spawnSync(OLD_NODE as string, [join(ROOT, 'bin/millrace.js'), '--version'], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, `${version}\n`]);
});

test('messages name the command that works from where they are read', () => {
  using folder = temporaryFolder();
  const env = cleanEnvironment(folder.path);
  const told = (script: string, cwd: string, path = env.PATH as string) =>
    spawnSync(process.execPath, [script, 'servr'], { env: { ...env, PATH: path }, cwd, encoding: 'utf8' }).stderr.split('\n')[1];
  const checkout = join(ROOT, 'bin/millrace.js');
  expect(told(checkout, ROOT)).toBe('Did you mean: npx millrace serve');
  expect(told(checkout, folder.path)).toBe(`Did you mean: node ${checkout} serve`);
  symlinkSync(checkout, join(folder.path, 'millrace'));
  expect(told(join(folder.path, 'millrace'), '/', folder.path)).toBe('Did you mean: millrace serve');
});

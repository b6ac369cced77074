import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from '../harness/package.ts';
import { temporaryFolder } from '../harness/process.ts';

test('regression: a set-up waited with a sentence for a process that was dead', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(file, JSON.stringify({ pid, host: hostname() }));
  const lock = pathToFileURL(join(ROOT, 'scripts/setup/lock.mjs')).href;
  const script = `import { alone } from ${JSON.stringify(lock)}; await alone(${JSON.stringify(file)}, () => console.log('done'));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['done\n', '']);
});

import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/harness/process.ts';

test('compiled code that is not installed is reported with a code and a sentence that helps', () => {
  using folder = temporaryFolder();
  const copy = join(folder.path, 'load.cjs');
  cpSync(join(import.meta.dirname, 'load.cjs'), copy);
  const { load } = createRequire(import.meta.url)(copy) as { load(file: string): unknown };
  expect(() => load('better_sqlite3.node')).toThrow(
    expect.objectContaining({
      code: 'MILLRACE_NATIVE_MISSING',
      message: expect.stringContaining(`-${process.arch} is not installed. Install Millrace again with optional dependencies`),
    }),
  );
});

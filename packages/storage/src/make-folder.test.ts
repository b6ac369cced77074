import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeHome } from './make-folder.ts';

test('creates a folder and its parents, and leaves an existing one alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
  const deep = join(folder, 'a/b/c');
  makeFolder(deep, { mode: 0o700 });
  makeFolder(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  rmSync(folder, { recursive: true });
});

test.skipIf(!existsSync('/proc/self'))('a place where nothing can be created is an error, not an endless loop', () => {
  expect(() => makeFolder('/proc/none/deeper')).toThrow(/ENOENT|EACCES|EPERM/);
});

test('a home that is a file is called that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(() => makeHome(file)).toThrow(`${file} is not a folder`);
  expect(() => makeHome(join(file, 'below'))).toThrow('cannot be made');
  rmSync(folder, { recursive: true });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentsFolder } from './configuration.ts';
import manifest from './index.ts';

let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'flowrag-documents-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const places = () => ({ workspace, workingDirectory: workspace });

test('the folder is set in a file that is new, and everything else in one that exists is kept', async () => {
  expect(await documentsFolder.current(places())).toBeUndefined();
  const docs = join(workspace, 'docs');
  mkdirSync(docs);
  const file = documentsFolder.set(workspace, docs);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ docs });
  writeFileSync(file, '\uFEFF{"data":"./kept"}');
  expect(documentsFolder.set(workspace, docs)).toBe(file);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ data: './kept', docs });
  expect(await documentsFolder.current(places())).toBe(docs);
});

test('a broken file is refused and stays as it was', () => {
  const file = join(workspace, 'flowrag.config.json');
  writeFileSync(file, '{"docs": ');
  expect(() => documentsFolder.set(workspace, '/somewhere')).toThrow();
  expect(readFileSync(file, 'utf8')).toBe('{"docs": ');
});

test('the manifest hands out its commands and its documents folder', async () => {
  expect((await manifest.commands?.())?.map(({ name }) => name)).toContain(documentsFolder.command);
  expect(await manifest.documents?.()).toBe(documentsFolder);
});

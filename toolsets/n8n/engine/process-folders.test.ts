import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, code, start } from '../../../test/harness/n8n-workflows.ts';
import { PackReader } from '../catalogue/pack/pack-reader.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { processFolder, sweepProcessFolders } from './process-folders.ts';

test('folders of servers that are gone are removed, and no others', async () => {
  const own = await processFolder();
  const other = await mkdtemp(join(tmpdir(), 'millrace-n8n-'));
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await new Promise((resolve) => gone.once('exit', resolve));
  const left = join(dirname(own), basename(own).replace(`-${process.pid}-`, `-${gone.pid}-`));
  await rename(await processFolder(), left);
  await writeFile(join(left, 'file'), '');
  onTestFinished(async () => {
    for (const folder of [own, other, left]) await rm(folder, { recursive: true, force: true });
  });
  await sweepProcessFolders();
  expect([own, other, left].map((folder) => existsSync(folder))).toEqual([true, true, false]);
});

const home = sharedPackHome();

test.skipIf(!home)('processes leave nothing behind', async () => {
  const reader = new PackReader({ home: home as string, log: silentLog });
  const engine = new EmbeddedEngine(reader, { processes: 1 });
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('millrace-engine-') && name.includes(`-${process.pid}-`));
  await engine.run(chain(start, code('return []')), {}, { timeoutMs: 55_000, signal: new AbortController().signal });
  expect(folders()).not.toEqual([]);
  await engine.close();
  reader.close();
  await expect.poll(folders, { timeout: 20_000 }).toEqual([]);
});

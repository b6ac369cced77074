import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { sharedPackHome } from '../../../test/harness/n8n-pack.ts';
import { chain, code, start } from '../../../test/harness/n8n-workflows.ts';
import { PackReader } from '../catalogue/pack/pack-reader.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { ProcessPool, processFolder, sweepProcessFolders } from './process-pool.ts';

test("regression: a process that could not start was the engine pack's fault, whatever had happened", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'program.mjs');
  writeFileSync(script, "process.stderr.write('the last words\\n'); process.exitCode = 3;");
  const kind = {
    title: 'a test',
    script: pathToFileURL(script),
    arguments: () => [],
    readable: [],
    writes: false,
    memoryMb: 64,
    check: () => ({ kind: 'ready' as const }),
  };
  const pool = new ProcessPool(kind, { most: 1, idleMs: 1_000 });
  onTestFinished(() => pool.close());
  await expect(pool.take(new AbortController().signal)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The process for a test did not start: it ended with exit code 3',
    cause: { message: 'the last words' },
  });
});

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

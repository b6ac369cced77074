import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ProcessPool } from './process-pool.ts';

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

import { afterAll } from 'vitest';
import { silentLog } from '../../../test/harness/catalog.ts';
import { PackReader } from '../catalogue/pack/pack-reader.ts';
import type { Workflow } from '../document/workflow/model.ts';
import { EmbeddedEngine, type EngineLimits } from '../engine/embedded-engine.ts';
import type { CallableWorkflows, RunInput, RunResult } from '../engine/engine.ts';

export type TestRun = (
  workflow: Workflow,
  input?: RunInput,
  more?: { timeoutMs?: number; signal?: AbortSignal; callable?: CallableWorkflows },
) => Promise<RunResult>;

/** Runs workflows in the real engine of the pack in this home, for one test file. */
export function testEngine(home: string | undefined, limits: Partial<EngineLimits> = {}): TestRun {
  const reader = new PackReader({ home: home ?? 'nowhere', log: silentLog });
  const engine = new EmbeddedEngine(reader, { processes: 2, memoryMb: 256, mostNodeRuns: 500, ...limits });
  afterAll(async () => {
    await engine.close();
    reader.close();
  });
  return (workflow, input = {}, more = {}) =>
    engine.run(workflow, input, { timeoutMs: 55_000, signal: new AbortController().signal, ...more });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@millrace/kernel';
import { onTestFinished } from 'vitest';
import { workshop as workshopOf } from '../../../test/harness/workshop.ts';
import { assemble, type Fixture, type FixtureOptions } from './assembly.ts';

export { memoryStore } from './assembly.ts';

/** An assembly with a workspace of its own, which ends with the test. */
export async function flowmind(options: FixtureOptions = {}): Promise<Fixture> {
  const workspace = await mkdtemp(join(tmpdir(), 'millrace-flowmind-'));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  return assemble(workspace, options);
}

export const workshop = () => workshopOf(Failure);

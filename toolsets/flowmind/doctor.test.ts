import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { expect, onTestFinished, test } from 'vitest';
import { Registry } from './contexts/registry.ts';
import { flowmindChecks } from './doctor.ts';
import { type ContextTables, contextMigrations } from './migrations.ts';

test('contexts are counted, and files with errors are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new SqliteStore<ContextTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, contextMigrations, new Date());
  const checks = async () => {
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { now: () => new Date() };
    const registry = new Registry({ folders: [folder], library: undefined, published: async () => [], store, clock, log, watch: false });
    onTestFinished(() => registry.close());
    return flowmindChecks(registry);
  };
  await writeFile(join(folder, 'good.yaml'), 'metadata: { type: agent, id: good, name: Good, description: Helps }\n');
  expect(await checks()).toMatchObject([{ state: 'ok', detail: '1 to choose from' }]);
  const bad = join(folder, 'bad.yaml');
  await writeFile(bad, 'metadata: { type: workflow, id: bad, description: Bad }\nflow:\n  - if: "a =="\n    then: []\n');
  expect(await checks()).toMatchObject([{ state: 'broken', detail: `1 file has errors: ${bad}`, fix: { command: `context lint ${bad}` } }]);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog, Toolset } from '@millrace/kernel';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { expect, onTestFinished, test } from 'vitest';
import { flowmindMigrations, flowmindSettings, flowmindToolset } from '../../../toolsets/flowmind/index.ts';
import { testCatalog } from '../../harness/catalog.ts';
import { verifies } from '../../requirements.ts';
import { workshop } from './fixture.ts';

/** The toolset as the server makes it, without an embedder or a model. */
async function whole() {
  const workspace = await mkdtemp(join(tmpdir(), 'millrace-flowmind-'));
  // biome-ignore lint/suspicious/noExplicitAny: the tables of all parts together
  const store = new SqliteStore<any>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, flowmindMigrations, new Date());
  let catalog: Catalog | undefined;
  const counted = new Map<string, number>();
  const toolset = flowmindToolset({
    store,
    counter: {
      countDistinctSuccess: async (userId) => {
        counted.set(userId, (counted.get(userId) ?? 0) + 1);
        return counted.get(userId) ?? 0;
      },
      distinctSuccesses: async (userId) => counted.get(userId) ?? 0,
    },
    catalog: () => catalog as Catalog,
    clock: { now: () => new Date() },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    workspace,
    signingKey: new Uint8Array(32).fill(1),
  });
  const { toolset: tools, done } = workshop();
  const test = testCatalog([toolset as Toolset, tools]);
  catalog = test.catalog;
  onTestFinished(async () => {
    await catalog?.close();
    await store.close();
    await rm(workspace, { recursive: true, force: true });
  });
  return { ...test, toolset, done, workspace };
}

verifies('flowmind-tools-listed', 'the toolset publishes its six tools', async () => {
  const { toolset } = await whole();
  expect(toolset.tools.map((tool) => tool.name).sort()).toEqual([
    'compose_workflow',
    'evaluate_semantic_condition',
    'execute_workflow',
    'field_request',
    'get_help',
    'list_available_contexts',
  ]);
});

verifies(
  'flowmind-compose-save',
  'a saved workflow is found by field_request and runs',
  async () => {
    const { call } = await whole();
    const composed = await call('compose_workflow', {
      name: 'harbour-lantern-inventory',
      description: 'Counts the lanterns of the harbour and writes the inventory down',
      flow_type: 'sequential',
      save: true,
      components: [
        { uri: 'tool://workshop/look-up', role: 'primary', configuration: { text: 'lanterns' } },
        { uri: 'tool://workshop/note-down', role: 'primary', configuration: { text: 'inventory' } },
      ],
    });
    expect(composed.structured).toMatchObject({
      success: true,
      result: { checks: [], saved_path: join('contexts', 'workflows', 'harbour-lantern-inventory.yaml') },
    });
    const found = await call('field_request', {
      query: 'Count the lanterns of the harbour and write the inventory down',
      confidence_level: 0.5,
    });
    const { result } = found.structured as { result: { matches: { uri: string }[] } };
    expect(result.matches[0]?.uri).toBe('workflow://harbour-lantern-inventory');
    const ran = await call('execute_workflow', { workflow_uri: 'workflow://harbour-lantern-inventory' });
    expect(ran.structured).toMatchObject({ success: true, result: { status: 'completed' } });
  },
  30_000,
);

test('every built-in workflow previews without a missing context or a broken flow', async () => {
  const { call, toolset } = await whole();
  const contexts = (await toolset.services.registry.all('owner')).filter((context) => context.source.kind === 'builtin');
  expect(contexts.length).toBeGreaterThanOrEqual(40);
  for (const { uri } of contexts) {
    const reply = await call('execute_workflow', { workflow_uri: uri, dry_run: true });
    expect([uri, (reply.structured as { success: boolean }).success]).toEqual([uri, true]);
    expect(reply.text).not.toContain('which does not exist');
  }
}, 30_000);

test('the settings have their defaults, and a twin in the environment each', () => {
  expect(flowmindSettings.schema.parse({})).toEqual({ builtinContexts: 'on', levels: { intermediate: 10, advanced: 50 }, questionDays: 7 });
  expect(Object.keys(flowmindSettings.environment).sort()).toEqual([
    'builtinContexts',
    'contexts',
    'levels.advanced',
    'levels.intermediate',
    'questionDays',
  ]);
});

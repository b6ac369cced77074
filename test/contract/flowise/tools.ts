import { type FlowiseSettings, type FlowiseTables, flowiseSettings, flowiseToolset, migrations } from '@millrace/flowise';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { onTestFinished } from 'vitest';
import { type Behaviour, ReplayedFlowise } from '../../../toolsets/flowise/testing/replay.ts';
import { type TestCatalog, testCatalog } from '../../harness/catalog.ts';

export const KEY = 'test-key-0123456789abcdef';

export interface FlowiseTools extends TestCatalog {
  flowise: ReplayedFlowise;
}

/** Our tools in front of a replayed Flowise; both end with the test. */
export async function toolsOn(
  routes: Record<string, Behaviour>,
  settings: Partial<Record<keyof FlowiseSettings, unknown>> = {},
): Promise<FlowiseTools> {
  const flowise = await ReplayedFlowise.start(routes);
  onTestFinished(() => flowise.close());
  return { ...(await toolsAt({ apiUrl: flowise.url, apiKey: KEY, ...settings })), flowise };
}

export async function toolsAt(settings: Partial<Record<keyof FlowiseSettings, unknown>>): Promise<TestCatalog> {
  const store = new SqliteStore<FlowiseTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  const clock = { now: () => new Date() };
  await migrate(store, migrations, clock.now());
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const tools = testCatalog([flowiseToolset({ settings: flowiseSettings.schema.parse(settings), store, clock, log })]);
  onTestFinished(async () => {
    await tools.catalog.close();
    await store.close();
  });
  return tools;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are compared as literals
export function structured(reply: { structured: unknown }): any {
  return reply.structured;
}

/** A valid call of each of the eight published tools. */
export const EIGHT: Record<string, object> = {
  list_chatflows: {},
  get_chatflow: { chatflow_id: 'x' },
  create_chatflow: { name: 'x', flow_data: '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}' },
  update_chatflow: { chatflow_id: 'x', name: 'y' },
  delete_chatflow: { chatflow_id: 'x' },
  run_prediction: { chatflow_id: 'x', question: 'y' },
  deploy_chatflow: { chatflow_id: 'x', deployed: true },
  generate_agentflow_v2: { description: 'an agent that does something' },
};

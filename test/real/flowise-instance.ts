import { type FlowiseSettings, type FlowiseTables, flowiseSettings, flowiseToolset, migrations } from '@millrace/flowise';
import type { RunningFlowise } from '@millrace/flowise/engine';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { startRealFlowise } from '../../scripts/real-flowise.ts';
import { type TestCatalog, testCatalog } from '../harness/catalog.ts';
import { PlainApi } from './flowise-api.ts';
import type { FlowNeeds } from './flowise-flows.ts';
import { type StandInModel, startModel } from './flowise-model.ts';

/** A real Flowise, a stand-in model, and our tools in front of them. */
export interface Instance {
  flowise: RunningFlowise;
  model: StandInModel;
  api: PlainApi;
  needs: FlowNeeds;
  tools: TestCatalog;
  /** Our tools with other settings on the same Flowise. */
  toolsWith(settings: Partial<Record<keyof FlowiseSettings, unknown>>): Promise<TestCatalog>;
  close(): Promise<void>;
}

export async function startInstance(): Promise<Instance> {
  const [flowise, model] = await Promise.all([startRealFlowise(), startModel()]);
  const api = new PlainApi(flowise.url, flowise.apiKey);
  const needs = { modelUrl: model.url, credential: await api.credential() };
  const opened: TestCatalog[] = [];
  const toolsWith = async (settings: Partial<Record<keyof FlowiseSettings, unknown>>) => {
    const catalog = await flowiseTools({ apiUrl: flowise.url, apiKey: flowise.apiKey, modelInputs: { basepath: model.url }, ...settings });
    opened.push(catalog);
    return catalog;
  };
  return {
    flowise,
    model,
    api,
    needs,
    tools: await toolsWith({}),
    toolsWith,
    async close() {
      for (const { catalog } of opened) await catalog.close();
      await model.close();
      await flowise.stop();
    },
  };
}

/** Our tools alone, on a database in memory. */
export async function flowiseTools(settings: Partial<Record<keyof FlowiseSettings, unknown>>): Promise<TestCatalog> {
  const store = new SqliteStore<FlowiseTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  const clock = { now: () => new Date() };
  await migrate(store, migrations, clock.now());
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  return testCatalog([flowiseToolset({ settings: flowiseSettings.schema.parse(settings), store, clock, log })]);
}

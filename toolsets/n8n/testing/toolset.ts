import { join } from 'node:path';
import { Failure, nearest } from '@millrace/kernel';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { engineMissing, type NodeCatalogue, type NodeDescription, type NodePort } from '../document/workflow/model.ts';
import { type N8nTables, n8nMigrations } from '../migrations.ts';
import { n8nSettings } from '../settings.ts';
import { type N8nOptions, n8nToolset } from '../toolset.ts';

export type Pack = NonNullable<N8nOptions['pack']>;

const NOT_INSTALLED = { available: false, reason: 'it is not installed' } as const;

/** What there is when the engine pack is not installed. */
export const noPack: Pack = {
  catalogue: {
    ready: async () => NOT_INSTALLED,
    get: () => undefined,
    newestVersion: () => undefined,
    nearest: () => [],
    defaultParameters: (_type, _version, given) => given,
    inputsOf: () => undefined,
    outputsOf: () => undefined,
  },
  validator: {
    validate: async () => {
      throw new Failure('unavailable', 'Validation needs the n8n engine pack');
    },
  },
  engine: {
    ready: async () => NOT_INSTALLED,
    run: async () => {
      throw new Failure('unavailable', 'Running needs the n8n engine pack');
    },
  },
  search: {
    find: async () => {
      throw engineMissing('node_search', NOT_INSTALLED);
    },
  },
  runs: { keep: async () => {}, list: async () => [] },
  close: async () => {},
};

const MAIN: NodePort = { type: 'main', index: 0, name: 'main' };
const ports = (...names: string[]): NodePort[] => names.map((name, index) => ({ type: 'main', index, name }));
const sub = (type: string): NodePort => ({ type, index: 0, name: type });

/** Made-up node types with every kind of port, so that tests of editing need no pack. */
const TYPES: Record<
  string,
  { name: string; inputs: NodePort[]; outputs: NodePort[]; parameters: string[]; trigger?: true; webhook?: true }
> = {
  'n8n-nodes-base.manualTrigger': { name: 'When clicking', inputs: [], outputs: [MAIN], parameters: [], trigger: true },
  'n8n-nodes-base.webhook': {
    name: 'Webhook',
    inputs: [],
    outputs: [MAIN],
    parameters: ['path', 'httpMethod'],
    trigger: true,
    webhook: true,
  },
  'n8n-nodes-base.set': { name: 'Edit Fields', inputs: [MAIN], outputs: [MAIN], parameters: ['mode', 'assignments', 'options'] },
  'n8n-nodes-base.httpRequest': { name: 'HTTP Request', inputs: [MAIN], outputs: [MAIN], parameters: ['url', 'method', 'options'] },
  'n8n-nodes-base.if': { name: 'If', inputs: [MAIN], outputs: ports('true', 'false'), parameters: ['conditions', 'options'] },
  'n8n-nodes-base.filter': { name: 'Filter', inputs: [MAIN], outputs: ports('kept'), parameters: ['conditions', 'options'] },
  'n8n-nodes-base.merge': { name: 'Merge', inputs: ports('main', 'main'), outputs: [MAIN], parameters: ['mode', 'options'] },
  'n8n-nodes-base.splitInBatches': {
    name: 'Loop Over Items',
    inputs: [MAIN],
    outputs: ports('done', 'loop'),
    parameters: ['batchSize', 'options'],
  },
  '@n8n/n8n-nodes-langchain.agent': {
    name: 'AI Agent',
    inputs: [MAIN, { ...sub('ai_languageModel'), maxConnections: 1, required: true }, sub('ai_memory'), sub('ai_tool')],
    outputs: [MAIN],
    parameters: ['text', 'options'],
  },
  '@n8n/n8n-nodes-langchain.lmChatOpenAi': {
    name: 'OpenAI Chat Model',
    inputs: [],
    outputs: [sub('ai_languageModel')],
    parameters: ['model', 'options'],
  },
  '@n8n/n8n-nodes-langchain.toolCode': { name: 'Code Tool', inputs: [], outputs: [sub('ai_tool')], parameters: ['jsCode'] },
};

function describe(type: string): NodeDescription | undefined {
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!known) return undefined;
  return {
    type,
    version: 2,
    defaultName: known.name,
    trigger: known.trigger ?? false,
    parameterNames: known.parameters,
    credentials: type.endsWith('httpRequest') ? [{ name: 'httpBasicAuth', required: false }] : [],
    webhook: known.webhook ?? false,
  };
}

/** A catalogue of the types above. */
export const smallCatalogue: NodeCatalogue = {
  ready: async () => ({ available: true, version: 'test' }),
  get: describe,
  newestVersion: (type) => describe(type)?.version,
  nearest: (written, most) => nearest(written, Object.keys(TYPES), most),
  defaultParameters: (type, _version, given) => (describe(type)?.parameterNames.includes('options') ? { options: {}, ...given } : given),
  inputsOf: (node) => TYPES[node.type]?.inputs,
  outputsOf(node) {
    const outputs = TYPES[node.type]?.outputs;
    return outputs && node.onError === 'continueErrorOutput'
      ? [...outputs, { type: 'main', index: outputs.length, name: 'error' }]
      : outputs;
  },
};

export const smallPack: Pack = {
  ...noPack,
  catalogue: smallCatalogue,
  validator: { validate: async () => ({ valid: true, errors: [], warnings: [] }) },
};

export interface N8nBenchOptions {
  pack?: Pack;
  settings?: Partial<N8nOptions['settings']>;
  /** A folder whose content the workspace starts with. */
  from?: string;
}

/** The toolset on the given workspace, whose database is beside its workflows. */
export async function openN8n(workspace: string, options: N8nBenchOptions = {}) {
  const store = new SqliteStore<N8nTables>(openSqlite({ path: join(workspace, 'millrace.db'), synchronous: 'NORMAL' }));
  await migrate(store, n8nMigrations, new Date());
  const silent = () => {};
  const toolset = n8nToolset({
    home: workspace,
    workspace,
    settings: n8nSettings.schema.parse(options.settings ?? {}),
    store,
    clock: { now: () => new Date() },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    pack: options.pack ?? smallPack,
  });
  return {
    toolset,
    async close() {
      await toolset.close?.();
      await store.close();
    },
  };
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Catalog, Context, Toolset, User } from '@millrace/kernel';
import { type Embedder, localEmbedder } from '@millrace/models';
import { openStorage, type Storage } from '@millrace/storage';
import { onTestFinished } from 'vitest';
import { libraryFolder } from '../../../toolsets/flowmind/contexts/library-folder.ts';
import { contextMigrations } from '../../../toolsets/flowmind/contexts/migrations.ts';
import { createRegistry, type Registry } from '../../../toolsets/flowmind/contexts/registry.ts';
import { createDiscovery, type Discovery } from '../../../toolsets/flowmind/discovery/discovery.ts';
import { Embeddings } from '../../../toolsets/flowmind/discovery/embeddings.ts';
import { enhance } from '../../../toolsets/flowmind/enhancement.ts';
import { createHelp } from '../../../toolsets/flowmind/help/help.ts';
import { createLevels, type Thresholds } from '../../../toolsets/flowmind/levels/levels.ts';
import { flowmindServices } from '../../../toolsets/flowmind/services.ts';
import { ComposedStore } from '../../../toolsets/flowmind/store/composed-store.ts';
import { sessionMigrations } from '../../../toolsets/flowmind/store/tables.ts';
import { teachingMigrations } from '../../../toolsets/flowmind/teaching/migrations.ts';
import { createTeacher } from '../../../toolsets/flowmind/teaching/teacher.ts';
import { composeWorkflow } from '../../../toolsets/flowmind/tools/compose-workflow.ts';
import { evaluateSemanticCondition } from '../../../toolsets/flowmind/tools/evaluate-semantic-condition.ts';
import { executeWorkflow } from '../../../toolsets/flowmind/tools/execute-workflow.ts';
import { fieldRequest } from '../../../toolsets/flowmind/tools/field-request.ts';
import { getHelp } from '../../../toolsets/flowmind/tools/get-help.ts';
import { listAvailableContexts } from '../../../toolsets/flowmind/tools/list-available-contexts.ts';
import { flowmindWire } from '../../../toolsets/flowmind/wire.ts';
import { OWNER, type TestCatalog, testCatalog } from '../../harness/catalog.ts';

export interface RigOptions {
  /** Files of the workspace's contexts, by path. */
  files?: Record<string, string>;
  /** The built-in library; left out unless wanted. */
  library?: boolean;
  embedder?: Embedder | undefined;
  toolsets?: Toolset[];
  /** What toolsets publish besides their tools. */
  published?: Context[];
  thresholds?: Partial<Thresholds>;
  documentation?: string[];
  limited?: boolean;
  now?: () => Date;
  home?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked at field by field
export type Envelope = any;

export interface Rig extends TestCatalog {
  registry: Registry;
  discovery: Discovery;
  storage: Storage;
  workspace: string;
  home: string;
  envelope(tool: string, parameters: unknown, as?: User): Promise<Envelope>;
  close(): Promise<void>;
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** All of FlowMind on files and a database of its own, which end with the test. */
export async function rig(options: RigOptions = {}): Promise<Rig> {
  const made = await openRig(options);
  onTestFinished(() => made.close());
  return made;
}

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'millrace-discovery-')));
  const workspace = join(home, 'workspace');
  const folder = join(workspace, 'contexts');
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const clock = { now: options.now ?? (() => new Date()) };
  const storage = await openStorage({ home, clock, migrations: [...sessionMigrations, ...contextMigrations, ...teachingMigrations] });
  const { store } = storage;
  let whole: Catalog | undefined;
  const catalog = () => whole as Catalog;
  const composed = new ComposedStore(store, clock);
  const registry = createRegistry({
    folders: [folder],
    library: options.library ? libraryFolder() : undefined,
    published: async () => [...(await catalog().contexts()), ...(options.published ?? [])],
    composed,
    store,
    clock,
    log: QUIET,
  });
  const embedder = options.embedder;
  const embeddings = embedder && new Embeddings(store, embedder);
  const discovery = createDiscovery({ registry, embeddings, store, clock, log: QUIET });
  const levels = createLevels({ counter: storage.counters, thresholds: options.thresholds });
  const contextOf = (uri: string, userId: string) => registry.get(uri, userId);
  const teacher = createTeacher({ store, levels, catalog, clock, log: QUIET, contextOf });
  const help = createHelp({ documentation: options.documentation ?? [], catalog, embeddings, store, clock, log: QUIET });
  const signingKey = new Uint8Array(32).fill(7);
  const services = flowmindServices({
    store,
    composed,
    registry,
    discovery,
    teacher,
    help,
    catalog,
    clock,
    log: QUIET,
    workspace,
    signingKey,
    embedder,
  });
  const toolset: Toolset = {
    name: 'flowmind',
    title: 'FlowMind',
    instructions: '',
    tools: [fieldRequest, executeWorkflow, evaluateSemanticCondition, listAvailableContexts, composeWorkflow, getHelp],
    wire: flowmindWire,
    services,
    steps: [enhance(teacher, services.stopwatch)],
  };
  const test = testCatalog([toolset, ...(options.toolsets ?? [])], {
    ports: {
      clock,
      authorization: { readOnly: false, levelOf: levels.levelOf, unlockHint: levels.unlockHint },
      ...(options.limited && { limiter: storage.limiter }),
    },
  });
  whole = test.catalog;
  return {
    ...test,
    registry,
    discovery,
    storage,
    workspace,
    home,
    envelope: async (tool, parameters, as = OWNER) => (await test.call(tool, parameters, as)).structured,
    async close() {
      registry.close();
      await Promise.all([discovery.close(), help.close(), services.sessions.close()]);
      await test.catalog.close();
      await storage.close();
      if (options.home === undefined) await rm(home, { recursive: true, force: true });
    },
  };
}

let shared: Promise<Embedder> | undefined;

/** The bundled model, loaded once for a test file. */
export function bundledModel(): Promise<Embedder> {
  shared ??= localEmbedder({ folders: [] });
  return shared;
}

/** A workflow of one step, found by its examples. */
export function workflowText(id: string, fields: { name: string; description: string; examples?: string[]; more?: string }): string {
  const examples = (fields.examples ?? []).map((example) => `  - ${JSON.stringify(example)}\n`).join('');
  return `metadata:
  type: workflow
  id: ${id}
  name: ${JSON.stringify(fields.name)}
  description: ${JSON.stringify(fields.description)}
${examples ? `examples:\n${examples}` : ''}${fields.more ?? ''}flow:
  - step: Do it
    instruction: Do what is wanted
`;
}

import { type Catalog, type Context, nearest, type Toolset } from '@millrace/kernel';
import type { Embedder, Generator } from '@millrace/models';
import { migrate, openSqlite, SqliteStore, type Store } from '@millrace/storage';
import { OWNER, type TestCatalog, testCatalog } from '../../../test/harness/catalog.ts';
import { callsThrough, type Envelope, type FlowmindCalls } from '../../../test/harness/flowmind-replies.ts';
import { ComposedStore } from '../contexts/composed-store.ts';
import { parseContext } from '../contexts/parse.ts';
import type { ContextRegistry } from '../contexts/registry.ts';
import { type ContextDefinition, fromPublished } from '../flow/context.ts';
import { type FlowmindTables, sessionMigrations } from '../migrations.ts';
import { flowmindServices } from '../services.ts';
import { enhance, type Teacher } from '../teaching/teacher.ts';
import type { FlowmindServices } from '../tool.ts';
import { composeWorkflow } from '../tools/compose-workflow.ts';
import { evaluateSemanticCondition } from '../tools/evaluate-semantic-condition.ts';
import { executeWorkflow } from '../tools/execute-workflow.ts';
import { flowmindWire } from '../wire.ts';

export interface FixtureOptions {
  /** Contexts as YAML, without their files. */
  contexts?: string[];
  toolsets?: Toolset[];
  published?: Context[];
  generator?: Generator;
  embedder?: Embedder;
  teacher?: Partial<Teacher>;
  store?: Store<FlowmindTables>;
  now?: () => Date;
  questionTtlMs?: number;
  patienceMs?: number;
}

export interface Fixture extends TestCatalog, FlowmindCalls {
  services: FlowmindServices;
  workspace: string;
}

/** A file survives a kill; what is in memory need not. */
export async function openStore(path: string): Promise<SqliteStore<FlowmindTables>> {
  const store = new SqliteStore<FlowmindTables>(openSqlite({ path, synchronous: path === ':memory:' ? 'NORMAL' : 'FULL' }));
  await migrate(store, sessionMigrations, new Date());
  return store;
}

export function memoryStore(): Promise<SqliteStore<FlowmindTables>> {
  return openStore(':memory:');
}

const PLAIN: Pick<Teacher, keyof Teacher> = {
  enhance: async () => ({ teaching: { level: 'beginner', message: 'Done' }, next_actions: [], _insights: {}, _unlocks: {} }),
  afterFailure: async () => {},
  refusal: async () => undefined,
  sessionEnded: async () => {},
  popularity: async () => new Map(),
};

/** The tools that run things, on contexts given as text and a store in memory: without files, discovery or lessons. */
export async function assemble(workspace: string, options: FixtureOptions = {}): Promise<Fixture> {
  const store = options.store ?? (await memoryStore());
  const clock = { now: options.now ?? (() => new Date()) };
  const composed = new ComposedStore(store, clock);
  const registry = new ListedContexts(options.published ?? [], composed);
  for (const yaml of options.contexts ?? []) registry.add(yaml);
  let catalog: Catalog | undefined;
  const teacher = { ...PLAIN, ...options.teacher } as Teacher;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const services = flowmindServices({
    store,
    composed,
    registry,
    discovery: {} as never,
    help: {} as never,
    teacher,
    catalog: () => catalog as Catalog,
    clock,
    log,
    workspace,
    signingKey: new Uint8Array(32).fill(7),
    embedder: options.embedder,
    generator: options.generator,
    questionTtlMs: options.questionTtlMs,
    patienceMs: options.patienceMs,
  });
  const toolset: Toolset<FlowmindServices> = {
    name: 'flowmind',
    title: 'FlowMind',
    instructions: '',
    tools: [executeWorkflow, evaluateSemanticCondition, composeWorkflow],
    wire: flowmindWire,
    services,
    steps: [enhance(teacher)],
    close: () => services.sessions.close(),
  };
  const test = testCatalog([toolset as Toolset, ...(options.toolsets ?? [])], { ports: { clock } });
  catalog = test.catalog;
  const envelope: FlowmindCalls['envelope'] = async (tool, parameters, as = OWNER) =>
    (await test.call(tool, parameters, as)).structured as Envelope;
  return { ...test, ...callsThrough(envelope), services, workspace };
}

class ListedContexts implements ContextRegistry {
  readonly #contexts = new Map<string, ContextDefinition>();
  readonly #composed: ComposedStore;

  constructor(published: Context[], composed: ComposedStore) {
    this.#composed = composed;
    for (const context of published) this.#contexts.set(context.uri, fromPublished(context));
  }

  add(yaml: string): void {
    const { definition, issues } = parseContext(yaml, { kind: 'workspace' });
    if (!definition) throw new Error(JSON.stringify(issues));
    this.#contexts.set(definition.uri, definition);
  }

  async get(uri: string, userId: string) {
    return this.#contexts.get(uri) ?? this.#composed.get(uri, userId);
  }

  async all(userId: string) {
    return [...this.#contexts.values(), ...(await this.#composed.all(userId))];
  }

  async nearest(uri: string) {
    return nearest(uri, this.#contexts.keys());
  }

  onChange() {
    return () => {};
  }

  async refresh() {}
}

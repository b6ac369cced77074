import { type Call, type Catalog, type Context, Failure, nearest, type Toolset, toolsOf, type User } from '@millrace/kernel';
import type { Embedder, Generator } from '@millrace/models';
import { migrate, openSqlite, SqliteStore, type Store } from '@millrace/storage';
import { z } from 'zod';
import { enhance } from '../../../toolsets/flowmind/enhancement.ts';
import type { ContextDefinition } from '../../../toolsets/flowmind/language/context.ts';
import { parseContext } from '../../../toolsets/flowmind/language/parse.ts';
import { fromPublished } from '../../../toolsets/flowmind/language/published.ts';
import type { ContextRegistry, Teacher } from '../../../toolsets/flowmind/ports.ts';
import { flowmindServices } from '../../../toolsets/flowmind/services.ts';
import { ComposedStore } from '../../../toolsets/flowmind/store/composed-store.ts';
import { type FlowmindTables, sessionMigrations } from '../../../toolsets/flowmind/store/tables.ts';
import type { MeasuringTeacher } from '../../../toolsets/flowmind/teaching/teacher.ts';
import type { FlowmindServices } from '../../../toolsets/flowmind/tool.ts';
import { composeWorkflow } from '../../../toolsets/flowmind/tools/compose-workflow.ts';
import { evaluateSemanticCondition } from '../../../toolsets/flowmind/tools/evaluate-semantic-condition.ts';
import { executeWorkflow } from '../../../toolsets/flowmind/tools/execute-workflow.ts';
import { flowmindWire } from '../../../toolsets/flowmind/wire.ts';
import { OWNER, type TestCatalog, testCatalog } from '../../harness/catalog.ts';
import { plainWire } from '../../harness/plain-wire.ts';

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

export interface Fixture extends TestCatalog {
  services: FlowmindServices;
  workspace: string;
  /** The result of a call that succeeded; fails the test otherwise. */
  result<Result = Run>(tool: string, parameters: unknown, as?: User): Promise<Result>;
  envelope(tool: string, parameters: unknown, as?: User): Promise<Envelope>;
  /** Starts a context. */
  run(uri: string, parameters?: Record<string, unknown>, as?: User): Promise<Run>;
  /** Answers the open question of a run. */
  answer(run: Run, value: unknown, as?: User): Promise<Run>;
  add(yaml: string): void;
}

/** What execute_workflow answers with. */
export interface Run {
  session_id: string;
  status: string;
  reason: string | null;
  current_step: string | null;
  instruction: string | null;
  context: { uri: string; agent: string | null; persona: string | null; breadcrumbs: string[] } | null;
  question: { id: string; text: string; schema: Record<string, unknown> } | null;
  variables: Record<string, unknown>;
  output: unknown;
  steps_done: number;
  next_action: { tool: string; parameters: Record<string, unknown> } | null;
  error: { code: string; message: string; step: string } | null;
  notice: string | null;
}

export interface Envelope {
  success: boolean;
  result?: Run;
  error?: { code: string; message: string; fix: { instruction: string; example: unknown; why: string } };
  guidance?: Record<string, unknown>;
  teaching?: Record<string, unknown>;
  next_actions?: unknown[];
  _performance?: Record<string, number>;
  _insights?: unknown;
  _unlocks?: unknown;
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

const PLAIN: MeasuringTeacher = {
  enhance: async () => ({ teaching: { level: 'beginner', message: 'Done' }, next_actions: [], _insights: {}, _unlocks: {} }),
  afterFailure: async () => ({}),
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
  const teacher = { ...PLAIN, ...options.teacher };
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
    steps: [enhance(teacher, services.stopwatch)],
    close: () => services.sessions.close(),
  };
  const test = testCatalog([toolset as Toolset, ...(options.toolsets ?? [])], { ports: { clock } });
  catalog = test.catalog;
  const envelope = async (tool: string, parameters: unknown, as: User = OWNER) =>
    (await test.call(tool, parameters, as)).structured as Envelope;
  const result = async <Result = Run>(tool: string, parameters: unknown, as?: User) => {
    const reply = await envelope(tool, parameters, as);
    if (!reply.success) throw new Error(`${tool} failed: ${JSON.stringify(reply)}`);
    return reply.result as Result;
  };
  const uris = new Map<string, string>();
  return {
    ...test,
    services,
    workspace,
    add: (yaml) => registry.add(yaml),
    envelope,
    result,
    async run(uri, parameters = {}, as) {
      const run = await result('execute_workflow', { workflow_uri: uri, ...parameters }, as);
      uris.set(run.session_id, uri);
      return run;
    },
    answer: (run, value, as) =>
      result(
        'execute_workflow',
        { workflow_uri: uris.get(run.session_id), session_id: run.session_id, step_result: { question_id: run.question?.id, value } },
        as,
      ),
  };
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

interface SpeakingTool {
  name: string;
  description: string;
  access: 'read' | 'write';
  openWorldHint?: boolean;
  asks?: true;
  run(text: string, call: Call<unknown>): Promise<string> | string;
}

/** A toolset whose tools take a text and say one. */
export function speaking(name: string, tools: readonly SpeakingTool[]): Toolset {
  const define = toolsOf<unknown>();
  const defined = tools.map(({ description, access, openWorldHint = false, run, ...tool }) =>
    define({
      ...tool,
      description,
      access,
      annotations: {
        title: description,
        readOnlyHint: access === 'read',
        idempotentHint: access === 'read',
        destructiveHint: false,
        openWorldHint,
      },
      input: z.strictObject({ text: z.string() }),
      output: z.object({ said: z.string() }),
      run: async ({ text }, call) => ({ said: await run(text, call) }),
    }),
  );
  return { name, title: name, instructions: '', services: undefined, wire: plainWire, tools: defined as Toolset['tools'] };
}

/** A toolset whose tools leave a trace: what was done, in order. */
export function workshop() {
  const done: string[] = [];
  const gate = { open: Promise.resolve() as Promise<unknown> };
  const leave = (trace: string, said: string) => {
    done.push(trace);
    return said;
  };
  const toolset = speaking('workshop', [
    { name: 'note_down', description: 'Writes a note', access: 'write', run: (text) => leave(text, text) },
    { name: 'look_up', description: 'Looks something up', access: 'read', run: (text) => `found ${text}` },
    {
      name: 'send_mail',
      description: 'Sends a mail',
      access: 'write',
      openWorldHint: true,
      run: (text) => leave(`mail ${text}`, text),
    },
    {
      name: 'break_down',
      description: 'Fails until it is mended',
      access: 'write',
      run: (text) => {
        if (!done.includes('mended')) throw new Failure('upstream', 'The machine is broken');
        return text;
      },
    },
    {
      name: 'work_long',
      description: 'Works until the gate opens',
      access: 'write',
      run: async (text, { signal }) => {
        done.push(`began ${text}`);
        await Promise.race([gate.open, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
        return leave(`ended ${text}`, text);
      },
    },
    {
      name: 'ask_back',
      description: 'Asks before it writes',
      access: 'write',
      asks: true,
      run: async (text, call) => {
        const { sure } = await call.ask(`Sure about ${text}?`, z.object({ sure: z.boolean() }));
        return sure ? leave(`sure ${text}`, text) : 'no';
      },
    },
  ]);
  return { toolset, done, gate };
}

import type { Store } from '@millrace/storage';
import { Conditions } from './conditions/conditions.ts';
import { JudgementTokens } from './conditions/judgement-tokens.ts';
import type { ComposedStore } from './contexts/composed-store.ts';
import type { ContextRegistry } from './contexts/registry.ts';
import type { Discovery } from './discovery/fit/discovery.ts';
import { SessionStore } from './execution/session-store.ts';
import { Sessions } from './execution/sessions.ts';
import type { Help } from './help/help.ts';
import type { FlowmindTables } from './migrations.ts';
import { type Teacher, timed } from './teaching/teacher.ts';
import type { FlowmindServices } from './tool.ts';
import type { FlowmindOptions } from './toolset.ts';

type Shared = 'catalog' | 'clock' | 'embedder' | 'generator' | 'handOver' | 'log' | 'signingKey' | 'workspace';

/** What the sessions, conditions and compositions of FlowMind are made from. */
export interface ExecutionOptions extends Pick<FlowmindOptions, Shared> {
  store: Store<FlowmindTables>;
  composed: ComposedStore;
  registry: ContextRegistry;
  discovery: Discovery;
  help: Help;
  teacher: Teacher;
  /** How long a question of a session can be answered; a week when not given. */
  questionTtlMs?: number | undefined;
  /** How long a call waits for a run; 45 s when not given, because clients end calls after 60 s. */
  patienceMs?: number | undefined;
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const PATIENCE_MS = 45_000;

export function flowmindServices(options: ExecutionOptions): FlowmindServices {
  const { registry, teacher, discovery, help, clock, log, catalog, workspace, composed } = options;
  const generator = options.generator && timed(options.generator);
  const conditions = new Conditions({ clock, embedder: options.embedder, generator });
  return {
    registry,
    discovery,
    help,
    teacher,
    conditions,
    judgementTokens: new JudgementTokens(options.signingKey, clock),
    composed,
    sessions: new Sessions({
      store: new SessionStore(options.store, clock),
      registry,
      teacher,
      conditions,
      generator,
      catalog,
      clock,
      log,
      questionTtlMs: options.questionTtlMs ?? WEEK_MS,
      ...(options.handOver && { handOver: options.handOver }),
    }),
    catalog,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    workspace,
  };
}

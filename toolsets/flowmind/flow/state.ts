import { z } from 'zod';
import type { SemanticCondition } from './condition.ts';
import type { AnswerSpec } from './nodes/ask.ts';
import type { NodeFrame } from './nodes/registry.ts';

export const MODES = ['interactive', 'autonomous', 'step_confirm'] as const;
export type Mode = (typeof MODES)[number];

export const APPROVALS = ['external_api_calls', 'file_modifications', 'context_switches'] as const;
export type ApprovalKind = (typeof APPROVALS)[number];

/** What approvals and repetitions depend on. */
export interface ToolTraits {
  /** Only reads: may be repeated, and needs no approval for changes. */
  readOnly: boolean;
  /** Doing it twice is the same as doing it once. */
  idempotent: boolean;
  openWorld: boolean;
}

/** What the caller demanded of a run. */
export interface RunOptions {
  mode: Mode;
  minConfidence: number | undefined;
  confirmBelow: number | undefined;
  maxSteps: number;
  maxDurationMs: number;
  approvals: ApprovalKind[];
}

/**
 * Everything a session is, as plain JSON: what is left to do (the stacks of its fibers), what it knows (its scopes), and
 * what it waits for. Written as a whole with every transition, so that any process can continue from it.
 */
export interface SessionState {
  /** The pinned definitions, by URI: a file that changes meanwhile does not change a running session. */
  contexts: Record<string, string>;
  options: RunOptions;
  fibers: Fiber[];
  scopes: Record<string, Scope>;
  /** Counts questions, effects, scopes and fibers: every id is new. */
  counter: number;
  stepsStarted: number;
  stepsDone: number;
  /** The number of steps at which it asks before it continues. */
  stepBudget: number;
  /** Working time since the start, or since a person last let it continue. */
  activeMs: number;
  /** A limit was reached: the whole session waits. */
  hold?: Wait | undefined;
  /** Questions that were answered or are no longer asked, the latest last. */
  closed: string[];
  output: unknown;
  error?: FlowError | undefined;
}

/** One line of a session's journal. */
export interface Event {
  kind: string;
  node: string;
  data: Record<string, unknown>;
}

export interface Scope {
  uri: string;
  variables: Record<string, unknown>;
}

/** One line of work: the main one, and one for each running task of a parallel node. */
export interface Fiber {
  id: string;
  /** `joining` waits for its tasks; `queued` waits for a free place among them. */
  status: 'ready' | 'effect' | 'waiting' | 'joining' | 'queued' | 'done';
  stack: Frame[];
  effect?: Effect | undefined;
  wait?: Wait | undefined;
  /** Verdicts on the conditions of its current node. */
  verdicts: Record<string, boolean | null>;
  /** The condition whose verdict stayed unknown. */
  undecided?: { key: string; condition: string };
  /** Whether its current node was approved. */
  approved: boolean;
  task?: { of: string; name: string };
  result: unknown;
  error?: FlowError;
}

export interface Placed {
  /** The context that the node or block is part of. */
  uri: string;
  scope: string;
}

/** A list of nodes, and the place in it. */
export type BlockFrame = Placed & { kind: 'block'; block: string; index: number };

/** A context or a function, with variables of its own. */
export interface ScopeFrame extends Placed {
  kind: 'scope';
  of: 'session' | 'workflow' | 'function';
  name: string;
  caller: string;
  store: string | undefined;
}

export type Frame = BlockFrame | ScopeFrame | NodeFrame;

export type Completion = { kind: 'error'; error: FlowError } | { kind: 'return'; value: unknown };

/** What went wrong inside a flow. `code` is what a catch names. */
export interface FlowError {
  code: string;
  message: string;
  step: string;
}

/** What a node needs from outside. */
export type EffectRequest =
  | { kind: 'tool'; tool: string; parameters: Record<string, unknown>; answer?: { question_id: string; value: unknown } }
  | ({ kind: 'judge'; key: string; condition: string; about: string } & Pick<SemanticCondition, 'threshold' | 'examples'>)
  | { kind: 'generate'; instruction: string; persona: string }
  | { kind: 'load'; uri: string }
  | { kind: 'restore'; key: string; store: string };

/** Something that takes time or reaches outside. Only tools have effects that must not happen twice. */
export type Effect = EffectRequest & {
  id: string;
  node: string;
  /** Written down before it began: its outcome is unknown if the process died since. */
  started: boolean;
};

export type Limit = 'max_steps' | 'max_duration_ms' | 'max_nodes';
type Trouble = 'tool_failed' | 'outcome_unknown' | 'model_required' | 'low_confidence';
export type WaitReason = 'step' | 'answer' | 'approval' | 'judgement' | 'confirmation' | 'tool_question' | Trouble | Limit;

/** A question and whom it is for: the one record that every way of answering reads. */
export interface Wait {
  id: string;
  reason: WaitReason;
  node: string;
  /** The name of the step, for people. */
  step: string;
  text: string;
  answer: AnswerForm;
  audience: 'person' | 'assistant';
  instruction?: string;
  context?: StepContext;
  /** What was judged or asked by a tool, for when the answer comes. */
  about?: { key?: string; verdict?: boolean; value?: unknown; effect?: Effect; questionId?: string; error?: FlowError };
  expiresAt: string;
}

export type AnswerForm =
  | { kind: 'any' }
  | { kind: 'approval' }
  | { kind: 'judgement' }
  | { kind: 'field'; spec: AnswerSpec }
  | { kind: 'choice'; options: string[] }
  /** The schema of another tool's question. */
  | { kind: 'object'; schema: Record<string, unknown> };

/** Who to be and what is wanted, for a step. */
export const stepContext = z.object({
  uri: z.string(),
  name: z.string(),
  agent: z.string().nullable(),
  persona: z.string().nullable(),
  deliverables: z.array(z.string()),
  success_criteria: z.array(z.string()),
  breadcrumbs: z.array(z.string()),
});
export type StepContext = z.output<typeof stepContext>;

export function initialState(uri: string, hash: string, variables: Record<string, unknown>, options: RunOptions): SessionState {
  const session: Frame = { kind: 'scope', of: 'session', uri, name: uri, scope: 'main', caller: 'main', store: undefined };
  return {
    contexts: { [uri]: hash },
    options,
    fibers: [newFiber('main', [session, { kind: 'block', block: '#flow', index: 0, uri, scope: 'main' }])],
    scopes: { main: { uri, variables } },
    counter: 0,
    stepsStarted: 0,
    stepsDone: 0,
    stepBudget: options.maxSteps,
    activeMs: 0,
    closed: [],
    output: null,
  };
}

export function newFiber(id: string, stack: Frame[]): Fiber {
  return { id, status: 'ready', stack, verdicts: {}, approved: false, result: null };
}

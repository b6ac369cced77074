import type { Failure, User } from '@millrace/kernel';
import type { ContextDefinition } from './language/context.ts';

/** Every context that can be found or run: files of the workspace, the built-in library, and what the toolsets publish. */
export interface ContextRegistry {
  /** The context with this URI; a composed but unsaved one only for its user. */
  get(uri: string, userId: string): Promise<ContextDefinition | undefined>;
  /** All that this user can see, in a fixed order. */
  all(userId: string): Promise<ContextDefinition[]>;
  /** URIs closest to one that names nothing, the best first. */
  nearest(uri: string, userId: string): Promise<string[]>;
  /** Called when contexts were added, changed or removed; returns a function that ends it. */
  onChange(listener: (uris: string[]) => void): () => void;
  /** Reads the files again now: after one was written. */
  refresh(): Promise<void>;
}

/** Contexts that were composed but not saved: kept per user in the store, found by the registry beside the others. */
export interface ComposedContexts {
  get(uri: string, userId: string): Promise<ContextDefinition | undefined>;
  all(userId: string): Promise<ContextDefinition[]>;
}

/** A call that a user may make as it stands. */
export interface NextAction {
  tool: string;
  reason: string;
  parameters: Record<string, unknown>;
}

export interface Teaching {
  level: 'beginner' | 'intermediate' | 'advanced';
  message: string;
  tip?: string;
  pattern?: string;
  example?: Record<string, unknown>;
  confidence_calibration?: string;
  unlock?: string;
}

/** What every successful reply carries beside its result. */
export interface Enhancement {
  teaching: Teaching;
  next_actions: NextAction[];
  _insights: Record<string, unknown>;
  _unlocks: Record<string, unknown>;
}

/** One finished call, as the teacher sees it. */
export interface FinishedCall {
  id: string;
  tool: string;
  user: User;
  input: unknown;
  result: unknown;
  timings: Timings;
}

/** Teaching, levels and their limits. */
export interface Teacher {
  /** Runs after each successful call of a FlowMind tool, in the toolset's pipeline step. */
  enhance(call: FinishedCall): Promise<Enhancement>;
  /** Runs after each failed call that got past validation. Its guidance is added to the reply's own. */
  afterFailure(call: Omit<FinishedCall, 'result'>, failure: Failure): Promise<{ guidance?: Record<string, unknown> }>;
  /** Undefined when the user may run it; otherwise the reason, in words, and what unlocks it. */
  refusal(context: ContextDefinition, user: User): Promise<{ reason: string; unlock: string } | undefined>;
  /** A session reached its end: outcomes for popularity and calibration. */
  sessionEnded(outcome: SessionOutcome): Promise<void>;
}

export interface SessionOutcome {
  sessionId: string;
  userId: string;
  uri: string;
  status: 'completed' | 'failed' | 'cancelled';
}

/** Milliseconds measured inside a call, for `_performance`. */
export interface Timings {
  /** Time spent in language models. */
  alpha_llm: number;
  search: number;
  assembly: number;
}

/** Where handlers say what their time went into: `services.stopwatch.add(call.id, 'search', ms)`. */
export interface Stopwatch {
  add(callId: string, part: keyof Timings, ms: number): void;
}

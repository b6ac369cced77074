import type { z } from 'zod';

/** What closing did. */
export interface Closed {
  /** Whether unfinished work was stopped. */
  brokenOff: boolean;
}

export interface Clock {
  now(): Date;
}

export interface User {
  id: string;
  name: string;
  /** The account's level; toolsets decide what it unlocks. */
  level: string;
  /** The owner administers the server. */
  owner: boolean;
}

/** How a caller proves who they are: the local process (stdio), what an HTTP request carried, or a user whom the transport has identified already. */
export type Credentials = { kind: 'local' } | { kind: 'bearer'; token: string } | { kind: 'none' } | { kind: 'identified'; user: User };

export interface Identity {
  /** Throws Failure('unauthenticated') when the credentials name nobody. */
  identify(credentials: Credentials): Promise<User> | User;
}

export interface InvocationRecord {
  id: string;
  userId: string | null;
  messageId: string | null;
  parentId: string | null;
  tool: string;
  parameters: unknown;
  result: unknown;
  status: 'success' | 'failure';
  errorCode: string | null;
  durationMs: number;
  at: Date;
}

export interface AuditLog {
  /** Redacts and truncates; must be cheap, must not throw for a value it cannot serialise. */
  record(record: InvocationRecord): void | Promise<void>;
}

/** Limits of one tool for one user, as its contract publishes them. */
export interface Limits {
  perMinute?: number;
  /** Further calls tolerated beyond perMinute before refusals begin. */
  burst?: number;
  /** Each refusal beyond the burst doubles the wait. */
  progressiveBackoff?: boolean;
  /** Calls of one user that may run at once; paused sessions do not count. */
  concurrent?: number;
}

export interface Limiter {
  /** Throws Failure('rate_limited') or returns a function that ends the call's share of the concurrency limit. */
  enter(userId: string, tool: string, limits: Limits): Promise<() => void>;
}

/** Reports the progress of long work. `total` is omitted while unknown. */
export type Progress = (done: number, total?: number, message?: string) => void;

/** A flat object of primitives: what a client can show as a form. */
export type AnswerSchema = z.ZodObject<Record<string, z.ZodType>>;

export interface Question {
  id: string;
  text: string;
  /** JSON Schema of the answer, a flat object. */
  schema: Record<string, unknown>;
}

export type AskedAnswer = { action: 'accept'; value: Record<string, unknown> } | { action: 'decline' | 'cancel' };

/** The journal of a call that was interrupted by a question: what was answered, and which effects have happened. */
export interface Journal {
  id: string;
  answers: Record<string, AskedAnswer>;
  effects: Record<string, unknown>;
  /** No longer waiting: a new call with the same arguments starts over. */
  closed: boolean;
  /** The finished result, kept for a while so that an answer sent twice gets the same reply. */
  result?: { value: unknown };
}

/** Finds the interrupted call: by id if the client sent one, otherwise the waiting call with these arguments. */
export interface PendingKey {
  id?: string;
  userId: string;
  tool: string;
  argumentsHash: string;
}

export interface PendingCalls {
  /** Claims the journal for this round; throws Failure('conflict') while another process works on it. Returns undefined when there is none. */
  open(key: PendingKey): Promise<Journal | undefined>;
  save(journal: Journal, key: PendingKey): Promise<void>;
  release(journal: Journal): Promise<void>;
}

export interface JobProgress {
  done: number;
  total: number | null;
  message: string;
}

export interface JobState {
  id: string;
  tool: string;
  key: string;
  userId: string;
  status: 'running' | 'completed' | 'failed' | 'cancelled' | 'interrupted';
  progress: JobProgress;
  startedAt: Date;
  updatedAt: Date;
}

export interface JobJournal {
  start(job: JobState): Promise<void>;
  update(id: string, change: { status?: JobState['status']; progress?: JobProgress }): Promise<void>;
  get(id: string): Promise<JobState | undefined>;
}

export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

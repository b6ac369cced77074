import type { z } from 'zod';
import type { AnswerSchema, AskedAnswer, Credentials, Log, Progress, User } from './ports.ts';
import type { Reply } from './wire.ts';

/** What a handler gets besides its input. */
export interface Call<Services> {
  /** Also the id of the call's audit row. */
  id: string;
  services: Services;
  user: User;
  /** Aborted at the deadline and when the client cancels. */
  signal: AbortSignal;
  progress: Progress;
  log: Log;
  /**
   * Asks the person and returns the answer. The handler may be run again from its start when the answer arrives, so
   * wrap effects before a question in once(). Throws Failure('cancelled') when the person declines.
   */
  ask<Schema extends AnswerSchema>(question: string, schema: Schema): Promise<z.output<Schema>>;
  /** Runs the effect the first time; later rounds return its recorded result. The result must be JSON. */
  once<Result>(key: string, effect: () => Promise<Result> | Result): Promise<Result>;
  /** Calls another tool as the same user. The call skips the rate limit and is audited below this one. */
  callTool(tool: string, parameters: unknown, options?: InnerCallOptions): Promise<Reply>;
  /** Whether the client can show the questions of ask() to a person. */
  canAsk: boolean;
}

export interface InnerCallOptions {
  signal?: AbortSignal;
  messageId?: string;
}

/** Where a call comes from and how its client can be reached. */
export interface Origin {
  credentials: Credentials;
  signal?: AbortSignal;
  progress?: Progress;
  /** The id of an interrupted call that this one continues (from a verified requestState). */
  pendingId?: string;
  /** Answers that came with the request, by question id. */
  answers?: Record<string, AskedAnswer>;
  messageId?: string;
  parentId?: string;
  /** The client shows questions to its person (elicitation or input_required). */
  canAsk?: boolean;
  /** Set for calls made by another call: the identity is already known, and rate limits do not apply. */
  onBehalfOf?: User;
}

/** Everything that can go wrong with a call, as a closed set; each toolset's wire maps it to its published shape. */
export type FailureCode =
  | 'invalid_input' // the arguments break the schema or a rule
  | 'not_found' // the thing named does not exist
  | 'unknown_tool' // no such tool, or it is not enabled here
  | 'forbidden' // the user may not do this
  | 'locked' // the user's level does not reach this tool or context yet
  | 'unauthenticated' // no valid identity
  | 'rate_limited' // too many calls; details.retryAfterMs says how long to wait
  | 'timeout' // the deadline passed
  | 'cancelled' // the client, or the person who was asked, called it off
  | 'conflict' // the thing changed meanwhile, or is in use
  | 'unavailable' // something needed is not installed, not configured or cannot be reached
  | 'upstream' // a foreign system answered with a failure
  | 'answer_needed' // a person has to answer first; details.question says what
  | 'storage' // our own storage failed
  | 'internal'; // a bug: the cause is logged under details.id

/** A remedy in words, with an example of what to send and the reason. */
export interface Fix {
  instruction: string;
  /** One of our commands, as typed after the name of the program: `engine add n8n`. */
  command?: string;
  example?: unknown;
  why?: string;
}

export interface FailureOptions {
  details?: Record<string, unknown>;
  fix?: Fix;
  /** What was found or done before it failed, for wires that publish it. */
  partial?: unknown;
  cause?: unknown;
}

export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: Record<string, unknown>;
  readonly fix: Fix | undefined;
  readonly partial: unknown;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.details = options.details ?? {};
    this.fix = options.fix;
    this.partial = options.partial;
  }
}

/** The failure for people who start this program with `program`: its command stands in the instruction, ready to type. */
export function withCommandOf(program: string, failure: Failure): Failure {
  const { code, message, details, fix, partial, cause } = failure;
  if (fix?.command === undefined) return failure;
  const { command: _command, ...rest } = fix;
  return new Failure(code, message, { details, fix: { ...rest, instruction: instructionOf(fix, program) }, partial, cause });
}

export function instructionOf({ instruction, command }: Fix, program: string): string {
  return command === undefined ? instruction : `${instruction}: ${program} ${command}`;
}

/** Text from outside, short enough for a sentence of ours. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).trimEnd().toWellFormed()}…`;
}

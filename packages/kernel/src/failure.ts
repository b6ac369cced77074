/** The details that our own code reads, per failure code. Any others are only for the reader. */
interface KnownDetails {
  /** The arguments break the schema or a rule. */
  invalid_input: { field?: string | null; value?: unknown; constraint?: string; issues?: readonly ArgumentIssue[] };
  /** The thing named does not exist. */
  not_found: { nearest?: readonly string[] };
  /** No such tool, or it is not enabled here. */
  unknown_tool: { nearest: readonly string[] };
  /** The user may not do this. */
  forbidden: { reason?: 'read_only'; permission?: string };
  /** The user's level does not reach this tool or context yet. */
  locked: { level?: string; needed?: string };
  /** No valid identity. */
  unauthenticated: object;
  /** Too many calls. */
  rate_limited: { retryAfterMs?: number };
  /** The deadline passed. */
  timeout: { deadlineMs?: number };
  /** The client, or the person who was asked, cancelled it. */
  cancelled: { question?: string };
  /** The thing changed meanwhile, or is in use. */
  conflict: { reason?: string; status?: number };
  /** Something needed is not installed, not configured or cannot be reached. */
  unavailable: { variable?: string; reason?: string; status?: number };
  /** Another system answered with an error. */
  upstream: { status?: number; reason?: string; trace?: unknown };
  /** A person has to answer first. */
  answer_needed: { question_id: string; question: string; schema: unknown };
  /** Our own storage failed. */
  storage: { reason?: string };
  /** A bug: the cause is logged under the id. */
  internal: { id?: string };
}

/** Everything that can go wrong with a call, as a closed set; each toolset's wire maps it to its published shape. */
export type FailureCode = keyof KnownDetails;
export type DetailsOf<Code extends FailureCode> = KnownDetails[Code] & { readonly [detail: string]: unknown };

/** One finding about an argument, in the terms that the published envelopes use. */
export interface ArgumentIssue {
  field: string;
  value: unknown;
  constraint: string;
  message: string;
}

/** A remedy in words, with an example of what to send and the reason. */
export interface Fix {
  instruction: string;
  /** One of our commands, as typed after the name of the program: `engine add n8n`. */
  command?: string;
  example?: unknown;
  why?: string;
}

export interface FailureOptions<Code extends FailureCode = FailureCode> {
  details?: DetailsOf<Code>;
  fix?: Fix;
  /** What was found or done before it failed, for wires that publish it. */
  partial?: unknown;
  cause?: unknown;
}

class FailureOf<Code extends FailureCode> extends Error {
  readonly code: Code;
  readonly details: DetailsOf<Code>;
  readonly fix: Fix | undefined;
  readonly partial: unknown;

  constructor(code: Code, message: string, options: FailureOptions<Code> = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.details = options.details ?? ({} as DetailsOf<Code>);
    this.fix = options.fix;
    this.partial = options.partial;
  }
}

/** A failure of any code; testing the code narrows the details. */
export type Failure = { [Code in FailureCode]: FailureOf<Code> }[FailureCode];
export const Failure = FailureOf as unknown as {
  new <Code extends FailureCode>(code: Code, message: string, options?: FailureOptions<Code>): Extract<Failure, { code: Code }>;
  [Symbol.hasInstance](value: unknown): value is Failure;
};

/** The same failure with another message, or with more details. */
export function changedFailure(failure: Failure, change: Partial<Pick<Failure, 'message' | 'details' | 'fix' | 'partial'>>): Failure {
  const { code, message, details, fix, partial, cause } = { ...pick(failure), ...change };
  return new Failure(code, message, { details, partial, cause, ...(fix && { fix }) });
}

function pick({ code, message, details, fix, partial, cause }: Failure) {
  return { code, message, details, fix, partial, cause };
}

/** The failure for people who start this program with `program`: the instruction shows the command, ready to type. */
export function withCommandOf(program: string, failure: Failure): Failure {
  if (failure.fix?.command === undefined) return failure;
  const { command: _command, ...fix } = failure.fix;
  return changedFailure(failure, { fix: { ...fix, instruction: instructionOf(failure.fix, program) } });
}

export function instructionOf({ instruction, command }: Fix, program: string): string {
  return command === undefined ? instruction : `${instruction}: ${program} ${command}`;
}

/** Text from outside, short enough for a sentence of ours. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).trimEnd().toWellFormed()}…`;
}

/** An error of the operating system: a file, a folder, a process. Errors caused by bugs name no system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** For `.catch`: an operating system error means absent; a bug passes through. */
export function absent(error: unknown): undefined {
  if (!isSystemError(error)) throw error;
}

/** Refusals of the operating system that mean the same wherever they occur; undefined for every other error. */
export function systemFailure(error: unknown): Failure | undefined {
  if (!isSystemError(error)) return undefined;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new Failure('storage', 'The disk is full', {
        fix: { instruction: 'Free some space; nothing that was saved is lost' },
        cause: error,
      });
    case 'ENAMETOOLONG':
      return new Failure('invalid_input', 'A name in the path is longer than this system allows', {
        fix: { instruction: 'Use a shorter name' },
        cause: error,
      });
    default:
      return undefined;
  }
}

import { z } from 'zod';
import { withJsonTextRead } from '../advertised-schema.ts';
import type { Origin } from '../call.ts';
import { pendingCallOf } from '../dialogue.ts';
import { type ArgumentIssue, clip, Failure } from '../failure.ts';
import { isRecord } from '../json.ts';
import { nearest } from '../nearest.ts';
import type { Step } from '../pipeline.ts';
import type { Tool } from '../tool.ts';

export const answerArgument = z
  .strictObject({
    question_id: z.string(),
    value: z.record(z.string(), z.unknown()),
  })
  .describe('Answer to the question returned');

const MAX_DEPTH = 64;

/** Checked here rather than by the SDK, so that bad arguments get the toolset's published envelope. */
export const validate: Step = async (invocation, next) => {
  const parameters = invocation.parameters ?? {};
  if (!isRecord(parameters)) {
    throw new Failure('invalid_input', 'Arguments must be an object', {
      details: { field: null, value: describe(parameters), constraint: 'type' },
    });
  }
  const read = withJsonTextRead(parameters, invocation.inputSchema()) as object;
  if (deeperThan(read, MAX_DEPTH)) {
    throw new Failure('invalid_input', `Arguments are nested more than ${MAX_DEPTH} levels deep`, {
      details: { field: null, value: null, constraint: 'maxDepth' },
    });
  }
  const { tool } = invocation;
  const { given, answer } = tool.asks ? splitAnswer(read) : { given: read, answer: undefined };
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) throw invalidInput(parsed.error, given, tool);
  if (answer) invocation.origin = withAnswer(invocation.origin, answer);
  invocation.input = parsed.data;
  return next();
};

function splitAnswer(parameters: object): { given: object; answer: z.output<typeof answerArgument> | undefined } {
  const { answer, ...given } = parameters as Record<string, unknown>;
  if (answer === undefined) return { given, answer: undefined };
  const parsed = answerArgument.safeParse(answer);
  if (!parsed.success) {
    throw new Failure('invalid_input', 'answer must be {question_id, value}', {
      details: { field: 'answer', value: describe(answer), constraint: 'type' },
    });
  }
  return { given, answer: parsed.data };
}

/** An answer among the arguments comes from a model: it counts only where the client cannot ask a person, for a question that was asked. */
function withAnswer(origin: Origin, { question_id: id, value }: z.output<typeof answerArgument>): Origin {
  if (origin.canAsk) {
    throw new Failure('invalid_input', 'This client can ask the person, so an answer is not taken from the arguments', {
      details: { field: 'answer', value: null, constraint: 'unknown' },
      fix: { instruction: 'Call the tool again without answer: the person will be asked' },
    });
  }
  const pendingId = pendingCallOf(id);
  if (pendingId === undefined) {
    throw new Failure('not_found', 'There is no open question with this id. Call the tool again without an answer', {
      details: { expired: true },
    });
  }
  return { ...origin, pendingId, answers: { ...origin.answers, [id]: { action: 'accept', value } } };
}

/** The first finding is the message; all of them are in details.issues. */
export function invalidInput(error: z.ZodError, parameters: unknown, tool: Tool): Failure {
  const issues = error.issues.flatMap((issue) => argumentIssues(issue, parameters, tool));
  const first = issues[0] as ArgumentIssue;
  return new Failure('invalid_input', first.message, {
    details: { field: first.field, value: first.value, constraint: first.constraint, issues },
  });
}

function argumentIssues(issue: z.core.$ZodIssue, parameters: unknown, tool: Tool): ArgumentIssue[] {
  const at = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const field = at ? `${at}.${key}` : key;
      return {
        field,
        value: describe(valueAt(parameters, [...issue.path, key])),
        constraint: 'unknown',
        message: unknownArgument(field, key, issue.path.length === 0 ? Object.keys(tool.input.shape) : []),
      };
    });
  }
  const value = valueAt(parameters, issue.path);
  const missing = value === undefined;
  return [
    { field: at, value: describe(value), constraint: missing ? 'required' : constraintOf(issue), message: messageOf(issue, at, missing) },
  ];
}

/** Names that models use for a search query. */
const SEARCHED = ['query', 'keyword', 'search', 'question', 'text', 'term'];

function unknownArgument(field: string, key: string, known: string[]): string {
  const alike = SEARCHED.includes(key) ? known.filter((name) => SEARCHED.includes(name)) : [];
  const [suggestion] = [...nearest(key, known, 1), ...alike];
  if (suggestion) return `Unknown argument "${echo(field)}". Did you mean "${suggestion}"?`;
  return known.length > 0
    ? `Unknown argument "${echo(field)}". Known arguments: ${known.join(', ')}`
    : `Unknown argument "${echo(field)}". It takes no such argument`;
}

/** Messages written in a schema are complete; zod's own need the field's name. */
function messageOf(issue: z.core.$ZodIssue, field: string, missing: boolean): string {
  if (missing && issue.code === 'invalid_type') return `${field} is required`;
  return issue.message.startsWith('Invalid') || issue.message.startsWith('Too ') || issue.message.startsWith('Unrecognized')
    ? `${field || 'arguments'}: ${issue.message}`
    : issue.message;
}

function constraintOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string' ? 'minLength' : issue.origin === 'array' ? 'minItems' : 'minimum';
    case 'too_big':
      return issue.origin === 'string' ? 'maxLength' : issue.origin === 'array' ? 'maxItems' : 'maximum';
    case 'invalid_value':
      return 'enum';
    case 'invalid_format':
      return issue.format === 'regex' ? 'pattern' : issue.format;
    case 'custom':
      return String(issue.params?.constraint ?? 'rule');
    default:
      return 'type';
  }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const MAX_ECHO = 200;

/** What was sent, shortened for display. */
function describe(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'string') return echo(value);
  if (value === null || typeof value !== 'object') return value;
  return Array.isArray(value) ? `array of ${value.length}` : 'object';
}

function echo(text: string): string {
  return text.length <= MAX_ECHO ? text : `${clip(text, MAX_ECHO)} (${text.length} characters)`;
}

function deeperThan(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  for (const child of Object.values(value)) if (deeperThan(child, levels - 1)) return true;
  return false;
}

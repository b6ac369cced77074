import { Failure, type Fix } from '@millrace/kernel';
import type { ErrorCode } from '../codes.ts';
import type { ContextDefinition } from '../flow/context.ts';
import type { Wait } from '../flow/state.ts';
import type { VariableProblem } from '../flow/variables.ts';
import { exampleAnswer, shownQuestion } from './answers.ts';
import type { Session } from './session-store.ts';

type Guidance = Record<string, unknown>;

function failure(
  code: 'not_found' | 'locked' | 'invalid_input' | 'conflict',
  published: ErrorCode,
  message: string,
  fix: Fix,
  guidance?: Guidance,
) {
  return new Failure(code, message, { details: { code: published, ...(guidance && { guidance }) }, fix });
}

export function unknownContext(uri: string, nearest: string[]): Failure {
  const [first] = nearest;
  const fix = {
    instruction: first ? 'Use one of the nearest contexts, or find one with field_request' : 'Find a context with field_request',
    example: first ? { workflow_uri: first } : { query: 'What the person needs, in a sentence or two', confidence_level: 0.6 },
    why: 'Only contexts that exist can be run',
  };
  return failure('not_found', 'CONTEXT_NOT_FOUND', `There is no context ${uri}`, fix, { nearest });
}

export function locked({ complexity }: ContextDefinition, { reason, unlock }: { reason: string; unlock: string }): Failure {
  const fix = { instruction: unlock, example: { filter: { complexity: 'simple' } }, why: 'Contexts open level by level' };
  return failure('locked', 'CONTEXT_LOCKED', reason, fix, { complexity, unlock });
}

export function variablesRefused(definition: ContextDefinition, missing: string[], problems: VariableProblem[]): Failure {
  const errors = [
    ...missing.map((name) => ({
      field: `initial_variables.${name}`,
      issue: `${name} is required`,
      suggestion: definition.variables[name]?.description ?? `Ask the person for ${name.replaceAll('_', ' ')}`,
    })),
    ...problems.map(({ variable, issue, suggestion }) => ({
      field: ['initial_variables', variable].filter(Boolean).join('.'),
      issue,
      suggestion,
    })),
  ];
  const names = [...missing, ...problems.map((each) => each.variable)].filter(Boolean);
  const example = Object.fromEntries(names.map((name) => [name, exampleOf(definition, name)]));
  const message =
    missing.length > 0
      ? `${definition.uri} needs ${missing.join(', ')}`
      : `${definition.uri} cannot use the given variables: ${problems[0]?.issue}`;
  const fix = {
    instruction:
      names.length > 0 ? `Send ${names.join(', ')} in initial_variables` : (problems[0]?.suggestion ?? 'Correct initial_variables'),
    example: { initial_variables: example },
    why: 'The flow of this context works with them from its first step on',
  };
  return failure('invalid_input', 'INVALID_VARIABLES', message, fix, { errors });
}

function exampleOf(definition: ContextDefinition, name: string): unknown {
  const spec = definition.variables[name];
  if (spec?.values?.[0] !== undefined) return spec.values[0];
  const examples = {
    number: spec?.minimum ?? 1,
    integer: spec?.minimum ?? 1,
    boolean: true,
    array: [],
    object: {},
    string: `<${name}>`,
    any: `<${name}>`,
  };
  return examples[spec?.type ?? 'any'];
}

export function sessionNotFound(id: string): Failure {
  return failure('not_found', 'SESSION_NOT_FOUND', `There is no session ${id.slice(0, 80)}`, {
    instruction: 'Start a new session: leave session_id out',
    example: { workflow_uri: 'workflow://incident-response' },
    why: 'Sessions belong to the user who started them',
  });
}

export function wrongContext({ id, uri }: Session): Failure {
  return failure('conflict', 'SESSION_CONFLICT', `The session runs ${uri}`, {
    instruction: 'Send the workflow_uri that the session was started with',
    example: { workflow_uri: uri, session_id: id },
    why: 'A session runs one context from its start to its end',
  });
}

export function ended({ status, uri }: Session): Failure {
  const fix = { instruction: 'Start a new session', example: { workflow_uri: uri }, why: 'A session that has ended stays as it is' };
  return failure('conflict', 'SESSION_ENDED', `The session is ${status}: it asks nothing any more`, fix);
}

export function unknownQuestion(id: string, open: Wait | undefined): Failure {
  const message = `The session does not ask ${id.slice(0, 80)}${open ? `; it asks ${open.id}` : ''}`;
  const fix = {
    instruction: open ? 'Answer the question that is open' : 'Call again with session_id alone to see what the session waits for',
    example: open ? { step_result: exampleAnswer(open) } : {},
    why: 'An answer is used only for the question that it was given to',
  };
  return failure('conflict', 'QUESTION_NOT_ASKED', message, fix, open ? { question: shownQuestion(open) } : {});
}

export function expiredAnswer({ id, text }: Wait): Failure {
  const fix = {
    instruction: 'Call again with session_id and without step_result: the question is asked again',
    example: {},
    why: 'What was true when it was asked may not be true any more',
  };
  return failure('conflict', 'ANSWER_EXPIRED', 'The question has expired: its answer came too late', fix, { question: { id, text } });
}

export function unreadableAnswer(question: Wait, problem: string): Failure {
  const fix = {
    instruction: 'Answer as the schema of the question says',
    example: { step_result: exampleAnswer(question) },
    why: 'The flow continues with the answer as it is',
  };
  return failure('invalid_input', 'INVALID_ANSWER', problem, fix, { question: shownQuestion(question) });
}

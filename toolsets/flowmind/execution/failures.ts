import { Failure } from '@millrace/kernel';
import type { ContextDefinition } from '../flow/context.ts';
import type { Wait } from '../flow/state.ts';
import type { VariableProblem } from '../flow/variables.ts';
import { answering } from './answers.ts';
import type { Session } from './session-store.ts';

export function unknownContext(uri: string, nearest: string[]): Failure {
  return new Failure('not_found', `There is no context ${uri}`, {
    details: { code: 'CONTEXT_NOT_FOUND', nearest, guidance: { nearest } },
    fix: {
      instruction:
        nearest.length > 0 ? 'Use one of the nearest contexts, or find one with field_request' : 'Find a context with field_request',
      example: nearest[0] ? { workflow_uri: nearest[0] } : { query: 'What the person needs, in a sentence or two', confidence_level: 0.6 },
      why: 'Only contexts that exist can be run',
    },
  });
}

export function locked(definition: ContextDefinition, refusal: { reason: string; unlock: string }): Failure {
  return new Failure('locked', refusal.reason, {
    details: { code: 'CONTEXT_LOCKED', guidance: { complexity: definition.complexity, unlock: refusal.unlock } },
    fix: { instruction: refusal.unlock, example: { filter: { complexity: 'simple' } }, why: 'Contexts open level by level' },
  });
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
  return new Failure('invalid_input', message, {
    details: { code: 'INVALID_VARIABLES', errors, guidance: { errors } },
    fix: {
      instruction:
        names.length > 0 ? `Send ${names.join(', ')} in initial_variables` : (problems[0]?.suggestion ?? 'Correct initial_variables'),
      example: { initial_variables: example },
      why: 'The flow of this context works with them from its first step on',
    },
  });
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
  return new Failure('not_found', `There is no session ${id.slice(0, 80)}`, {
    details: { code: 'SESSION_NOT_FOUND' },
    fix: {
      instruction: 'Start a new session: leave session_id out',
      example: { workflow_uri: 'workflow://incident-response' },
      why: 'Sessions belong to the user who started them',
    },
  });
}

export function wrongContext(session: Session): Failure {
  return new Failure('conflict', `The session runs ${session.uri}`, {
    details: { code: 'SESSION_CONFLICT' },
    fix: {
      instruction: 'Send the workflow_uri that the session was started with',
      example: { workflow_uri: session.uri, session_id: session.id },
      why: 'A session runs one context from its start to its end',
    },
  });
}

export function ended(session: Session): Failure {
  return new Failure('conflict', `The session is ${session.status}: it asks nothing any more`, {
    details: { code: 'SESSION_ENDED' },
    fix: { instruction: 'Start a new session', example: { workflow_uri: session.uri }, why: 'A session that has ended stays as it is' },
  });
}

export function unknownQuestion(id: string, open: Wait | undefined): Failure {
  return new Failure('conflict', `The session does not ask ${id.slice(0, 80)}${open ? `; it asks ${open.id}` : ''}`, {
    details: {
      code: 'QUESTION_NOT_ASKED',
      guidance: open ? { question: { id: open.id, text: open.text, schema: answering(open.answer).schema } } : {},
    },
    fix: {
      instruction: open ? 'Answer the question that is open' : 'Call again with session_id alone to see what the session waits for',
      example: open ? { step_result: { question_id: open.id, value: answering(open.answer).example } } : {},
      why: 'An answer is used only for the question that it was given to',
    },
  });
}

export function expiredAnswer(question: Wait): Failure {
  return new Failure('conflict', 'The question has expired: its answer came too late', {
    details: { code: 'ANSWER_EXPIRED', guidance: { question: { id: question.id, text: question.text } } },
    fix: {
      instruction: 'Call again with session_id and without step_result: the question is asked again',
      example: {},
      why: 'What was true when it was asked may not be true any more',
    },
  });
}

export function unreadableAnswer(question: Wait, problem: string): Failure {
  return new Failure('invalid_input', problem, {
    details: {
      code: 'INVALID_ANSWER',
      guidance: { question: { id: question.id, text: question.text, schema: answering(question.answer).schema } },
    },
    fix: {
      instruction: 'Answer as the schema of the question says',
      example: { step_result: { question_id: question.id, value: answering(question.answer).example } },
      why: 'The flow continues with the answer as it is',
    },
  });
}

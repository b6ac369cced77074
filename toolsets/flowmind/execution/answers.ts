import type { AnswerSchema } from '@millrace/kernel';
import { z } from 'zod';
import type { AnswerSpec } from '../language/flow.ts';
import { typeName } from '../language/values.ts';
import type { Machine } from './machine.ts';
import type { AnswerForm, Fiber, Wait } from './state.ts';

const MAX_ANSWER = 200_000;

type Read = { value: unknown } | { problem: string };

/** Reads an answer as its question wants it. A lone field may come bare or as {answer: …}. */
export function readAnswer(form: AnswerForm, given: unknown): Read {
  if ((JSON.stringify(given) ?? '').length > MAX_ANSWER) return { problem: `An answer may have at most ${MAX_ANSWER} characters` };
  switch (form.kind) {
    case 'any':
      return given === undefined || given === null || given === '' ? { problem: 'The result of the step is missing' } : { value: given };
    case 'approval':
      return readBoolean(unwrapped(given, 'approved'), 'Answer true or false');
    case 'judgement':
      return readBoolean(unwrapped(given, 'result'), 'Answer true or false: does the condition hold?');
    case 'choice':
      return readChoice(unwrapped(given, 'choice'), form.options);
    case 'field':
      return readField(unwrapped(given, 'answer'), form.spec);
    case 'object':
      return given !== null && typeof given === 'object' && !Array.isArray(given)
        ? { value: given }
        : { problem: 'Answer with an object that fits the schema' };
  }
}

function unwrapped(given: unknown, name: string): unknown {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return given;
  const object = given as Record<string, unknown>;
  return object[name] ?? object['answer'] ?? object['value'] ?? (Object.keys(object).length === 1 ? Object.values(object)[0] : given);
}

const YES = new Set(['true', 'yes', 'y', 'ok', 'approve', 'approved', 'go on', 'continue']);
const NO = new Set(['false', 'no', 'n', 'decline', 'declined', 'reject', 'rejected', 'stop', 'cancel']);

function readBoolean(given: unknown, problem: string): Read {
  if (typeof given === 'boolean') return { value: given };
  const word =
    typeof given === 'string'
      ? given
          .trim()
          .toLowerCase()
          .replace(/[.!]+$/, '')
      : '';
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : { problem };
}

function readChoice(given: unknown, options: string[]): Read {
  const found =
    options.find((option) => option === given) ?? options.find((option) => option.toLowerCase() === String(given).trim().toLowerCase());
  return found === undefined ? { problem: `Answer with one of ${options.join(', ')}` } : { value: found };
}

function readField(given: unknown, spec: AnswerSpec): Read {
  if (given === undefined || given === null || given === '') return spec.required ? { problem: 'The answer is missing' } : { value: null };
  if (spec.options) return readChoice(given, spec.options);
  if (spec.type === 'boolean') return readBoolean(given, 'Answer true or false');
  if (spec.type === 'string') return typeof given === 'object' ? { problem: 'Answer with text' } : { value: String(given) };
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: `Answer with a number, not ${typeName(given)}` };
  return spec.type === 'integer' && !Number.isInteger(number) ? { problem: 'Answer with a whole number' } : { value: number };
}

/** The schema of a bare answer, as the result of a session shows it. */
export function answerJsonSchema(form: AnswerForm): Record<string, unknown> {
  switch (form.kind) {
    case 'any':
      return { description: 'The result of the step: a text or any JSON value' };
    case 'approval':
    case 'judgement':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'string', enum: form.options };
    case 'object':
      return form.schema;
    case 'field':
      return form.spec.options ? { type: 'string', enum: form.spec.options } : { type: form.spec.type };
  }
}

/** The form that a client shows to a person. */
export function answerFormSchema(form: AnswerForm): AnswerSchema {
  switch (form.kind) {
    case 'approval':
      return z.object({ approved: z.boolean().describe('Whether to go on') });
    case 'judgement':
      return z.object({ result: z.boolean().describe('Whether the condition holds') });
    case 'choice':
      return z.object({ choice: z.enum(form.options as [string, ...string[]]) });
    case 'field':
      return z.object({ answer: fieldSchema(form.spec) });
    default:
      return z.object({ answer: z.string().min(1) });
  }
}

function fieldSchema(spec: AnswerSpec): z.ZodType {
  const type = spec.options
    ? z.enum(spec.options as [string, ...string[]])
    : { string: z.string(), number: z.number(), integer: z.int(), boolean: z.boolean() }[spec.type];
  return spec.required ? type : type.optional();
}

/** A value that fits, for an example of how to answer. */
export function exampleAnswer(form: AnswerForm): unknown {
  switch (form.kind) {
    case 'any':
      return '<the result of the step>';
    case 'approval':
    case 'judgement':
      return true;
    case 'choice':
      return form.options[0];
    case 'object':
      return {};
    case 'field':
      return form.spec.options?.[0] ?? { string: '<the answer>', number: 1, integer: 1, boolean: true }[form.spec.type];
  }
}

/** Hands an answer that was read to the fiber that waits for it. */
export function resume(machine: Machine, fiber: Fiber, wait: Wait, value: unknown): void {
  const about = wait.about ?? {};
  const node = machine.currentNode(fiber);
  const store = node && 'store' in node ? node.store : undefined;
  fiber.wait = undefined;
  fiber.status = 'ready';
  switch (wait.reason) {
    case 'step':
    case 'answer':
    case 'model_required':
      machine.state.stepsDone++;
      machine.deliver(fiber, value, store);
      return;
    case 'approval':
      if (value === true) fiber.approved = true;
      else machine.raise(fiber, { code: 'declined', message: `"${wait.step}" was declined`, step: wait.node });
      return;
    case 'judgement':
    case 'low_confidence':
      fiber.verdicts[about.key ?? ''] = value as boolean;
      return;
    case 'confirmation':
      resumeConfirmed(machine, fiber, wait, value === true, store);
      return;
    case 'tool_question':
      fiber.effect = about.effect && {
        ...about.effect,
        ...(about.effect.kind === 'tool' && { answer: { question_id: about.questionId ?? '', value } }),
      };
      fiber.status = 'effect';
      return;
    case 'tool_failed':
    case 'outcome_unknown':
      resumeFailed(machine, fiber, wait, value as string, store);
      return;
    default:
      throw new Error(`a fiber cannot wait for ${wait.reason}`);
  }
}

function resumeConfirmed(machine: Machine, fiber: Fiber, wait: Wait, confirmed: boolean, store: string | undefined): void {
  const { key, verdict, value } = wait.about ?? {};
  if (key !== undefined) fiber.verdicts[key] = confirmed ? (verdict ?? false) : !verdict;
  else if (confirmed) {
    machine.state.stepsDone++;
    machine.deliver(fiber, value, store);
  } else machine.raise(fiber, { code: 'declined', message: `The result of "${wait.step}" was declined`, step: wait.node });
}

export const FAILED_CHOICES = ['retry', 'skip', 'stop'];
export const UNKNOWN_CHOICES = ['it happened', 'do it again', 'stop'];

function resumeFailed(machine: Machine, fiber: Fiber, wait: Wait, choice: string, store: string | undefined): void {
  if (choice === 'retry' || choice === 'do it again') {
    const effect = wait.about?.effect;
    fiber.effect = effect && { ...effect, id: machine.nextId('e'), started: false };
    fiber.status = 'effect';
    return;
  }
  if (choice === 'skip' || choice === 'it happened') {
    machine.state.stepsDone++;
    machine.deliver(fiber, null, store);
    return;
  }
  const error = wait.about?.error ?? { code: 'stopped', message: `"${wait.step}" was stopped`, step: wait.node };
  machine.raise(fiber, { ...error, code: 'stopped' });
}

/** A limit was lifted, or not: without a yes the session ends. */
export function resumeHold(machine: Machine, wait: Wait, goOn: boolean): void {
  const { state } = machine;
  state.hold = undefined;
  if (!goOn) {
    const [main] = state.fibers;
    machine.drop(state.fibers.slice(1).map((each) => each.id));
    if (main) machine.raise(main, { code: 'declined', message: `The session was not let go on beyond ${wait.reason}`, step: wait.node });
    return;
  }
  if (wait.reason === 'max_steps') state.stepBudget = state.stepsStarted + state.options.maxSteps;
  else state.activeMs = 0;
}

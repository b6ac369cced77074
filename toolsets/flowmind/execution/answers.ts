import { type AnswerSchema, isRecord } from '@millrace/kernel';
import { z } from 'zod';
import type { AnswerSpec } from '../flow/nodes/ask.ts';
import type { AnswerForm, Wait } from '../flow/state.ts';
import { typeName } from '../language/values.ts';

const MAX_ANSWER = 200_000;

type Read = { value: unknown } | { problem: string };

/** One way to answer. */
interface Answering {
  read(given: unknown): Read;
  /** The schema of a bare answer, as the result of a session shows it. */
  schema: Record<string, unknown>;
  form?(): AnswerSchema;
  example: unknown;
}

function answering(form: AnswerForm): Answering {
  switch (form.kind) {
    case 'any':
      return {
        read: (given) => (isEmpty(given) ? { problem: 'The result of the step is missing' } : { value: given }),
        schema: { description: 'The result of the step: a text or any JSON value' },
        example: '<the result of the step>',
      };
    case 'approval':
      return {
        read: (given) => readBoolean(unwrapped(given, 'approved'), 'Answer true or false'),
        schema: { type: 'boolean' },
        form: () => z.object({ approved: z.boolean().describe('Whether to continue') }),
        example: true,
      };
    case 'judgement':
      return {
        read: (given) => readBoolean(unwrapped(given, 'result'), 'Answer true or false: does the condition hold?'),
        schema: { type: 'boolean' },
        form: () => z.object({ result: z.boolean().describe('Whether the condition holds') }),
        example: true,
      };
    case 'choice':
      return {
        read: (given) => readChoice(unwrapped(given, 'choice'), form.options),
        schema: { type: 'string', enum: form.options },
        form: () => z.object({ choice: z.enum(form.options) }),
        example: form.options[0],
      };
    case 'field':
      return {
        read: (given) => readField(unwrapped(given, 'answer'), form.spec),
        schema: form.spec.options ? { type: 'string', enum: form.spec.options } : { type: form.spec.type },
        form: () => z.object({ answer: fieldSchema(form.spec) }),
        example: form.spec.options?.[0] ?? { string: '<the answer>', number: 1, integer: 1, boolean: true }[form.spec.type],
      };
    case 'object':
      return {
        read: (given) => (isRecord(given) ? { value: given } : { problem: 'Answer with an object that fits the schema' }),
        schema: form.schema,
        example: {},
      };
  }
}

/** A question as a caller sees it. */
export function shownQuestion({ id, text, answer }: Wait): { id: string; text: string; schema: Record<string, unknown> } {
  return { id, text, schema: answering(answer).schema };
}

/** An answer that a question would take. */
export function exampleAnswer({ id, answer }: Wait): { question_id: string; value: unknown } {
  return { question_id: id, value: answering(answer).example };
}

/** Reads an answer as its question wants it. A lone field may come bare or as {answer: …}. */
export function readAnswer(form: AnswerForm, given: unknown): Read {
  if ((JSON.stringify(given) ?? '').length > MAX_ANSWER) return { problem: `An answer may have at most ${MAX_ANSWER} characters` };
  return answering(form).read(given);
}

/** The form that a client shows to a person. */
export function answerFormSchema(form: AnswerForm): AnswerSchema {
  return answering(form).form?.() ?? z.object({ answer: z.string().min(1) });
}

function isEmpty(given: unknown): boolean {
  return given === undefined || given === null || given === '';
}

function unwrapped(given: unknown, name: string): unknown {
  if (!isRecord(given)) return given;
  return given[name] ?? given['answer'] ?? given['value'] ?? (Object.keys(given).length === 1 ? Object.values(given)[0] : given);
}

const YES = new Set(['true', 'yes', 'y', 'ok', 'approve', 'approved', 'go on', 'continue']);
const NO = new Set(['false', 'no', 'n', 'decline', 'declined', 'reject', 'rejected', 'stop', 'cancel']);

function readBoolean(given: unknown, problem: string): Read {
  if (typeof given === 'boolean') return { value: given };
  const text = typeof given === 'string' ? given.trim().toLowerCase() : '';
  const word = text.replace(/[.!]+$/, '');
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : { problem };
}

function readChoice(given: unknown, options: string[]): Read {
  const found =
    options.find((option) => option === given) ?? options.find((option) => option.toLowerCase() === String(given).trim().toLowerCase());
  return found === undefined ? { problem: `Answer with one of ${options.join(', ')}` } : { value: found };
}

function readField(given: unknown, spec: AnswerSpec): Read {
  if (isEmpty(given)) return spec.required ? { problem: 'The answer is missing' } : { value: null };
  if (spec.options) return readChoice(given, spec.options);
  if (spec.type === 'boolean') return readBoolean(given, 'Answer true or false');
  if (spec.type === 'string') return typeof given === 'object' ? { problem: 'Answer with text' } : { value: String(given) };
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: `Answer with a number, not ${typeName(given)}` };
  return spec.type === 'integer' && !Number.isInteger(number) ? { problem: 'Answer with a whole number' } : { value: number };
}

function fieldSchema(spec: AnswerSpec): z.ZodType {
  const type = spec.options
    ? z.enum(spec.options)
    : { string: z.string(), number: z.number(), integer: z.int(), boolean: z.boolean() }[spec.type];
  return spec.required ? type : type.optional();
}

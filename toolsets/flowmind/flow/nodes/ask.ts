import { z } from 'zod';
import { filledIn, spokenText, type Template, type Value } from '../../language/template.ts';
import { hasBudget } from '../gates.ts';
import { defineNode, field, type NodeBase, ONE_STEP, stored, storeOf } from './node.ts';

/** A question for a person. */
export interface AskNode extends NodeBase {
  kind: 'ask';
  question: Template;
  answer: AnswerSpec;
  default: Value | undefined;
  store: string | undefined;
}

export interface AnswerSpec {
  type: 'string' | 'number' | 'integer' | 'boolean';
  options: string[] | undefined;
  required: boolean;
}

export const ask = defineNode({
  keys: ['ask'],
  usage: '`ask`, `type` or `options`, `default`',
  summary: 'A question for a person',
  fields: () => ({
    ask: field.text,
    type: z.enum(['string', 'text', 'number', 'integer', 'boolean']).optional(),
    options: z
      .array(z.union([field.text, z.number(), z.boolean()]))
      .min(1)
      .optional(),
    required: z.boolean().optional(),
    default: z.unknown().optional(),
    ...stored,
  }),

  compile(data, compiler, path) {
    const { type = 'text', options } = data;
    return {
      kind: 'ask',
      ...compiler.base(data, path),
      question: compiler.template(data.ask, [...path, 'ask']),
      answer: { type: options || type === 'text' ? 'string' : type, options: options?.map(String), required: data.required ?? true },
      default: data.default === undefined ? undefined : compiler.value(data.default, [...path, 'default']),
      store: storeOf(data),
    };
  },

  run(node: AskNode, visit) {
    const { machine, fiber, variables } = visit;
    const known = (node.store === undefined ? undefined : variables[node.store]) ?? undefined;
    if (machine.state.options.mode === 'autonomous' && (node.default !== undefined || known !== undefined)) {
      machine.note('answered', node.id, { by: known === undefined ? 'default' : 'variable' });
      machine.state.stepsDone++;
      machine.deliver(fiber, known ?? (node.default && filledIn(node.default, variables)));
      return;
    }
    if (!hasBudget(machine, node.id)) return;
    machine.state.stepsStarted++;
    machine.ask(fiber, {
      reason: 'answer',
      node: node.id,
      step: node.store ?? node.id,
      text: spokenText(node.question, variables).slice(0, 2_000),
      answer: { kind: 'field', spec: node.answer },
    });
  },

  preview: (node, preview) => ({ what: preview.text(node.question) }),
  steps: () => ONE_STEP,
});

import { z } from 'zod';
import { evaluate } from '../../language/evaluate.ts';
import type { Expression } from '../../language/expression.ts';
import { escaped, spokenText, type Template } from '../../language/template.ts';
import { isTrue } from '../../language/values.ts';
import { defineNode, field, type NodeBase } from './node.ts';

export type ValidateNode = NodeBase & { kind: 'validate'; rules: { condition: Expression; message: Template }[] };

const rule = z.strictObject({ condition: field.text, message: field.text.optional() });

export const validate = defineNode({
  keys: ['validate_input'],
  usage: '`validate_input`',
  summary: 'Rules with messages',
  fields: () => ({
    validate_input: z.union([
      z.array(z.union([field.text, rule])).min(1),
      z.strictObject({ required: z.array(field.text).optional(), rules: z.array(rule).optional() }),
    ]),
  }),

  compile(data, compiler, path) {
    const given = data.validate_input;
    const rules = Array.isArray(given) ? given : [...(given.required ?? []).map((name) => `exists(${name})`), ...(given.rules ?? [])];
    return {
      kind: 'validate',
      ...compiler.base(data, path),
      rules: rules.map((each, index) => {
        const at = [...path, 'validate_input', index];
        const { condition, message } = typeof each === 'string' ? { condition: each, message: undefined } : each;
        const shown = message ?? `The input must satisfy: ${escaped(condition)}`;
        return { condition: compiler.expression(condition, at), message: compiler.template(shown, at) };
      }),
    };
  },

  run(node: ValidateNode, { machine, fiber, variables }) {
    const broken = node.rules.find((each) => !isTrue(evaluate(each.condition, variables)));
    if (broken)
      machine.raise(fiber, { code: 'invalid_input', message: spokenText(broken.message, variables).slice(0, 500), step: node.id });
    else machine.next(fiber);
  },

  preview: (node) => ({ what: `Check ${node.rules.length} rules` }),
});

import { z } from 'zod';
import { filledIn, type Value } from '../../language/template.ts';
import { expressionFailure, typeName } from '../../language/values.ts';
import { defineNode, field, type NodeBase } from './node.ts';
import { assign } from './set.ts';

export type IncrementNode = NodeBase & { kind: 'increment'; variable: string; by: Value };

export const increment = defineNode({
  keys: ['increment'],
  usage: '`increment`, `by`',
  summary: 'Counts a variable up',
  fields: () => ({ increment: field.variable, by: z.union([z.number(), field.text]).optional() }),

  compile: (data, compiler, path) => ({
    kind: 'increment',
    ...compiler.base(data, path),
    variable: data.increment,
    by: compiler.value(data.by ?? 1, [...path, 'by']),
  }),

  run(node: IncrementNode, { machine, fiber, variables }) {
    const start = variables[node.variable] ?? 0;
    const by = filledIn(node.by, variables);
    if (typeof start !== 'number' || typeof by !== 'number')
      throw expressionFailure(`increment needs numbers, not ${typeName(typeof start === 'number' ? by : start)}`);
    assign(variables, node.variable, start + by);
    machine.next(fiber);
  },

  preview: (node) => ({ what: `Count ${node.variable} up` }),
});

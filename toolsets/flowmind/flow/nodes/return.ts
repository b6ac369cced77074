import { z } from 'zod';
import { filledIn, type Value } from '../../language/template.ts';
import { defineNode, type NodeBase } from './node.ts';

export type ReturnNode = NodeBase & { kind: 'return'; value: Value };

export const returnNode = defineNode({
  keys: ['return'],
  usage: '`return`',
  summary: 'Ends the context, the function or the task with a value',
  fields: () => ({ return: z.unknown() }),

  compile: (data, compiler, path) => ({
    kind: 'return',
    ...compiler.base(data, path),
    value: compiler.value(data.return, [...path, 'return']),
  }),

  run(node: ReturnNode, { machine, fiber, variables }) {
    machine.return(fiber, filledIn(node.value, variables));
  },

  preview: () => ({ what: 'Return the result' }),
});

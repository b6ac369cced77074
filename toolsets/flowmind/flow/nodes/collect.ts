import { z } from 'zod';
import { filledIn, type Value } from '../../language/template.ts';
import { expressionFailure, typeName } from '../../language/values.ts';
import { defineNode, field, type NodeBase } from './node.ts';
import { assign } from './set.ts';

/** Appends to a list. */
export type CollectNode = NodeBase & { kind: 'collect'; into: string; value: Value };

export const collect = defineNode({
  keys: ['collect'],
  usage: '`collect`, `into`',
  summary: 'Appends to a list',
  fields: () => ({ collect: z.unknown(), into: field.variable }),

  compile: (data, compiler, path) => ({
    kind: 'collect',
    ...compiler.base(data, path),
    into: data.into,
    value: compiler.value(data.collect, [...path, 'collect']),
  }),

  run(node: CollectNode, { machine, fiber, variables }) {
    const list = variables[node.into] ?? [];
    if (!Array.isArray(list)) throw expressionFailure(`${node.into} is ${typeName(list)}, not a list`);
    assign(variables, node.into, [...list, filledIn(node.value, variables)]);
    machine.next(fiber);
  },

  preview: (node) => ({ what: `Add to ${node.into}` }),
});

import { evaluate } from '../../language/evaluate.ts';
import type { Expression } from '../../language/expression.ts';
import { expressionFailure, typeName } from '../../language/values.ts';
import { type Condition, compileCondition } from '../condition.ts';
import { conditionOf } from '../gates.ts';
import type { Placed } from '../state.ts';
import { defineNode, field, type NodeBase, repeated, type Visit, wording } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface ForEachNode extends NodeBase {
  kind: 'for_each';
  item: string;
  list: Expression;
  where: Condition | undefined;
  body: FlowNode[];
}

export type ForEachFrame = Placed & { kind: 'each'; node: string; items: unknown[]; index: number };

const MAX_ITEMS = 10_000;

export const forEach = defineNode({
  keys: ['for_each'],
  usage: '`for_each: "x in xs"`, `where` or `where_semantic`, `do`',
  summary: 'Over a list',
  fields: (body) => ({
    for_each: field.text,
    where: field.expression.optional(),
    where_semantic: field.text.optional(),
    ...wording,
    do: body,
  }),

  compile(data, compiler, path) {
    const [, item, list] = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s+in\s+([\s\S]+)$/u.exec(data.for_each) ?? [];
    if (!item) {
      compiler.document.error([...path, 'for_each'], 'Write for_each as "item in items"');
      return undefined;
    }
    const filtered = data.where !== undefined || data.where_semantic !== undefined;
    return {
      kind: 'for_each',
      ...compiler.base(data, path),
      item,
      list: compiler.expression(list, [...path, 'for_each']),
      where: filtered ? compileCondition(compiler, { ...data, if: data.where, if_semantic: data.where_semantic }, path) : undefined,
      body: compiler.flow(data.do, [...path, 'do']),
    };
  },

  run(node: ForEachNode, { machine, fiber, frame: { uri, scope }, variables }) {
    const items = evaluate(node.list, variables) ?? [];
    if (!Array.isArray(items)) throw expressionFailure(`for_each needs a list, not ${typeName(items)}`);
    if (items.length > MAX_ITEMS) throw expressionFailure(`for_each takes at most ${MAX_ITEMS} items, not ${items.length}`);
    machine.next(fiber);
    fiber.stack.push({ kind: 'each', node: node.id, items, index: 0, uri, scope });
  },

  resume(node, visit: Visit<ForEachFrame>) {
    const { machine, fiber, frame } = visit;
    if (frame.index >= frame.items.length) {
      fiber.stack.pop();
      return;
    }
    const item = frame.items[frame.index];
    visit.variables[node.item] = item;
    if (node.where) {
      const holds = conditionOf(visit, node.where, `${frame.index}`, item);
      if (holds === undefined) return;
      fiber.verdicts = {};
      if (!holds) {
        frame.index++;
        return;
      }
    }
    frame.index++;
    machine.openBody(fiber, frame, node, node.body);
  },

  bodies: (node) => [node.body],
  preview: async (node, preview) => ({ what: `For each ${node.item}`, steps: await preview.flow(node.body) }),
  steps: (node, stepsOf) => repeated(stepsOf(node.body)),
});

import { z } from 'zod';
import type { FlowCompiler } from '../compile.ts';
import { type Condition, compileCondition } from '../condition.ts';
import type { Path } from '../document.ts';
import { decisionOf, needJudgement } from '../gates.ts';
import { defineNode, field, type NodeBase, oneOf, wording } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface IfNode extends NodeBase {
  kind: 'if';
  branches: { condition: Condition; body: FlowNode[] }[];
  otherwise: FlowNode[];
  /** Taken when a semantic condition stays unknown and nobody can be asked. */
  fallback: FlowNode[] | undefined;
}

// biome-ignore lint/suspicious/noThenProperty: the language has if … then
const taken = (body: z.ZodType) => ({ then: body.optional(), do: body.optional() });

export const ifNode = defineNode({
  keys: ['if', 'if_semantic'],
  weakKeys: ['when_semantic'],
  usage: '`if`/`then`/`elif`/`else`',
  summary: 'The first condition that holds; `if_semantic` for a condition in words',
  fields: (body) => ({
    if: field.expression.optional(),
    if_semantic: field.text.optional(),
    when_semantic: field.text.optional(),
    and_semantic: field.text.optional(),
    ...wording,
    ...taken(body),
    else: body.optional(),
    low_confidence_fallback: body.optional(),
    elif: z
      .array(
        z.strictObject({
          if: field.expression.optional(),
          elif: field.expression.optional(),
          condition: field.expression.optional(),
          if_semantic: field.text.optional(),
          and_semantic: field.text.optional(),
          ...wording,
          ...taken(body),
        }),
      )
      .optional(),
  }),

  compile(data, compiler, path) {
    const written = { ...data, if_semantic: data.if_semantic ?? data.when_semantic };
    const first = { condition: compileCondition(compiler, written, path), body: compileTaken(compiler, data, path) };
    const others = (data.elif ?? []).map((each, index) => {
      const at = [...path, 'elif', index];
      const condition = compileCondition(compiler, { ...each, if: each.if ?? each.elif ?? each.condition }, at);
      return { condition, body: compileTaken(compiler, each, at) };
    });
    return {
      kind: 'if',
      ...compiler.base(data, path),
      branches: [first, ...others],
      otherwise: compiler.flow(data.else, [...path, 'else']),
      fallback: compiler.optionalFlow(data.low_confidence_fallback, [...path, 'low_confidence_fallback']),
    };
  },

  run(node: IfNode, visit) {
    const { machine, fiber } = visit;
    for (const [index, each] of node.branches.entries()) {
      const decision = decisionOf(visit, each.condition, `${index}`);
      if (decision === 'pending') return;
      if (decision === 'unknown') {
        if (node.fallback) machine.branch(fiber, node, node.fallback, 'low_confidence_fallback');
        else needJudgement(visit);
        return;
      }
      if (decision) {
        machine.branch(fiber, node, each.body, index === 0 ? 'then' : `elif ${index}`);
        return;
      }
    }
    machine.branch(fiber, node, node.otherwise, 'else');
  },

  bodies: (node) => [...node.branches.map((branch) => branch.body), node.otherwise, ...(node.fallback ? [node.fallback] : [])],

  traits: ({ branches }) => ({ branches: true, judges: branches.some(({ condition }) => condition.kind !== 'expression') }),

  preview: async (node, preview) => ({
    what: 'Take the first branch whose condition holds',
    branches: await preview.branches(preview.alternatives(node.branches, node.otherwise)),
  }),

  steps: (node, stepsOf) => oneOf([...node.branches.map((branch) => stepsOf(branch.body)), stepsOf(node.otherwise)]),
});

function compileTaken(compiler: FlowCompiler, written: { then?: unknown; do?: unknown }, path: Path): FlowNode[] {
  const key = written.then === undefined ? 'do' : 'then';
  return compiler.flow(written[key], [...path, key]);
}

import { z } from 'zod';
import { type Condition, compileCondition } from '../condition.ts';
import { conditionOf } from '../gates.ts';
import type { Placed } from '../state.ts';
import { defineNode, field, type NodeBase, repeated, type Visit, wording } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface WhileNode extends NodeBase {
  kind: 'while';
  condition: Condition;
  /** `after` is do … while. */
  test: 'before' | 'after';
  maxIterations: number;
  timeoutMs: number | undefined;
  body: FlowNode[];
}

export type WhileFrame = Placed & { kind: 'while'; node: string; iterations: number; since: number };

const DEFAULT_ITERATIONS = 100;

export const whileNode = defineNode({
  keys: ['while', 'while_semantic'],
  usage: '`while`/`do`, `while_semantic`, `do` before `while`',
  summary: 'A loop, at most `max_iterations` times (100 when not given), `timeout` optional',
  fields: (body) => ({
    while: field.expression.optional(),
    while_semantic: field.text.optional(),
    and_while_semantic: field.text.optional(),
    ...wording,
    max_iterations: z.number().int().min(1).max(10_000).optional(),
    timeout: field.duration.optional(),
    do: body,
  }),

  compile(data, compiler, path, written) {
    const keys = Object.keys(written);
    const tested = keys.findIndex((key) => key === 'while' || key === 'while_semantic');
    const condition = { ...data, if: data.while, if_semantic: data.while_semantic, and_semantic: data.and_while_semantic };
    return {
      kind: 'while',
      ...compiler.base(data, path),
      condition: compileCondition(compiler, condition, path),
      test: keys.indexOf('do') < tested ? 'after' : 'before',
      maxIterations: data.max_iterations ?? DEFAULT_ITERATIONS,
      timeoutMs: compiler.duration(data.timeout, [...path, 'timeout']),
      body: compiler.flow(data.do, [...path, 'do']),
    };
  },

  run(node: WhileNode, { machine, fiber, frame: { uri, scope } }) {
    machine.next(fiber);
    fiber.stack.push({ kind: 'while', node: node.id, iterations: 0, since: machine.ports.now().getTime(), uri, scope });
  },

  resume(node, visit: Visit<WhileFrame>) {
    const { machine, fiber, frame } = visit;
    const limit = limitReached(node, visit);
    if (limit) {
      machine.note('loop_ended', node.id, { reason: limit, iterations: frame.iterations });
      fiber.stack.pop();
      return;
    }
    if (node.test === 'before' || frame.iterations > 0) {
      const holds = conditionOf(visit, node.condition, `${frame.iterations}`);
      if (holds === undefined) return;
      fiber.verdicts = {};
      if (!holds) {
        fiber.stack.pop();
        return;
      }
    }
    frame.iterations++;
    machine.openBody(fiber, frame, node, node.body);
  },

  bodies: (node) => [node.body],

  traits: ({ condition }) => ({ loops: true, judges: condition.kind !== 'expression' }),

  preview: async (node, preview) => ({
    what: `Repeat while ${preview.condition(node.condition)}, at most ${node.maxIterations} times`,
    steps: await preview.flow(node.body),
  }),

  steps(node, stepsOf) {
    const body = stepsOf(node.body);
    return repeated(body, node.test === 'after' ? body.least : 0);
  },
});

function limitReached(node: WhileNode, { machine, frame }: Visit<WhileFrame>): string | undefined {
  if (frame.iterations >= node.maxIterations) return 'max_iterations';
  return node.timeoutMs !== undefined && machine.ports.now().getTime() - frame.since > node.timeoutMs ? 'timeout' : undefined;
}

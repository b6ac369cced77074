import { z } from 'zod';
import { evaluate } from '../../language/evaluate.ts';
import type { Expression } from '../../language/expression.ts';
import { asText, same } from '../../language/values.ts';
import type { Path } from '../document.ts';
import { defineNode, field, type NodeBase, oneOf } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface SwitchNode extends NodeBase {
  kind: 'switch';
  on: Expression;
  cases: { values: unknown[]; body: FlowNode[] }[];
  otherwise: FlowNode[];
}

export const cases = z.union([field.values, z.array(field.values)]);

export const switchNode = defineNode({
  keys: ['switch'],
  usage: '`switch`/`cases`/`default`',
  summary: 'One of several, by value',
  fields: (body) => ({ switch: field.expression, cases, default: body.optional() }),

  compile(data, compiler, path) {
    const written = writtenCases(data.cases, path);
    const fallback = written.find((each) => each.label === 'default');
    return {
      kind: 'switch',
      ...compiler.base(data, path),
      on: compiler.expression(data.switch, [...path, 'switch']),
      cases: written
        .filter((each) => each !== fallback)
        .map((each) => ({ values: Array.isArray(each.label) ? each.label : [each.label], body: compiler.flow(each.body, each.path) })),
      otherwise: compiler.optionalFlow(data.default, [...path, 'default']) ?? compiler.flow(fallback?.body, fallback?.path ?? path),
    };
  },

  run(node: SwitchNode, { machine, fiber, variables }) {
    const on = evaluate(node.on, variables);
    const chosen = node.cases.find((each) => each.values.some((value) => same(value, on) || asText(value) === asText(on)));
    machine.branch(fiber, node, chosen?.body ?? node.otherwise, chosen ? asText(on) : 'default');
  },

  bodies: (node) => [...node.cases.map((each) => each.body), node.otherwise],

  traits: () => ({ branches: true }),

  preview: async (node, preview) => ({
    what: 'Take the case that fits',
    branches: await preview.branches([
      ...node.cases.map(({ values, body }) => ({ when: values.join(' or '), holds: null, body })),
      ...preview.alternatives([], node.otherwise),
    ]),
  }),

  steps: (node, stepsOf) => oneOf([...node.cases.map((each) => stepsOf(each.body)), stepsOf(node.otherwise)]),
});

interface WrittenCase {
  label: unknown;
  body: unknown;
  path: Path;
  written: Record<string, unknown>;
}

const LABELS = ['case', 'when', 'value', 'condition', 'if_semantic', 'semantic'];

/** `{value: [nodes]}`, or a list of `{case: value, do: [nodes]}`. */
export function writtenCases(given: z.output<typeof cases>, path: Path): WrittenCase[] {
  if (!Array.isArray(given)) {
    return Object.entries(given).map(([label, body]) => ({ label, body, path: [...path, 'cases', label], written: {} }));
  }
  return given.map((written, index) => {
    const key = written['then'] === undefined ? 'do' : 'then';
    const label = LABELS.map((each) => written[each]).find((value) => value !== undefined && value !== null);
    return { label, body: written[key], path: [...path, 'cases', index, key], written };
  });
}

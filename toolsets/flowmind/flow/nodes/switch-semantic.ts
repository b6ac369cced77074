import { z } from 'zod';
import { filledIn, type Value } from '../../language/template.ts';
import { asText } from '../../language/values.ts';
import { compileSemantic, type SemanticCondition } from '../condition.ts';
import { decisionOf, needJudgement } from '../gates.ts';
import { defineNode, field, type NodeBase, oneOf } from './node.ts';
import type { FlowNode } from './registry.ts';
import { cases, writtenCases } from './switch.ts';

export interface SwitchSemanticNode extends NodeBase {
  kind: 'switch_semantic';
  on: Value;
  cases: { condition: SemanticCondition; body: FlowNode[] }[];
  otherwise: FlowNode[];
  fallback: FlowNode[] | undefined;
}

export const switchSemantic = defineNode({
  keys: ['switch_semantic'],
  usage: '`switch_semantic`/`cases`/`default`',
  summary: 'One of several, each a condition in words',
  fields: (body) => ({
    switch_semantic: z.unknown(),
    cases,
    confidence_threshold: field.threshold.optional(),
    default: body.optional(),
    low_confidence_fallback: body.optional(),
  }),

  compile(data, compiler, path) {
    const compiled = writtenCases(data.cases, path).map(({ label, body, path: at, written }) => {
      const words = typeof label === 'string' ? label : '';
      if (!words) compiler.document.error(at, 'A case needs a condition in words');
      const examples = Array.isArray(written['examples']) ? written['examples'].map(String) : undefined;
      const condition = { confidence_threshold: data.confidence_threshold, examples };
      return { condition: compileSemantic(compiler, words.replaceAll('_', ' '), condition, at), body: compiler.flow(body, at) };
    });
    return {
      kind: 'switch_semantic',
      ...compiler.base(data, path),
      on: compiler.value(data.switch_semantic, [...path, 'switch_semantic']),
      cases: compiled,
      otherwise: compiler.flow(data.default, [...path, 'default']),
      fallback: compiler.optionalFlow(data.low_confidence_fallback, [...path, 'low_confidence_fallback']),
    };
  },

  run(node: SwitchSemanticNode, visit) {
    const { machine, fiber } = visit;
    const about = filledIn(node.on, visit.variables);
    let unknown = false;
    for (const [index, each] of node.cases.entries()) {
      const decision = decisionOf(visit, each.condition, `${index}`, about);
      if (decision === 'pending') return;
      if (decision === true) {
        machine.branch(fiber, node, each.body, asText(each.condition.text.join('')));
        return;
      }
      unknown ||= decision === 'unknown';
    }
    if (unknown && node.fallback) machine.branch(fiber, node, node.fallback, 'low_confidence_fallback');
    else if (unknown) needJudgement(visit);
    else machine.branch(fiber, node, node.otherwise, 'default');
  },

  bodies: (node) => [...node.cases.map((each) => each.body), node.otherwise, ...(node.fallback ? [node.fallback] : [])],

  traits: () => ({ branches: true, judges: true }),

  preview: async (node, preview) => ({
    what: 'Take the case that fits, in words',
    branches: await preview.branches(preview.alternatives(node.cases, node.otherwise)),
  }),

  steps: (node, stepsOf) => oneOf([...node.cases.map((each) => stepsOf(each.body)), stepsOf(node.otherwise)]),
});

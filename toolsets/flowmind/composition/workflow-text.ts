import { Document, isMap, isSeq } from 'yaml';
import { DOMAINS } from '../flow/context.ts';
import { toolName } from '../flow/nodes/call.ts';
import { ExpressionSyntaxError, parseExpression } from '../language/expression.ts';
import type { Component, Composition } from './components.ts';

interface CommentedNode {
  node: Record<string, unknown>;
  comment: string;
}

const DEFAULT_ROUNDS = 3;
const ACCEPTED = 'the review finds nothing that must still be changed';

/** The composed workflow as a file that people can read and change. */
export function workflowText(composition: Composition, components: Component[]): string {
  const { name, description, variables } = composition;
  const parts = flowOf(composition, components);
  const document = new Document({
    metadata: {
      type: 'workflow',
      id: name,
      name: titleOf(name),
      version: '1.0.0',
      description: description ?? `${titleOf(name)}: ${components.map(({ uri }) => uri).join(', ')}`,
      ...domainOf(components),
      tags: ['composed', composition.flow_type],
      dependencies: [...new Set(components.map(({ uri }) => uri))],
    },
    activation_conditions: { semantic_if: description ?? `the request needs ${titleOf(name).toLowerCase()}`, confidence_threshold: 0.7 },
    variables: Object.fromEntries([
      ...(variables?.required ?? []).map((each) => [each, { required: true, ...described(each, components) }]),
      ...(variables?.optional ?? []).map((each) => [each, { required: false, ...described(each, components) }]),
    ]),
    examples: components.flatMap(({ role, definition }) => (role === 'primary' ? (definition?.examples.slice(0, 5) ?? []) : [])),
    flow: parts.map(({ node }) => node),
  });
  document.commentBefore = ` ${titleOf(name)}: ${components.length} components, ${composition.flow_type}.\n Change it freely; the command "context lint" checks it.`;
  const flow = document.get('flow');
  if (isSeq(flow)) {
    flow.items.forEach((item, index) => {
      if (isMap(item)) item.commentBefore = ` ${parts[index]?.comment ?? ''}`;
    });
  }
  return document.toString({ lineWidth: 120 });
}

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function described(name: string, components: Component[]): { description?: string } {
  const description = components.map(({ definition }) => definition?.variables[name]?.description).find(Boolean);
  return description ? { description } : {};
}

function domainOf(components: Component[]): { domain?: string } {
  const counts = DOMAINS.map((domain) => ({ domain, count: components.filter(({ definition }) => definition?.domain === domain).length }));
  const [best] = counts.sort((a, b) => b.count - a.count);
  return best && best.count > 0 ? { domain: best.domain } : {};
}

function flowOf(composition: Composition, components: Component[]): CommentedNode[] {
  const last = components.filter(({ role }) => role === 'synthesis');
  const rest = components.filter(({ role }) => role !== 'synthesis');
  const results = returned(components);
  const ending: CommentedNode = { comment: 'What came out, by component', node: { return: results } };
  const synthesis = last.map((component) => conditioned(component, { results }));
  switch (composition.flow_type) {
    case 'sequential':
      return [...components.map((component) => conditioned(component)), ending];
    case 'parallel':
      return [parallelOf(rest), ...synthesis, ending];
    case 'conditional':
      return [...conditionalOf(rest), ...synthesis, ending];
    case 'iterative':
      return [...iterativeOf(rest), ...synthesis, ending];
  }
}

function returned(components: Component[]): Record<string, string> {
  return Object.fromEntries(components.map(({ result }) => [result, `\${${result}}`]));
}

/** The call of one component, without its condition. */
function callOf(component: Component, further: Record<string, unknown> = {}): Record<string, unknown> {
  const { uri, configuration, result, definition } = component;
  const given = { ...configuration };
  if (uri.startsWith('tool://')) {
    const needed = (definition?.needs ?? []).filter((name) => !Object.hasOwn(given, name));
    const fixed = definition?.action?.parameters ?? {};
    const parameters = { ...fixed, ...Object.fromEntries(needed.map((name) => [name, `\${${name}}`])), ...given };
    return { call: definition?.action?.tool ?? toolName(uri), with: parameters, store_as: result };
  }
  return { workflow: uri, with: { ...further, ...given }, store_as: result };
}

function commentOf({ role, uri, when }: Component): string {
  return `${role}: ${uri}${when ? `, when ${when.replaceAll('\n', ' ')}` : ''}`;
}

function conditioned(component: Component, further: Record<string, unknown> = {}): CommentedNode {
  const call = callOf(component, further);
  const node = component.when === undefined ? call : when(conditionOf(component.when), [call]);
  return { comment: commentOf(component), node };
}

function when(condition: object, body: object[]): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: the language has if … then
  return { ...condition, then: body };
}

/** Conditions in words are judged when the flow runs. */
function conditionOf(when: string): { if: string } | { if_semantic: string } {
  try {
    const expression = parseExpression(when);
    const isBareWord = expression.kind === 'variable' && when.includes(' ');
    return isBareWord ? { if_semantic: when } : { if: when };
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return { if_semantic: when };
    throw error;
  }
}

function parallelOf(components: Component[]): CommentedNode {
  const tasks = components.map((component) => ({ task: component.result, do: [conditioned(component).node] }));
  return {
    comment: 'All at the same time',
    node: { parallel: { max_concurrency: 5, tasks, collect_results: 'results' }, wait_for: 'all' },
  };
}

/** The first alternative whose condition holds; validation then runs on its result. */
function conditionalOf(components: Component[]): CommentedNode[] {
  const alternatives = components.filter(({ role }) => role !== 'validation');
  const validation = components.filter(({ role }) => role === 'validation').map((component) => conditioned(component));
  const [first, ...others] = alternatives.filter(({ when }) => when !== undefined);
  const otherwise = alternatives.find(({ when }) => when === undefined);
  if (!first) return [...alternatives.map((component) => conditioned(component)), ...validation];
  const node = {
    ...when(conditionOf(first.when ?? ''), [callOf(first)]),
    ...(others.length > 0 && { elif: others.map((each) => when(conditionOf(each.when ?? ''), [callOf(each)])) }),
    ...(otherwise && { else: [callOf(otherwise)] }),
  };
  return [{ comment: `The first that fits: ${alternatives.map(({ uri }) => uri).join(', ')}`, node }, ...validation];
}

/** Round after round, until the review is satisfied or the result no longer changes. */
function iterativeOf(components: Component[]): CommentedNode[] {
  const work = components.filter(({ role }) => role !== 'validation');
  const review = components.filter(({ role }) => role === 'validation');
  const rounds =
    components.map(({ configuration }) => configuration?.['max_iterations']).find((each) => typeof each === 'number') ?? DEFAULT_ROUNDS;
  const withoutRounds = (component: Component): Component => {
    const { max_iterations: _rounds, ...configuration } = component.configuration ?? {};
    return { ...component, configuration };
  };
  const [main] = work;
  const lastReview = review.at(-1);
  const settled = [{ set: { settled: true } }];
  const stop = lastReview
    ? [
        {
          ...when({ if_semantic: ACCEPTED }, settled),
          about: `\${${lastReview.result}}`,
          low_confidence_fallback: [{ set: { settled: true, review_open: true } }],
        },
      ]
    : [when({ if: `${main?.result} == last_result` }, settled), { set: { last_result: `\${${main?.result}}` } }];
  return [
    {
      comment: 'Rounds are counted, and the last result is kept to see what changed',
      node: { set: { round: 0, settled: false, last_result: null } },
    },
    {
      comment: `At most ${rounds} rounds`,
      node: {
        while: `NOT settled AND round < ${rounds}`,
        max_iterations: rounds,
        do: [
          { increment: 'round' },
          ...work.map((component) => conditioned(withoutRounds(component)).node),
          ...review.map((component) => conditioned(withoutRounds(component), { result: `\${${main?.result}}` }).node),
          ...stop,
        ],
      },
    },
  ];
}

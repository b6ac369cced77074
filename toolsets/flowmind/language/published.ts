import type { Context } from '@millrace/kernel';
import { type ContextDefinition, DOMAINS, type VariableSpec } from './context.ts';
import type { Value } from './flow.ts';

const ANY: VariableSpec = {
  type: 'any',
  required: false,
  values: undefined,
  default: undefined,
  description: undefined,
  minimum: undefined,
  maximum: undefined,
  maxLength: undefined,
};

/** What another toolset publishes, as a context: running it makes the one call that it names, with the variables as parameters. */
export function fromPublished(context: Context): ContextDefinition {
  const names = [...context.variables.required, ...context.variables.optional];
  const fixed = Object.entries(context.action.parameters).map(([key, value]): [string, Value] => [key, { kind: 'literal', value }]);
  const given = names
    .filter((name) => !Object.hasOwn(context.action.parameters, name))
    .map((name): [string, Value] => [name, { kind: 'expression', expression: { kind: 'variable', name } }]);
  return {
    uri: context.uri,
    type: context.type,
    id: context.uri.slice(context.uri.lastIndexOf('/') + 1),
    name: context.name,
    version: '1.0.0',
    description: context.description,
    domain: DOMAINS.find((domain) => domain === context.domain),
    category: undefined,
    tags: context.tags,
    complexity: context.complexity,
    dependencies: [],
    activation: { condition: context.description, confidenceThreshold: 0.7, requiresVariables: [] },
    variables: Object.fromEntries(names.map((name) => [name, { ...ANY, required: context.variables.required.includes(name) }])),
    examples: context.examples,
    flow: [
      {
        kind: 'call',
        id: 'run',
        position: { line: 1, column: 1 },
        target: { kind: 'tool', name: context.action.tool },
        with: [...fixed, ...given],
        store: 'result',
      },
    ],
    functions: {},
    persona: undefined,
    stoppingCondition: undefined,
    action: context.action,
    source: { kind: 'toolset', path: undefined, text: JSON.stringify({ ...context, updatedAt: undefined }) },
    updatedAt: context.updatedAt,
  };
}

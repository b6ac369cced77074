import type { Context } from '@millrace/kernel';
import type { Value } from '../language/template.ts';
import type { FlowNode } from './nodes/registry.ts';

export const CONTEXT_TYPES = ['workflow', 'agent', 'pattern', 'tool'] as const;
export type ContextType = (typeof CONTEXT_TYPES)[number];

export const DOMAINS = ['technical', 'creative', 'business', 'regulatory', 'personal', 'emergency'] as const;
export type Domain = (typeof DOMAINS)[number];

export const COMPLEXITIES = ['simple', 'moderate', 'complex', 'expert'] as const;
export type Complexity = (typeof COMPLEXITIES)[number];

/** What a context's file says, parsed and checked: the one form that discovery, execution and composition work with. */
export interface ContextDefinition {
  /** `<type>://<slug>[/<slug>…]`, the published pattern. */
  uri: string;
  type: ContextType;
  id: string;
  name: string;
  version: string;
  description: string;
  domain?: Domain | undefined;
  /** The author's own grouping, where it is none of the six domains. */
  category?: string | undefined;
  tags: string[];
  complexity: Complexity;
  /** URIs that the author names as needed, and those that the flow uses. */
  dependencies: string[];
  activation: Activation;
  variables: Record<string, VariableSpec>;
  /** Sentences that a person would say when they need this. */
  examples: string[];
  /** The names of the variables that a run cannot start without. */
  needs: string[];
  outline: Outline;
  /** Never empty: an agent or a pattern without a flow of its own has one step. */
  flow: FlowNode[];
  functions: Record<string, FunctionDefinition>;
  /** Who to be while a step of this context is done: for agents. */
  persona?: string | undefined;
  /** When it is finished, in words. */
  stoppingCondition?: string | undefined;
  /** Set for contexts of other toolsets: the call that runs it. */
  action?: { tool: string; parameters: Record<string, unknown> };
  source: ContextSource;
  updatedAt?: Date | undefined;
}

/** What running a context will be like, read off its flow once. */
export interface Outline extends Traits {
  /** How many steps a run takes, as far as that can be known before; without `most` there is no end to them. */
  steps: { least: number; most?: number };
}

/** What matters about a flow to those who choose it. */
export interface Traits {
  loops: boolean;
  branches: boolean;
  /** It judges in words what the user said. */
  judges: boolean;
}

export interface ContextSource {
  kind: 'builtin' | 'workspace' | 'skill' | 'toolset' | 'composed';
  /** The file, where there is one. */
  path: string | undefined;
  /** The text that it was parsed from: what a running session is pinned to. */
  text: string;
}

export interface Activation {
  condition: string;
  confidenceThreshold: number;
  requiresVariables: string[];
}

export const VARIABLE_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'any'] as const;
type VariableType = (typeof VARIABLE_TYPES)[number];

export interface VariableSpec {
  type: VariableType;
  required: boolean;
  /** The permitted values, when there is a closed set of them. */
  values?: (string | number | boolean)[] | undefined;
  /** A literal, or an expression over the other variables. */
  default?: Value | undefined;
  description?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  maxLength?: number | undefined;
}

export interface FunctionDefinition {
  name: string;
  parameters: { name: string; required: boolean; default: Value | undefined }[];
  /** How deep it may call itself. */
  maxDepth: number;
  body: FlowNode[];
}

/** A finding about a context's file. Lines and columns start at 1. */
export interface ContextIssue {
  severity: 'error' | 'warning';
  message: string;
  line: number;
  column: number;
  /** Where in the file, as in `flow[2].then[0]`. */
  path: string;
}

/** A definition comes out unless there is an issue of severity error. */
export type ParsedContext = { definition: ContextDefinition; issues: ContextIssue[] } | { definition: undefined; issues: ContextIssue[] };

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
    tags: context.tags,
    complexity: context.complexity,
    dependencies: [],
    activation: { condition: context.description, confidenceThreshold: 0.7, requiresVariables: [] },
    variables: Object.fromEntries(names.map((name) => [name, { type: 'any', required: context.variables.required.includes(name) }])),
    needs: context.variables.required,
    outline: { steps: { least: 1, most: 1 }, loops: false, branches: false, judges: false },
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
    action: context.action,
    source: { kind: 'toolset', path: undefined, text: JSON.stringify({ ...context, updatedAt: undefined }) },
    updatedAt: context.updatedAt,
  };
}

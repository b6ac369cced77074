import { nearest } from '@millrace/kernel';
import { everyNode, type FlowNode, kindOf } from '../nodes/registry.ts';
import { FlowCompiler, slug } from './compile.ts';
import {
  COMPLEXITIES,
  type Complexity,
  type ContextDefinition,
  type ContextSource,
  DOMAINS,
  type Domain,
  type FunctionDefinition,
  type ParsedContext,
} from './context.ts';
import { ContextDocument, type Path } from './document.ts';
import { type ContextFile, contextFile } from './schema.ts';
import { escaped } from './template.ts';
import { parseVariables } from './variables.ts';

export interface ParseOptions {
  /** Where the text is from: its folder or file name gives the URI when the text names no id. */
  path?: string;
  kind: ContextSource['kind'];
  /** The URI, where it is known already. */
  uri?: string;
  updatedAt?: Date;
}

const DEFAULT_THRESHOLD = 0.7;
const DEFAULT_DEPTH = 10;

/** Reads a context's file. Every finding has its line and column; a definition comes out unless one of them is an error. */
export function parseContext(text: string, options: ParseOptions): ParsedContext {
  const document = new ContextDocument(text);
  const file = readFile(document);
  if (!file) return { definition: undefined, issues: document.issues };
  const definition = define(document, file, text, options);
  return document.broken ? { definition: undefined, issues: document.issues } : { definition, issues: document.issues };
}

function readFile(document: ContextDocument): ContextFile | undefined {
  const value = document.value();
  if (document.broken) return undefined;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    document.error([], 'A context is a YAML map with metadata and a flow');
    return undefined;
  }
  const parsed = contextFile.safeParse(value);
  if (parsed.success) {
    warnAboutUnknown(document, value);
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    const path = issue.path as Path;
    document.error(path, `${path.join('.') || 'file'}: ${issue.message}`);
  }
  return undefined;
}

/** A misspelt section would otherwise be dropped in silence. Sections of the origin's that have no meaning here are left in peace. */
function warnAboutUnknown(document: ContextDocument, value: object): void {
  const known = Object.keys(contextFile.shape);
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const [close] = nearest(key, known, 1);
    if (close && !key.includes(close) && !close.includes(key))
      document.warning([key], `Unknown section "${key}"; did you mean "${close}"?`);
  }
}

function define(document: ContextDocument, file: ContextFile, text: string, options: ParseOptions): ContextDefinition {
  const metadata = file.metadata ?? (file as ContextFile['metadata'] & object);
  const fileType = metadata.type ?? (file['type'] as string | undefined) ?? typeFromPath(options.path) ?? 'workflow';
  const type = fileType === 'workflow' || fileType === 'agent' || fileType === 'tool' ? fileType : 'pattern';
  const uri = options.uri ?? uriOf(document, type, metadata.id, options.path, metadata.name);
  const activation = file.activation_conditions ?? file.activation ?? {};
  const description = metadata.description ?? firstText(activation.semantic_if) ?? '';
  const name = metadata.name ?? titled(uri);
  const persona = personaOf(file);
  const compiler = new FlowCompiler(document, new Set(Object.keys(file.functions ?? {})));
  const functions = compileFunctions(compiler, file);
  const { written, path } = writtenFlow(file);
  const compiled = compiler.flow(written, path);
  const flow = compiled.length > 0 ? compiled : compiler.flow([onlyStep(file, name, description, persona)], path);
  if (compiled.length === 0 && type === 'workflow' && !document.broken)
    document.warning(path, 'A workflow without steps or a flow is one step: do what its description says');
  if (!description) document.warning(['metadata'], 'A description is missing: without it and without examples nobody finds this context');
  return {
    uri,
    type,
    id: uri.slice(uri.lastIndexOf('/') + 1),
    name,
    version: String(metadata.version ?? '1.0.0'),
    description,
    ...domainOf(metadata),
    tags: list(metadata.tags),
    complexity: complexityOf(metadata.complexity, flow),
    dependencies: dependenciesOf(metadata.dependencies, flow, functions),
    activation: {
      condition: firstText(activation.semantic_if) ?? firstText(activation.condition) ?? description,
      confidenceThreshold: activation.confidence_threshold ?? DEFAULT_THRESHOLD,
      requiresVariables: list(activation.requires_variables),
    },
    variables: parseVariables(document, compiler, file.variables),
    examples: file.examples ?? [],
    flow,
    functions,
    persona,
    stoppingCondition: file.stopping_condition,
    action: undefined,
    source: { kind: options.kind, path: options.path, text },
    updatedAt: options.updatedAt,
  };
}

function typeFromPath(path: string | undefined): string | undefined {
  const folder = /(?:^|[\\/])(workflow|agent|pattern|tool)s?[\\/]/.exec(path ?? '');
  return folder?.[1];
}

/** contexts/agents/ceo/context.yaml is agent://ceo, contexts/workflows/release.yaml is workflow://release. */
function uriOf(
  document: ContextDocument,
  type: string,
  id: string | undefined,
  path: string | undefined,
  name: string | undefined,
): string {
  const parts = (path ?? '').split(/[\\/]/).filter(Boolean);
  const file = parts.at(-1)?.replace(/\.[^.]+$/, '');
  const fromPath = file === 'context' || file === 'SKILL' ? parts.at(-2) : file;
  const stripped = id?.replace(/^[a-z]+:\/\//, '');
  const wanted = stripped ?? fromPath ?? name ?? '';
  const slugs = wanted.split('/').map(slug).filter(Boolean);
  if (slugs.length === 0) document.error(['metadata', 'id'], 'metadata.id is missing');
  else if (stripped && slugs.join('/') !== stripped) {
    document.warning(
      ['metadata', 'id'],
      `The id "${stripped.slice(0, 60)}" is used as "${slugs.join('/')}": small letters, digits and hyphens`,
    );
  }
  return `${type}://${slugs.join('/')}`;
}

function titled(uri: string): string {
  const words = uri.slice(uri.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The places where the origin's files keep their steps. */
function writtenFlow(file: ContextFile): { written: unknown; path: Path } {
  const places: Path[] = [
    ['flow'],
    ['steps'],
    ['context', 'flow'],
    ['context', 'steps'],
    ['workflow_config', 'flow'],
    ['workflow_config', 'steps'],
    ['workflow', 'flow'],
    ['workflow', 'steps'],
  ];
  for (const path of places) {
    const written = at(file, path);
    if (written === undefined || written === null) continue;
    if (Array.isArray(written)) return { written, path };
    if (typeof written === 'object') return flowObject(written as Record<string, unknown>, path);
  }
  return { written: undefined, path: ['flow'] };
}

/** `flow: {type: recursive_loop, while_semantic: …, do: […]}`, or `flow: {steps: […]}`. */
function flowObject(written: Record<string, unknown>, path: Path): { written: unknown; path: Path } {
  if (Array.isArray(written['steps'])) return { written: written['steps'], path: [...path, 'steps'] };
  const { type: _type, description: _description, branches, ...node } = written;
  return { written: { ...node, ...(branches !== undefined && node['do'] === undefined && { do: branches }) }, path };
}

function at(value: unknown, path: Path): unknown {
  let current = value;
  for (const key of path) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

const PERSONA_PLACES: Path[] = [
  ['persona'],
  ['context', 'persona'],
  ['agent_config', 'persona'],
  ['prompt'],
  ['context', 'prompt'],
  ['agent_config', 'prompt'],
  ['system_prompt'],
  ['agent_config', 'system_prompt'],
];

function personaOf(file: ContextFile): string | undefined {
  return PERSONA_PLACES.map((path) => at(file, path)).find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

/** An agent or a pattern without a flow is one step: be that, and answer. */
function onlyStep(file: ContextFile, name: string, description: string, persona: string | undefined): Record<string, unknown> {
  const asked = at(file, ['instruction']);
  return {
    step: name,
    instruction: typeof asked === 'string' ? asked : escaped(description || `Answer as ${name}`),
    ...(persona !== undefined && { persona: escaped(persona) }),
  };
}

function compileFunctions(compiler: FlowCompiler, file: ContextFile): Record<string, FunctionDefinition> {
  const functions: Record<string, FunctionDefinition> = {};
  for (const [name, written] of Object.entries(file.functions ?? {})) {
    const key = written.steps ? 'steps' : written.flow ? 'flow' : 'do';
    const path = ['functions', name];
    const body = compiler.flow(written[key], [...path, key]);
    if (body.length === 0) compiler.document.error(path, `The function ${name} has no steps`);
    functions[name] = {
      name,
      parameters: parametersOf(compiler, written.parameters, [...path, 'parameters']),
      maxDepth: written.max_depth ?? DEFAULT_DEPTH,
      body,
    };
  }
  return functions;
}

function parametersOf(compiler: FlowCompiler, written: unknown, path: Path): FunctionDefinition['parameters'] {
  const entries: [string, unknown][] = Array.isArray(written)
    ? written.map((each) => (typeof each === 'string' ? [each, {}] : [String((each as { name?: unknown }).name ?? ''), each]))
    : Object.entries((written ?? {}) as Record<string, unknown>);
  return entries.map(([name, spec]) => {
    const object = spec !== null && typeof spec === 'object' ? (spec as Record<string, unknown>) : {};
    const given = object['default'];
    return {
      name,
      required: object['required'] === true,
      default: given === undefined ? undefined : compiler.value(given, [...path, name, 'default']),
    };
  });
}

function domainOf(metadata: NonNullable<ContextFile['metadata']>): { domain: Domain | undefined; category: string | undefined } {
  const category = metadata.category;
  const domain = metadata.domain ?? DOMAINS.find((each) => each === category?.toLowerCase());
  return { domain, category };
}

const STEPS_OF_COMPLEXITY: [number, Complexity][] = [
  [4, 'simple'],
  [10, 'moderate'],
  [25, 'complex'],
];

/** The author's word, a number from 1 to 10, or the number of nodes. */
function complexityOf(written: Complexity | number | undefined, flow: FlowNode[]): Complexity {
  if (typeof written === 'string') return written;
  if (written !== undefined) return COMPLEXITIES[Math.min(3, Math.floor((Math.max(1, written) - 1) / 2.5))] as Complexity;
  const nodes = [...everyNode(flow)].length;
  return STEPS_OF_COMPLEXITY.find(([most]) => nodes <= most)?.[1] ?? 'expert';
}

function dependenciesOf(written: unknown, flow: FlowNode[], functions: Record<string, FunctionDefinition>): string[] {
  const named = typeof written === 'string' ? [written] : Array.isArray(written) ? written.map(String) : [];
  const used: string[] = [];
  for (const nodes of [flow, ...Object.values(functions).map((each) => each.body)]) {
    for (const node of everyNode(nodes)) used.push(...(kindOf(node).uses?.(node) ?? []));
  }
  return [...new Set([...named, ...used])];
}

function firstText(written: string | string[] | undefined): string | undefined {
  return Array.isArray(written) ? written.join('; ') || undefined : written;
}

function list(written: string | string[] | undefined): string[] {
  return written === undefined
    ? []
    : Array.isArray(written)
      ? written
      : written
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean);
}

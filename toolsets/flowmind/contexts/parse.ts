import { isRecord, nearest } from '@millrace/kernel';
import { FlowCompiler, slug } from '../flow/compile.ts';
import {
  COMPLEXITIES,
  type Complexity,
  type ContextDefinition,
  type ContextSource,
  DOMAINS,
  type FunctionDefinition,
  type ParsedContext,
} from '../flow/context.ts';
import { ContextDocument, type Path } from '../flow/document.ts';
import { everyNode, type FlowNode, kindOf, outlineOf } from '../flow/nodes/registry.ts';
import { escaped } from '../language/template.ts';
import { type ContextFile, contextFile } from './schema.ts';
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
  if (!isRecord(value)) {
    document.error([], 'A context is a YAML map with metadata and a flow');
    return undefined;
  }
  const parsed = contextFile.safeParse(value);
  if (parsed.success) {
    warnAboutUnknown(document, value);
    return parsed.data;
  }
  for (const issue of parsed.error.issues) document.refuse(issue, [], 'file');
  return undefined;
}

/** A misspelt section would otherwise be dropped in silence. Sections of the origin's that mean nothing here are ignored. */
function warnAboutUnknown(document: ContextDocument, value: object): void {
  const known = Object.keys(contextFile.shape);
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const [close] = nearest(key, known, 1);
    if (close && !key.includes(close) && !close.includes(key))
      document.warning([key], `Unknown section "${key}"; did you mean "${close}"?`);
  }
}

type Metadata = NonNullable<ContextFile['metadata']>;

function define(document: ContextDocument, file: ContextFile, text: string, options: ParseOptions): ContextDefinition {
  const metadata = file.metadata ?? (file as Metadata);
  const type = typeOf(metadata.type ?? file['type'] ?? typeFromPath(options.path));
  const uri = options.uri ?? uriOf(document, type, metadata, options.path);
  const name = metadata.name ?? titled(uri);
  const { activation, description } = purposeOf(file, metadata);
  const persona = textAt(file, PERSONA_PLACES);
  const compiler = new FlowCompiler(document, new Set(Object.keys(file.functions ?? {})));
  const functions = compileFunctions(compiler, file);
  const flow = compileFlow(compiler, file, type, onlyStep(file, name, description, persona));
  const inFunctions = Object.values(functions).flatMap((each) => each.body);
  if (!description) document.warning(['metadata'], 'A description is missing: without it and without examples nobody finds this context');
  const variables = parseVariables(document, compiler, file.variables);
  return {
    uri,
    type,
    id: uri.slice(uri.lastIndexOf('/') + 1),
    name,
    version: String(metadata.version ?? '1.0.0'),
    description,
    domain: metadata.domain ?? DOMAINS.find((each) => each === metadata.category?.toLowerCase()),
    category: metadata.category,
    tags: list(metadata.tags),
    complexity: complexityOf(metadata.complexity, flow),
    dependencies: dependenciesOf(metadata.dependencies, [...flow, ...inFunctions]),
    activation,
    variables,
    needs: neededOf(variables, activation.requiresVariables),
    outline: outlineOf(flow, inFunctions),
    examples: file.examples ?? [],
    flow,
    functions,
    persona,
    stoppingCondition: file.stopping_condition,
    source: { kind: options.kind, path: options.path, text },
    updatedAt: options.updatedAt,
  };
}

function neededOf(variables: ContextDefinition['variables'], demanded: readonly string[]): string[] {
  const required = Object.keys(variables).filter((name) => variables[name]?.required);
  return [...new Set([...required, ...demanded])].filter((name) => variables[name]?.default === undefined);
}

/** What it is for, and when to use it. */
function purposeOf(file: ContextFile, metadata: Metadata): Pick<ContextDefinition, 'activation' | 'description'> {
  const written = file.activation_conditions ?? file.activation ?? {};
  const condition = joined(written.semantic_if);
  const description = metadata.description ?? condition ?? '';
  return {
    description,
    activation: {
      condition: condition ?? joined(written.condition) ?? description,
      confidenceThreshold: written.confidence_threshold ?? DEFAULT_THRESHOLD,
      requiresVariables: list(written.requires_variables),
    },
  };
}

/** Kinds that only the origin knows are used as patterns. */
function typeOf(written: unknown = 'workflow'): ContextDefinition['type'] {
  return written === 'workflow' || written === 'agent' || written === 'tool' ? written : 'pattern';
}

function typeFromPath(path: string | undefined): string | undefined {
  const folder = /(?:^|[\\/])(workflow|agent|pattern|tool)s?[\\/]/.exec(path ?? '');
  return folder?.[1];
}

/** contexts/agents/ceo/context.yaml is agent://ceo, contexts/workflows/release.yaml is workflow://release. */
function uriOf(document: ContextDocument, type: string, { id, name }: Metadata, path = ''): string {
  const parts = path.split(/[\\/]/).filter(Boolean);
  const file = parts.at(-1)?.replace(/\.[^.]+$/, '');
  const fromPath = file === 'context' || file === 'SKILL' ? parts.at(-2) : file;
  const given = id?.replace(/^[a-z]+:\/\//, '');
  const used = (given ?? fromPath ?? name ?? '').split('/').map(slug).filter(Boolean).join('/');
  if (!used) document.error(['metadata', 'id'], 'metadata.id is missing');
  else if (given && used !== given)
    document.warning(['metadata', 'id'], `The id "${given.slice(0, 60)}" is used as "${used}": small letters, digits and hyphens`);
  return `${type}://${used}`;
}

function titled(uri: string): string {
  const words = uri.slice(uri.lastIndexOf('/') + 1).replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function compileFlow(compiler: FlowCompiler, file: ContextFile, type: string, only: Record<string, unknown>): FlowNode[] {
  const { written, path } = writtenFlow(file);
  const flow = compiler.flow(written, path);
  if (flow.length > 0) return flow;
  if (type === 'workflow' && !compiler.document.broken)
    compiler.document.warning(path, 'A workflow without steps or a flow is one step: do what its description says');
  return compiler.flow([only], path);
}

/** The places where the origin's files keep their steps. */
const FLOW_PLACES: Path[] = [[], ['context'], ['workflow_config'], ['workflow']].flatMap((place) => [
  [...place, 'flow'],
  [...place, 'steps'],
]);

function writtenFlow(file: ContextFile): { written: unknown; path: Path } {
  for (const path of FLOW_PLACES) {
    const written = at(file, path);
    if (Array.isArray(written)) return { written, path };
    if (isRecord(written)) return flowObject(written, path);
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
  return path.reduce((current, key) => (isRecord(current) ? current[key] : undefined), value);
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

function textAt(file: ContextFile, places: Path[]): string | undefined {
  return places.map((path) => at(file, path)).find((text): text is string => typeof text === 'string' && text.trim() !== '');
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
    ? written.map((each) => (isRecord(each) ? [String(each['name'] ?? ''), each] : [String(each), {}]))
    : Object.entries(written ?? {});
  return entries.map(([name, spec]) => {
    const { required, default: given } = isRecord(spec) ? spec : {};
    return {
      name,
      required: required === true,
      default: given === undefined ? undefined : compiler.value(given, [...path, name, 'default']),
    };
  });
}

const STEPS_OF_COMPLEXITY: [number, Complexity][] = [
  [4, 'simple'],
  [10, 'moderate'],
  [25, 'complex'],
];

/** The author's word, a number from 1 to 10, or the number of nodes. */
function complexityOf(written: Complexity | number | undefined, flow: FlowNode[]): Complexity {
  if (typeof written === 'string') return written;
  const nodes = [...everyNode(flow)].length;
  const [most] = written === undefined ? [] : COMPLEXITIES.slice(Math.min(3, Math.floor((Math.max(1, written) - 1) / 2.5)));
  return most ?? STEPS_OF_COMPLEXITY.find(([steps]) => nodes <= steps)?.[1] ?? 'expert';
}

function dependenciesOf(written: unknown, flow: FlowNode[]): string[] {
  const named = typeof written === 'string' ? [written] : Array.isArray(written) ? written.map(String) : [];
  const used = [...everyNode(flow)].flatMap((node) => kindOf(node).uses?.(node) ?? []);
  return [...new Set([...named, ...used])];
}

function joined(written: string | string[] | undefined): string | undefined {
  return Array.isArray(written) ? written.join('; ') || undefined : written;
}

function list(written: string | string[] = []): string[] {
  return Array.isArray(written) ? written : written.split(',').flatMap((each) => each.trim() || []);
}

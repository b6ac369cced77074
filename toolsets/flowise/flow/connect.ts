import { recordOf } from '@millrace/kernel';
import {
  type Definitions,
  type InputDefinition,
  isAgentflowNode,
  isParameter,
  type NodeDefinition,
  takesVariable,
} from '../nodes/definition.ts';
import { type Flow, type FlowEdge, isEmpty, mentionsIn, readNode, referencesOf, referenceTo, textOf } from './flow.ts';
import { type OutputEnd, outputEndsOf } from './outputs.ts';

interface End {
  id: string;
  definition: NodeDefinition;
  data: Record<string, unknown>;
}

/** Gives edges the handles they lack, and makes edges and references of the inputs say the same. */
export function connect(flow: Flow, definitions: Definitions, completed: readonly string[] = []): { flow: Flow; guessed: string[] } {
  const ends = new Map<string, End>();
  for (const node of flow.nodes) {
    const { id, name, data } = readNode(node);
    const definition = definitions.get(name);
    if (definition && !ends.has(id)) ends.set(id, { id, definition, data });
  }
  const chosen = withOutputs(flow.edges, ends);
  const edges = chosen.edges.map((edge) => completeEdge(edge, ends));
  return { flow: { ...flow, edges: [...edges, ...missingEdges(edges, ends, new Set(completed))] }, guessed: chosen.guessed };
}

/** Edges that do not say at which of several ends they leave a node take the remaining ends, in order. */
function withOutputs(edges: FlowEdge[], ends: Map<string, End>): { edges: FlowEdge[]; guessed: string[] } {
  const isUnsaid = (edge: FlowEdge) => textOf(edge['sourceHandle']) === undefined && edge['output'] === undefined;
  const left = new Map<string, OutputEnd[]>();
  for (const { id, definition, data } of ends.values()) {
    const all = outputEndsOf(definition, id, data);
    const leaving = edges.filter((edge) => edge.source === id);
    if (all.length < 2 || !leaving.some(isUnsaid)) continue;
    const said = leaving
      .filter((edge) => !isUnsaid(edge))
      .map((edge) => endOf({ id, definition, data }, edge['sourceHandle'], edge['output'])?.id);
    left.set(
      id,
      all.filter((end) => !said.includes(end.id)),
    );
  }
  const guessed = edges.map((edge) => {
    const next = isUnsaid(edge) ? left.get(String(edge.source))?.shift() : undefined;
    return next ? { ...edge, sourceHandle: next.id } : edge;
  });
  return { edges: guessed, guessed: [...left.keys()] };
}

function completeEdge(edge: FlowEdge, ends: Map<string, End>): FlowEdge {
  const source = ends.get(String(edge.source));
  const target = ends.get(String(edge.target));
  if (!source || !target) return edge;
  const { input, output, ...frame } = edge;
  const from = endOf(source, edge['sourceHandle'], output);
  if (!from) return edge;
  const agentflow = isAgentflowNode(target.definition);
  const anchor = agentflow ? undefined : anchorOf(source, target, from, edge['targetHandle'], input);
  const targetHandle = targetHandleOf(edge['targetHandle'], target, anchor);
  if (!targetHandle) return edge;
  if (anchor && !isParameter(anchor)) refer(target, anchor, source.id);
  return {
    ...frame,
    sourceHandle: from.id,
    targetHandle,
    type: textOf(edge['type']) ?? (agentflow ? 'agentFlow' : 'buttonedge'),
    id: textOf(edge['id']) ?? `${source.id}-${from.id}-${target.id}-${targetHandle}`,
    ...(agentflow && { data: { ...coloursOf(source, target), ...recordOf(edge['data']) } }),
  };
}

/** A written handle is kept, except one of another version of the node, which is filled in again. */
function targetHandleOf(handle: unknown, target: End, anchor: InputDefinition | undefined): string | undefined {
  const written = textOf(handle);
  if (isAgentflowNode(target.definition)) return written ?? target.id;
  if (written && (!anchor || ownHandles(target.data).has(written))) return written;
  return anchor && handleOf(target.id, anchor);
}

function coloursOf(source: End, target: End): object {
  return {
    sourceColor: source.definition.color,
    targetColor: target.definition.color,
    isHumanInput: source.definition.name === 'humanInputAgentflow',
  };
}

/** A written handle is kept, even a wrong one: the check that follows reports it. */
function endOf(source: End, handle: unknown, output: unknown): OutputEnd | undefined {
  const ends = outputEndsOf(source.definition, source.id, source.data);
  const written = textOf(handle);
  if (written) {
    const named = (end: OutputEnd) => end.names.some((name) => name !== '' && written.startsWith(`${source.id}-output-${name}-`));
    const stands = { id: written, names: [], baseClasses: source.definition.baseClasses };
    return ends.find((end) => end.id === written) ?? ends.find(named) ?? stands;
  }
  if (output === undefined) return ends[0];
  const wanted = String(output).toLowerCase();
  return ends.find((end) => end.names.some((name) => name.toLowerCase() === wanted));
}

function anchorOf(source: End, target: End, from: OutputEnd, handle: unknown, input: unknown): InputDefinition | undefined {
  const { inputs } = target.definition;
  const written = textOf(handle);
  if (written) return inputAt(written, target.id, target.definition);
  if (typeof input === 'string') return inputs.find((one) => one.name === input);
  const values = recordOf(target.data['inputs']);
  const mentioning = inputs.find((one) => takesVariable(one) && mentionsIn(values[one.name]).includes(source.id));
  if (mentioning) return mentioning;
  const fits = (one: InputDefinition) => typesOf(one).some((type) => from.baseClasses.includes(type));
  const fitting = inputs.filter((one) => !isParameter(one) && fits(one));
  const anchor = fitting.find((one) => isEmpty(values[one.name])) ?? fitting.find((one) => one.list) ?? fitting[0];
  return anchor ?? inputs.find((one) => takesVariable(one) && fits(one));
}

function typesOf(anchor: InputDefinition): string[] {
  return anchor.type.split('|').map((type) => type.trim());
}

/** The input that a handle is of: handles end in the input's type, which changes with the versions of a node. */
export function inputAt(handle: string, id: string, definition: NodeDefinition): InputDefinition | undefined {
  const exact = definition.inputs.find((one) => handleOf(id, one) === handle);
  return exact ?? definition.inputs.find((one) => handle.startsWith(`${id}-input-${one.name}-`));
}

/** The handles of the inputs that the node itself says it has. */
function ownHandles(data: Record<string, unknown>): Set<string> {
  const own = [data['inputAnchors'], data['inputParams']].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Set(own.flatMap((one) => textOf(recordOf(one)['id']) ?? []));
}

function handleOf(id: string, anchor: InputDefinition): string {
  return `${id}-input-${anchor.name}-${anchor.type}`;
}

/** An anchor holds a reference to what is connected to it. */
function refer(target: End, anchor: InputDefinition, sourceId: string): void {
  const inputs = recordOf(target.data['inputs']);
  const present = inputs[anchor.name];
  const reference = referenceTo(sourceId);
  if (referencesOf(present).includes(sourceId)) return;
  if (!anchor.list && referencesOf(present).length > 0) return;
  const others = (Array.isArray(present) ? present : [present]).filter((one) => !isEmpty(one) && one !== sourceId);
  target.data['inputs'] = { ...inputs, [anchor.name]: anchor.list ? [...others, reference] : reference };
}

/** References without an edge: the canvas would not draw them, and the engine would not build their nodes. */
function missingEdges(edges: FlowEdge[], ends: Map<string, End>, completed: Set<string>): FlowEdge[] {
  const drawn = new Set(edges.map((edge) => `${edge.source} ${edge.target}`));
  const missing: FlowEdge[] = [];
  for (const target of ends.values()) {
    const inputs = recordOf(target.data['inputs']);
    for (const anchor of target.definition.inputs.filter((input) => !isParameter(input) || takesVariable(input))) {
      const value = inputs[anchor.name];
      const sources = isParameter(anchor) ? (completed.has(target.id) ? mentionedIn(value, ends) : []) : namedIn(value, ends);
      for (const sourceId of sources) {
        if (drawn.has(`${sourceId} ${target.id}`)) continue;
        drawn.add(`${sourceId} ${target.id}`);
        missing.push(completeEdge({ source: sourceId, target: target.id, input: anchor.name }, ends));
      }
    }
  }
  return missing;
}

/** A reference as the canvas writes it, or simply the id of a node. */
function namedIn(value: unknown, ends: Map<string, End>): string[] {
  const plain = (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && ends.has(one));
  return [...referencesOf(value), ...plain].filter((id) => ends.has(id));
}

/** The edges of sequential agents are their order: there a mention is not a connection. */
function mentionedIn(value: unknown, ends: Map<string, End>): string[] {
  return mentionsIn(value).filter((id) => ends.has(id) && ends.get(id)?.definition.category !== 'Sequential Agents');
}

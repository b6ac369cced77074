import { type Definitions, type InputDefinition, isAgentflowNode, isParameter, type NodeDefinition } from '../nodes/definition.ts';
import type { Flow, FlowEdge, FlowNode } from './flow-data.ts';
import { isEmpty, readNode, recordOf, referencesOf, referenceTo, textOf } from './node.ts';
import { type OutputEnd, outputEndsOf } from './outputs.ts';

interface End {
  node: FlowNode;
  id: string;
  definition: NodeDefinition;
  data: Record<string, unknown>;
}

/** Gives edges the handles they lack, and makes edges and references of the inputs say the same. */
export function connect(flow: Flow, definitions: Definitions): Flow {
  const ends = new Map<string, End>();
  for (const node of flow.nodes) {
    const { id, name, data } = readNode(node);
    const definition = definitions.get(name);
    if (definition && !ends.has(id)) ends.set(id, { node, id, definition, data });
  }
  const edges = flow.edges.map((edge) => completeEdge(edge, ends));
  return { ...flow, edges: [...edges, ...missingEdges(edges, ends)] };
}

function completeEdge(edge: FlowEdge, ends: Map<string, End>): FlowEdge {
  const source = ends.get(String(edge.source));
  const target = ends.get(String(edge.target));
  if (!source || !target) return edge;
  const { input, output, ...frame } = edge;
  const from = endOf(source, edge['sourceHandle'], output);
  if (!from) return edge;
  const agentflow = isAgentflowNode(target.definition);
  const anchor = agentflow ? undefined : anchorOf(target, from, edge['targetHandle'], input);
  const targetHandle = textOf(edge['targetHandle']) ?? (agentflow ? target.id : anchor && handleOf(target.id, anchor));
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

function coloursOf(source: End, target: End): object {
  return {
    sourceColor: source.definition.color,
    targetColor: target.definition.color,
    isHumanInput: source.definition.name === 'humanInputAgentflow',
  };
}

/** A handle that is written stands, even a wrong one: the check that follows names it. */
function endOf(source: End, handle: unknown, output: unknown): OutputEnd | undefined {
  const ends = outputEndsOf(source.definition, source.id, source.data);
  const written = textOf(handle);
  if (written) return ends.find((end) => end.id === written) ?? { id: written, names: [], baseClasses: source.definition.baseClasses };
  if (output === undefined) return ends[0];
  const wanted = String(output).toLowerCase();
  return ends.find((end) => end.names.some((name) => name.toLowerCase() === wanted));
}

function anchorOf(target: End, from: OutputEnd, handle: unknown, input: unknown): InputDefinition | undefined {
  const written = textOf(handle);
  if (written) return target.definition.inputs.find((one) => handleOf(target.id, one) === written);
  if (typeof input === 'string') return target.definition.inputs.find((one) => one.name === input);
  const anchors = target.definition.inputs.filter((one) => !isParameter(one));
  const values = recordOf(target.data['inputs']) ?? {};
  const fitting = anchors.filter((anchor) => typesOf(anchor).some((type) => from.baseClasses.includes(type)));
  return fitting.find((anchor) => isEmpty(values[anchor.name])) ?? fitting.find((anchor) => anchor.list) ?? fitting[0];
}

function typesOf(anchor: InputDefinition): string[] {
  return anchor.type.split('|').map((type) => type.trim());
}

function handleOf(id: string, anchor: InputDefinition): string {
  return `${id}-input-${anchor.name}-${anchor.type}`;
}

/** An anchor holds a reference to what is connected to it. */
function refer(target: End, anchor: InputDefinition, sourceId: string): void {
  const inputs = recordOf(target.data['inputs']) ?? {};
  const present = inputs[anchor.name];
  const reference = referenceTo(sourceId);
  if (referencesOf(present).includes(sourceId)) return;
  if (!anchor.list && referencesOf(present).length > 0) return;
  const others = (Array.isArray(present) ? present : [present]).filter((one) => !isEmpty(one) && one !== sourceId);
  target.data['inputs'] = { ...inputs, [anchor.name]: anchor.list ? [...others, reference] : reference };
}

/** References without an edge: the canvas would not draw them, and the engine would not build their nodes. */
function missingEdges(edges: FlowEdge[], ends: Map<string, End>): FlowEdge[] {
  const drawn = new Set(edges.map((edge) => `${edge.source} ${edge.target}`));
  const missing: FlowEdge[] = [];
  for (const target of ends.values()) {
    const inputs = recordOf(target.data['inputs']) ?? {};
    for (const anchor of target.definition.inputs.filter((input) => !isParameter(input))) {
      for (const sourceId of namedIn(inputs[anchor.name], ends)) {
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

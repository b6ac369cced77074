import { isRecord, recordOf } from '@millrace/kernel';
import { type Definitions, isParameter, type NodeDefinition } from '../nodes/definition.ts';
import { type Flow, type FlowEdge, type FlowNode, isEmpty, readNode, referencesOf, textOf } from './flow.ts';
import { completeConfig } from './hydrate.ts';
import { outputEndsOf } from './outputs.ts';

/** The flow without what hydration can put back: small enough for an assistant to read, change and send again. */
export function thin(flow: Flow, definitions: Definitions): Flow {
  const names = new Map(flow.nodes.map((node) => [readNode(node).id, node]));
  return {
    nodes: flow.nodes.map((node) => thinNode(node, definitions)),
    edges: flow.edges.map((edge) => thinEdge(edge, names, definitions)),
  };
}

function thinNode(node: FlowNode, definitions: Definitions): FlowNode {
  const { id, name, label, data, inputs } = readNode(node);
  const definition = definitions.get(name);
  if (!definition) return node;
  const output = textOf(recordOf(data['outputs'])['output']);
  const credential = textOf(data['credential']);
  return {
    id,
    name,
    ...(label !== definition.label && { label }),
    inputs: thinInputs(definition, inputs, definitions),
    ...(output && output !== definition.outputs?.[0]?.name && { output }),
    ...(credential && { credential }),
    ...(isRecord(node['position']) && { position: node['position'] }),
    ...(textOf(node['parentNode']) && { parentNode: node['parentNode'], extent: node['extent'] ?? 'parent' }),
  };
}

function thinInputs(definition: NodeDefinition, inputs: Record<string, unknown>, definitions: Definitions): Record<string, unknown> {
  const kept = Object.entries(inputs).filter(([name, value]) => {
    if (isEmpty(value) || name === 'credential') return false;
    const input = definition.inputs.find((one) => one.name === name);
    if (input && !isParameter(input)) return referencesOf(value).length === 0;
    return !same(value, input?.default);
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, thinConfig(name, value, definition, inputs, definitions)]));
}

/** Of a chosen model's settings only those that differ from its own defaults. */
function thinConfig(
  name: string,
  value: unknown,
  definition: NodeDefinition,
  inputs: Record<string, unknown>,
  definitions: Definitions,
): unknown {
  const input = definition.inputs.find((one) => one.loadConfig && `${one.name}Config` === name);
  const chosen = input && textOf(inputs[input.name]);
  if (!input || !isRecord(value) || !chosen) return value;
  const restored = completeConfig(input, chosen, {}, definitions.get(chosen));
  return Object.fromEntries(Object.entries(value).filter(([key, one]) => !isEmpty(one) && !same(one, restored[key])));
}

function thinEdge(edge: FlowEdge, nodes: Map<string, FlowNode>, definitions: Definitions): FlowEdge {
  const source = nodes.get(String(edge.source));
  const target = nodes.get(String(edge.target));
  const from = source && definitions.get(readNode(source).name);
  const to = target && definitions.get(readNode(target).name);
  if (!source || !target || !from || !to) return edge;
  const ends = outputEndsOf(from, String(edge.source), readNode(source).data);
  const end = ends.findIndex((one) => one.id === edge['sourceHandle']);
  const anchor = to.inputs.find((input) => edge['targetHandle'] === `${edge.target}-input-${input.name}-${input.type}`);
  if (end < 0 || (!anchor && edge['targetHandle'] !== edge.target)) return edge;
  const label = textOf(recordOf(edge['data'])['edgeLabel']);
  return {
    source: edge.source,
    target: edge.target,
    ...(ends.length > 1 && { output: end }),
    ...(anchor && { input: anchor.name }),
    ...(label && { data: { edgeLabel: label } }),
  };
}

function same(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

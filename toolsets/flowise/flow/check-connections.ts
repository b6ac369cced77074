import { isAgentflowNode, isParameter } from '../nodes/definition.ts';
import { isVisible } from '../nodes/visibility.ts';
import type { CheckedFlow, CheckedNode } from './check.ts';
import { inputAt } from './connect.ts';
import type { Finding } from './findings.ts';
import { quoted } from './findings.ts';
import { isEmpty, referencesOf, textOf } from './node.ts';
import { outputEndsOf } from './outputs.ts';

/** Edges lead from and to nodes that exist, at handles that exist; what must be connected is. */
export function* checkConnections(flow: CheckedFlow): Generator<Finding> {
  const byId = new Map(flow.nodes.map((node) => [node.id, node]));
  yield* checkEdges(flow, byId);
  yield* checkUnconnected(flow);
  if (flow.type === 'AGENTFLOW') return;
  yield* checkAnchors(flow, byId);
  if (hasCycle(flow)) {
    yield { code: 'cycle', severity: 'error', message: 'The edges of the chatflow lead in a circle', fix: 'Remove one edge of the circle' };
  }
}

function* checkEdges({ edges }: CheckedFlow, byId: Map<string, CheckedNode>): Generator<Finding> {
  for (const edge of edges) {
    const source = byId.get(String(edge.source));
    const target = byId.get(String(edge.target));
    if (!source || !target) {
      const message = `An edge leads from ${quoted(String(edge.source))} to ${quoted(String(edge.target))}, and not both are nodes of the flow`;
      yield {
        code: 'dangling_edge',
        severity: 'error',
        node: source?.id ?? target?.id ?? '',
        message,
        fix: 'Remove the edge, or add the node',
      };
      continue;
    }
    // Of a node that is not known nothing can be said but that.
    if (!source.definition || !target.definition) continue;
    if (!leavesWell(source, edge['sourceHandle'])) {
      const message = `An edge leaves ${quoted(source.id)} at an output that the node does not have`;
      // A chatflow is run by its references: there the handle is only drawn.
      const severity = isAgentflowNode(source.definition) ? 'error' : 'warning';
      yield { code: 'wrong_handle', severity, node: source.id, message, fix: 'Leave sourceHandle out: it is then filled in' };
    }
    if (!arrivesWell(target, edge['targetHandle'])) {
      const message = `An edge from ${quoted(source.id)} reaches ${quoted(target.id)} at an input that does not take it`;
      yield { code: 'wrong_handle', severity: 'error', node: target.id, message, fix: 'Name the input as {source, target, input}' };
    }
  }
}

function leavesWell(node: CheckedNode, handle: unknown): boolean {
  if (!node.definition) return true;
  const written = textOf(handle);
  return written !== undefined && outputEndsOf(node.definition, node.id, node.data).some((end) => end.id === written);
}

function arrivesWell({ id, definition }: CheckedNode, handle: unknown): boolean {
  if (!definition) return true;
  if (isAgentflowNode(definition)) return handle === id;
  return typeof handle === 'string' && inputAt(handle, id, definition) !== undefined;
}

/** A chatflow of one node needs no edges; in an agentflow even the start must lead somewhere. */
function* checkUnconnected({ type, nodes, edges }: CheckedFlow): Generator<Finding> {
  if (nodes.length === 1 && type !== 'AGENTFLOW') return;
  const connected = new Set(edges.flatMap((edge) => [String(edge.source), String(edge.target)]));
  for (const { id, inside } of nodes) {
    if (connected.has(id) || inside) continue;
    yield {
      code: 'unconnected_node',
      severity: 'error',
      node: id,
      message: `The node ${quoted(id)} is not connected to anything`,
      fix: 'Connect it or remove it',
    };
  }
}

function* checkAnchors({ nodes, edges }: CheckedFlow, byId: Map<string, CheckedNode>): Generator<Finding> {
  const handles = Map.groupBy(edges, (edge) => String(edge.target));
  for (const { id, definition, inputs } of nodes) {
    if (!definition || isAgentflowNode(definition)) continue;
    const reached = new Set((handles.get(id) ?? []).map((edge) => inputAt(String(edge['targetHandle']), id, definition)?.name));
    for (const anchor of definition.inputs.filter((input) => !isParameter(input) && !input.optional && isVisible(input, inputs))) {
      const connected = reached.has(anchor.name) || referencesOf(inputs[anchor.name]).some((one) => byId.has(one));
      if (connected || (!isEmpty(inputs[anchor.name]) && referencesOf(inputs[anchor.name]).length === 0)) continue;
      const message = `${quoted(id)} needs something connected to its input ${quoted(anchor.name)} (${quoted(anchor.type)})`;
      yield {
        code: 'missing_connection',
        severity: 'error',
        node: id,
        message,
        fix: `Add an edge {source, target: "${id}", input: "${anchor.name}"}`,
      };
    }
  }
}

function hasCycle({ nodes, edges }: CheckedFlow): boolean {
  const incoming = new Map(nodes.map((node) => [node.id, 0]));
  const targets = new Map<string, string[]>();
  for (const edge of edges) {
    const [source, target] = [String(edge.source), String(edge.target)];
    if (!incoming.has(source) || !incoming.has(target)) continue;
    incoming.set(target, (incoming.get(target) ?? 0) + 1);
    targets.set(source, [...(targets.get(source) ?? []), target]);
  }
  const ready = [...incoming].flatMap(([id, count]) => (count === 0 ? [id] : []));
  let left = incoming.size;
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    left--;
    for (const target of targets.get(id) ?? []) {
      const count = (incoming.get(target) ?? 0) - 1;
      incoming.set(target, count);
      if (count === 0) ready.push(target);
    }
  }
  return left > 0;
}

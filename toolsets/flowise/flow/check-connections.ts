import { isAgentflowNode, isParameter, isVisible } from '../nodes/definition.ts';
import { inputAt } from './connect.ts';
import { type CheckedFlow, type CheckedNode, error, type Finding, quoted, warning } from './findings.ts';
import { isEmpty, referencesOf, textOf } from './flow.ts';
import { outputEndsOf } from './outputs.ts';

/** Edges connect existing nodes at existing handles, and everything that must be connected is. */
export function* checkConnections(flow: CheckedFlow): Generator<Finding> {
  const byId = new Map(flow.nodes.map((node) => [node.id, node]));
  yield* checkEdges(flow, byId);
  yield* checkUnconnected(flow);
  if (flow.type === 'AGENTFLOW') return;
  yield* checkAnchors(flow, byId);
  if (hasCycle(flow)) yield error('cycle', 'The edges of the chatflow lead in a circle', { fix: 'Remove one edge of the circle' });
}

function* checkEdges({ edges }: CheckedFlow, byId: Map<string, CheckedNode>): Generator<Finding> {
  for (const edge of edges) {
    const source = byId.get(String(edge.source));
    const target = byId.get(String(edge.target));
    if (!source || !target) {
      const message = `An edge leads from ${quoted(String(edge.source))} to ${quoted(String(edge.target))}, and not both are nodes of the flow`;
      yield error('dangling_edge', message, { node: source?.id ?? target?.id ?? '', fix: 'Remove the edge, or add the node' });
      continue;
    }
    // An unknown node is reported elsewhere, and nothing is known about its handles.
    if (!source.definition || !target.definition) continue;
    if (!leavesWell(source, edge['sourceHandle'])) {
      // A chatflow is run by its references: there the handle is only drawn.
      const finding = isAgentflowNode(source.definition) ? error : warning;
      const message = `An edge leaves ${quoted(source.id)} at an output that the node does not have`;
      yield finding('wrong_handle', message, { node: source.id, fix: 'Leave sourceHandle out: it is then filled in' });
    }
    if (!arrivesWell(target, edge['targetHandle'])) {
      const message = `An edge from ${quoted(source.id)} reaches ${quoted(target.id)} at an input that does not take it`;
      yield error('wrong_handle', message, { node: target.id, fix: 'Name the input as {source, target, input}' });
    }
  }
}

function leavesWell({ id, definition, data }: CheckedNode, handle: unknown): boolean {
  const written = textOf(handle);
  return !definition || (written !== undefined && outputEndsOf(definition, id, data).some((end) => end.id === written));
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
  for (const { id: node, inside } of nodes) {
    if (connected.has(node) || inside) continue;
    yield error('unconnected_node', `The node ${quoted(node)} is not connected to anything`, { node, fix: 'Connect it or remove it' });
  }
}

function* checkAnchors({ nodes, edges }: CheckedFlow, byId: Map<string, CheckedNode>): Generator<Finding> {
  const handles = Map.groupBy(edges, (edge) => String(edge.target));
  for (const { id, definition, inputs } of nodes) {
    if (!definition || isAgentflowNode(definition)) continue;
    const reached = new Set((handles.get(id) ?? []).map((edge) => inputAt(String(edge['targetHandle']), id, definition)?.name));
    for (const anchor of definition.inputs.filter((input) => !isParameter(input) && !input.optional && isVisible(input, inputs))) {
      const value = inputs[anchor.name];
      const references = referencesOf(value);
      const connected = reached.has(anchor.name) || references.some((one) => byId.has(one));
      if (connected || (!isEmpty(value) && references.length === 0)) continue;
      const message = `${quoted(id)} needs something connected to its input ${quoted(anchor.name)} (${quoted(anchor.type)})`;
      yield error('missing_connection', message, { node: id, fix: `Add an edge {source, target: "${id}", input: "${anchor.name}"}` });
    }
  }
}

/** Edges out of nodes that nothing leads to are taken away until none is left, or only those of a cycle are. */
function hasCycle({ nodes, edges }: CheckedFlow): boolean {
  const ids = new Set(nodes.map((node) => node.id));
  let left = edges.map(({ source, target }) => ({ source: String(source), target: String(target) }));
  left = left.filter(({ source, target }) => ids.has(source) && ids.has(target));
  for (;;) {
    const reached = new Set(left.map(({ target }) => target));
    const further = left.filter(({ source }) => reached.has(source));
    if (further.length === left.length) return left.length > 0;
    left = further;
  }
}

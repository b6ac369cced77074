import type { NodePort } from '../ports.ts';
import type { Edge, PortsByName } from './connections.ts';
import { type Findings, quoted } from './findings.ts';
import type { PlacedNode, Shape } from './shape.ts';

/** An agent without a model, or with two where one is allowed: n8n fails when it comes to them. */
export function checkSubNodes(shape: Shape, ports: PortsByName, edges: Edge[], inUse: ReadonlySet<string>, findings: Findings): void {
  const plugged = pluggedIn(shape, edges);
  for (const placed of shape.nodes) {
    const own = ports.get(placed.node.name);
    if (!own?.certain.inputs || placed.node.disabled === true) continue;
    const inputs = own.inputs.filter((input) => input.type !== 'main');
    const report = inUse.has(placed.node.name) ? 'error' : 'warn';
    for (const input of inputs) {
      if (!input.required) continue;
      const given = plugged.get(placed.node.name)?.filter((edge) => edge.type === input.type && edge.input === input.index) ?? [];
      if (given.length === 0) findings[report](missing(placed, input, edges));
    }
    for (const type of new Set(inputs.map((input) => input.type))) {
      const most = inputs.reduce((sum, input) => (input.type === type ? sum + (input.maxConnections ?? 0) : sum), 0);
      const given = plugged.get(placed.node.name)?.filter((edge) => edge.type === type) ?? [];
      if (most > 0 && given.length > most) findings[report](tooMany(placed, type, most, given));
    }
  }
}

/** What plugs into each node; a sub-node that is switched off gives nothing. */
function pluggedIn(shape: Shape, edges: Edge[]): Map<string, Edge[]> {
  const plugged = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (edge.type === 'main' || shape.byName.get(edge.from)?.node.disabled === true) continue;
    const known = plugged.get(edge.to);
    if (known) known.push(edge);
    else plugged.set(edge.to, [edge]);
  }
  return plugged;
}

function missing({ node, path }: PlacedNode, input: NodePort, edges: Edge[]) {
  const off = edges.find((edge) => edge.to === node.name && edge.type === input.type && edge.input === input.index);
  return {
    code: 'required_input',
    node: node.name,
    path,
    message: off
      ? `${quoted(off.from)}, which gives the input ${input.type} (${input.name}) of ${quoted(node.name)}, is switched off`
      : `Nothing is connected to the input ${input.type} (${input.name}) of ${quoted(node.name)}, which it cannot run without`,
    fix: off
      ? 'Switch it on, or connect another'
      : `Add a node that gives ${input.type}, and connect it with connection_create (sourceOutput "${input.type}")`,
  };
}

function tooMany({ node, path }: PlacedNode, type: string, most: number, given: Edge[]) {
  return {
    code: 'too_many_inputs',
    node: node.name,
    path,
    message: `${given.length} nodes are connected to the input ${type} of ${quoted(node.name)}, which takes ${most}`,
    fix: `Remove the connection of ${given
      .slice(most)
      .map((edge) => quoted(edge.from))
      .join(', ')}`,
  };
}

import type { NodePort } from '../../document/workflow/node-catalogue.ts';
import type { NodePorts } from '../types/node-ports.ts';
import { type Findings, listed, quoted } from './findings.ts';
import { isObject, type PlacedNode, type Shape } from './shape.ts';

/** Names of nodes that some connection starts from or leads to. */
export function connectedNames(shape: Shape): Set<string> {
  const names = new Set<string>();
  for (const [source, outputs] of Object.entries(shape.connections)) {
    for (const slots of isObject(outputs) ? Object.values(outputs) : []) {
      for (const target of Array.isArray(slots) ? slots.flat() : []) {
        if (!isObject(target) || typeof target['node'] !== 'string') continue;
        names.add(source);
        names.add(target['node']);
      }
    }
  }
  return names;
}

/** One connection between two nodes that exist. */
export interface Edge {
  from: string;
  to: string;
  type: string;
  output: number;
  input: number;
  inputType: string;
}

/** The ports of the nodes whose types are known, by name. */
export type PortsByName = ReadonlyMap<string, NodePorts>;

/** Every connection has to lead from a node that exists to one that exists, and from and to ports that they have. */
export function checkConnections(shape: Shape, ports: PortsByName, findings: Findings): Edge[] {
  const edges: Edge[] = [];
  for (const [name, outputs] of Object.entries(shape.connections)) {
    const path = `connections[${JSON.stringify(name)}]`;
    const source = shape.byName.get(name);
    if (!source) unknownSource(name, path, shape, findings);
    if (!isObject(outputs)) {
      broken(path, source ? name : null, 'The connections of a node are not an object', findings);
      continue;
    }
    for (const [type, slots] of Object.entries(outputs))
      edges.push(...edgesOf({ name, type, slots, path: `${path}.${type}` }, shape, findings));
  }
  for (const edge of edges) checkPorts(edge, shape, ports, findings);
  return edges;
}

function edgesOf(
  { name, type, slots, path }: { name: string; type: string; slots: unknown; path: string },
  shape: Shape,
  findings: Findings,
): Edge[] {
  const node = shape.byName.has(name) ? name : null;
  if (!Array.isArray(slots)) {
    broken(path, node, 'The outputs of a node are not a list', findings);
    return [];
  }
  const edges: Edge[] = [];
  for (const [output, targets] of slots.entries()) {
    if (targets === null || targets === undefined) continue;
    if (!Array.isArray(targets)) {
      broken(`${path}[${output}]`, node, 'An output is not a list of connections', findings);
      continue;
    }
    for (const [position, target] of targets.entries()) {
      const edge = edgeOf(target, { name, type, output, path: `${path}[${output}][${position}]` }, shape, findings);
      if (edge && node !== null) edges.push(edge);
    }
  }
  return edges;
}

function edgeOf(
  target: unknown,
  from: { name: string; type: string; output: number; path: string },
  shape: Shape,
  findings: Findings,
): Edge | undefined {
  const { node: to, type: inputType, index: input } = isObject(target) ? target : {};
  if (
    typeof to !== 'string' ||
    to === '' ||
    typeof inputType !== 'string' ||
    typeof input !== 'number' ||
    !Number.isInteger(input) ||
    input < 0
  ) {
    broken(from.path, from.name, 'A connection is not {node, type, index}', findings);
    return undefined;
  }
  if (!shape.byName.has(to)) {
    const byId = shape.nodes.find(({ node }) => node.id === to);
    findings.error({
      code: 'unknown_target',
      node: from.name,
      path: `${from.path}.node`,
      message: byId
        ? `A connection of ${quoted(from.name)} names its target by id: n8n wants the name`
        : `A connection of ${quoted(from.name)} leads to ${quoted(to)}, which does not exist`,
      fix: byId
        ? `Write ${quoted(byId.node.name)}, or let workflow_repair do it`
        : 'Remove the connection, or name a node that exists; workflow_repair removes it',
    });
    return undefined;
  }
  return { from: from.name, to, type: from.type, output: from.output, input, inputType };
}

function unknownSource(name: string, path: string, shape: Shape, findings: Findings): void {
  const byId = shape.nodes.find(({ node }) => node.id === name);
  findings.error({
    code: 'unknown_source',
    node: null,
    path,
    message: byId
      ? `The connections of ${quoted(byId.node.name)} are kept under its id: n8n wants the name`
      : `There are connections of ${quoted(name)}, which does not exist`,
    fix: byId ? `Rename the key to ${quoted(byId.node.name)}, or let workflow_repair do it` : 'Remove them; workflow_repair does so',
  });
}

function broken(path: string, node: string | null, message: string, findings: Findings): void {
  findings.error({
    code: 'connection_broken',
    node,
    path,
    message,
    fix: 'Write {"main": [[{"node": "<name>", "type": "main", "index": 0}]]}; workflow_repair mends known mistakes',
  });
}

function checkPorts(edge: Edge, shape: Shape, ports: PortsByName, findings: Findings): void {
  const path = `connections[${JSON.stringify(edge.from)}].${edge.type}[${edge.output}]`;
  const source = shape.byName.get(edge.from) as PlacedNode;
  const target = shape.byName.get(edge.to) as PlacedNode;
  if (edge.type !== edge.inputType) {
    findings.error({
      code: 'mistyped_connection',
      node: edge.from,
      path,
      message: `The output ${quoted(edge.type)} of ${quoted(edge.from)} is connected to an input ${quoted(edge.inputType)} of ${quoted(edge.to)}`,
      fix: 'Connect an output to an input of the same type',
    });
    return;
  }
  const from = ports.get(edge.from);
  const to = ports.get(edge.to);
  if (from?.certain.outputs && source.node.disabled !== true && !has(from.outputs, edge.type, edge.output)) {
    findings.error({
      code: 'unknown_output',
      node: edge.from,
      path,
      message: `${quoted(edge.from)} has no output ${edge.type}[${edge.output}]`,
      fix: `Use one of its outputs: ${described(from.outputs)}`,
    });
  }
  if (to?.certain.inputs && target.node.disabled !== true && !has(to.inputs, edge.type, edge.input)) {
    // A sub-node on an input that other parameters would show is ignored by n8n, not refused.
    const sleeping = edge.type !== 'main' && to.possibleInputs.includes(edge.type);
    findings[sleeping ? 'warn' : 'error']({
      code: 'unknown_input',
      node: edge.to,
      path,
      message: `${quoted(edge.to)} has no input ${edge.type}[${edge.input}]`,
      fix: `Use one of its inputs: ${described(to.inputs)}`,
    });
  }
}

function has(ports: NodePort[], type: string, index: number): boolean {
  return ports.some((port) => port.type === type && port.index === index);
}

function described(ports: NodePort[]): string {
  if (ports.length === 0) return 'it has none';
  return listed(
    ports.map((port) => (port.name === port.type ? `${port.type}[${port.index}]` : `${port.type}[${port.index}] (${port.name})`)),
  );
}

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

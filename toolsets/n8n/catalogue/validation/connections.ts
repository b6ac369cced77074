import { isRecord, recordOf } from '@millrace/kernel';
import type { NodePort } from '../../document/workflow/model.ts';
import type { NodePorts } from '../types/node-ports.ts';
import { type Findings, listed, quoted } from './findings.ts';
import type { Shape } from './shape.ts';

/** Names of nodes that some connection starts from or leads to. */
export function connectedNames(shape: Shape): Set<string> {
  const names = new Set<string>();
  for (const [source, outputs] of Object.entries(shape.connections)) {
    for (const slots of isRecord(outputs) ? Object.values(outputs) : []) {
      for (const target of Array.isArray(slots) ? slots.flat() : []) {
        if (!isRecord(target) || typeof target['node'] !== 'string') continue;
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
    const node = shape.byName.has(name) ? name : null;
    if (node === null) unknownSource(name, path, shape, findings);
    if (!isRecord(outputs)) {
      broken(path, node, 'The connections of a node are not an object', findings);
      continue;
    }
    for (const [type, slots] of Object.entries(outputs)) {
      for (const target of targetsOf(slots, node, `${path}.${type}`, findings)) {
        const edge = edgeOf(target, { name, type }, shape, findings);
        if (edge && node !== null) edges.push(edge);
      }
    }
  }
  for (const edge of edges) checkPorts(edge, shape, ports, findings);
  return edges;
}

/** What stands where a connection should, and at which output. */
interface Target {
  value: unknown;
  output: number;
  path: string;
}

function* targetsOf(slots: unknown, node: string | null, path: string, findings: Findings): Generator<Target> {
  if (!Array.isArray(slots)) return broken(path, node, 'The outputs of a node are not a list', findings);
  for (const [output, targets] of slots.entries()) {
    if (targets === null || targets === undefined) continue;
    if (!Array.isArray(targets)) broken(`${path}[${output}]`, node, 'An output is not a list of connections', findings);
    else for (const [position, value] of targets.entries()) yield { value, output, path: `${path}[${output}][${position}]` };
  }
}

function edgeOf({ value, output, path }: Target, from: { name: string; type: string }, shape: Shape, findings: Findings): Edge | undefined {
  const { node: to, type: inputType, index: input } = recordOf(value);
  if (typeof to !== 'string' || to === '' || typeof inputType !== 'string' || !isIndex(input)) {
    broken(path, from.name, 'A connection is not {node, type, index}', findings);
    return undefined;
  }
  if (shape.byName.has(to)) return { from: from.name, to, type: from.type, output, input, inputType };
  const byId = shape.nodes.find(({ node }) => node.id === to);
  const at = findings.at(from.name, `${path}.node`);
  if (byId) {
    const message = `A connection of ${quoted(from.name)} names its target by id: n8n wants the name`;
    at.error('unknown_target', message, `Write ${quoted(byId.node.name)}, or let workflow_repair do it`);
  } else {
    const message = `A connection of ${quoted(from.name)} leads to ${quoted(to)}, which does not exist`;
    at.error('unknown_target', message, 'Remove the connection, or name a node that exists; workflow_repair removes it');
  }
  return undefined;
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function unknownSource(name: string, path: string, shape: Shape, findings: Findings): void {
  const byId = shape.nodes.find(({ node }) => node.id === name);
  const at = findings.at(null, path);
  if (byId) {
    const message = `The connections of ${quoted(byId.node.name)} are kept under its id: n8n wants the name`;
    at.error('unknown_source', message, `Rename the key to ${quoted(byId.node.name)}, or let workflow_repair do it`);
  } else
    at.error('unknown_source', `There are connections of ${quoted(name)}, which does not exist`, 'Remove them; workflow_repair does so');
}

function broken(path: string, node: string | null, message: string, findings: Findings): void {
  const fix = 'Write {"main": [[{"node": "<name>", "type": "main", "index": 0}]]}; workflow_repair fixes known mistakes';
  findings.at(node, path).error('connection_broken', message, fix);
}

function checkPorts(edge: Edge, shape: Shape, ports: PortsByName, findings: Findings): void {
  const path = `connections[${JSON.stringify(edge.from)}].${edge.type}[${edge.output}]`;
  const isOn = (name: string) => shape.byName.get(name)?.node.disabled !== true;
  const at = findings.at(edge.from, path);
  if (edge.type !== edge.inputType) {
    const message = `The output ${quoted(edge.type)} of ${quoted(edge.from)} is connected to an input ${quoted(edge.inputType)} of ${quoted(edge.to)}`;
    at.error('mistyped_connection', message, 'Connect an output to an input of the same type');
    return;
  }
  const from = ports.get(edge.from);
  const to = ports.get(edge.to);
  if (from?.certain.outputs && isOn(edge.from) && !has(from.outputs, edge.type, edge.output)) {
    const message = `${quoted(edge.from)} has no output ${edge.type}[${edge.output}]`;
    at.error('unknown_output', message, `Use one of its outputs: ${described(from.outputs)}`);
  }
  if (to?.certain.inputs && isOn(edge.to) && !has(to.inputs, edge.type, edge.input)) {
    // A sub-node on an input that other parameters would show is ignored by n8n, not refused.
    const isIgnored = edge.type !== 'main' && to.possibleInputs.includes(edge.type);
    const message = `${quoted(edge.to)} has no input ${edge.type}[${edge.input}]`;
    findings.at(edge.to, path)[isIgnored ? 'warn' : 'error']('unknown_input', message, `Use one of its inputs: ${described(to.inputs)}`);
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
  const plugged = Map.groupBy(
    // A sub-node that is switched off gives nothing.
    edges.filter((edge) => edge.type !== 'main' && shape.byName.get(edge.from)?.node.disabled !== true),
    (edge) => edge.to,
  );
  for (const { node, path } of shape.nodes) {
    const own = ports.get(node.name);
    if (!own?.certain.inputs || node.disabled === true) continue;
    const inputs = own.inputs.filter((input) => input.type !== 'main');
    const given = plugged.get(node.name) ?? [];
    const report = findings.at(node.name, path)[inUse.has(node.name) ? 'error' : 'warn'];
    for (const input of inputs) {
      const isGiven = given.some((edge) => edge.type === input.type && edge.input === input.index);
      if (input.required && !isGiven) report('required_input', ...missing(node.name, input, edges));
    }
    for (const [type, ofType] of Map.groupBy(inputs, (input) => input.type)) {
      const most = ofType.reduce((sum, input) => sum + (input.maxConnections ?? 0), 0);
      const sources = given.filter((edge) => edge.type === type).map((edge) => quoted(edge.from));
      if (most === 0 || sources.length <= most) continue;
      const message = `${sources.length} nodes are connected to the input ${type} of ${quoted(node.name)}, which takes ${most}`;
      report('too_many_inputs', message, `Remove the connection of ${sources.slice(most).join(', ')}`);
    }
  }
}

function missing(name: string, input: NodePort, edges: Edge[]): [message: string, fix: string] {
  const port = `the input ${input.type} (${input.name}) of ${quoted(name)}`;
  const off = edges.find((edge) => edge.to === name && edge.type === input.type && edge.input === input.index);
  if (off) return [`${quoted(off.from)}, which gives ${port}, is switched off`, 'Switch it on, or connect another'];
  const fix = `Add a node that gives ${input.type}, and connect it with connection_create (sourceOutput "${input.type}")`;
  return [`Nothing is connected to ${port}, which it cannot run without`, fix];
}

import { randomUUID } from 'node:crypto';
import { addEdge, type Edge, edgeInWords, edgesOf, removeEdges, type Slot, sameEdge, sameSlot } from './connections.ts';
import type { NodeCatalogue, NodeDescription, NodePort, Workflow, WorkflowNode } from './model.ts';
import { uniqueName } from './nodes.ts';
import { portsOf } from './ports.ts';
import { renameNode } from './references.ts';

export interface CompatibilityReport {
  maintainedConnections: string[];
  removedConnections: string[];
}

interface NodePorts {
  inputs: NodePort[] | undefined;
  outputs: NodePort[] | undefined;
}

/** Makes a node one of another type: id, place, settings and every connection that still fits stay. */
export function replaceNode(
  workflow: Workflow,
  node: WorkflowNode,
  description: NodeDescription,
  given: Record<string, unknown>,
  catalogue: NodeCatalogue,
): CompatibilityReport {
  const before = nodePorts(node, catalogue);
  const earlier = edgesOf(workflow).filter((edge) => edge.source === node.name || edge.target === node.name);
  const oldDescription = catalogue.get(node.type, node.typeVersion);
  becomeType(node, description, given, catalogue);
  const after = nodePorts(node, catalogue);
  const report = remap(workflow, node.name, earlier, before, after);
  const hadDefaultName = oldDescription !== undefined && node.name.replace(/\d+$/, '') === oldDescription.defaultName.replace(/\d+$/, '');
  if (hadDefaultName && oldDescription.type !== description.type) {
    const others = { ...workflow, nodes: workflow.nodes.filter((other) => other !== node) };
    renameNode(workflow, node, uniqueName(others, description.defaultName));
  }
  return report;
}

function nodePorts(node: WorkflowNode, catalogue: NodeCatalogue): NodePorts {
  return { inputs: portsOf(node, 'input', catalogue), outputs: portsOf(node, 'output', catalogue) };
}

function becomeType(node: WorkflowNode, description: NodeDescription, given: Record<string, unknown>, catalogue: NodeCatalogue): void {
  const { type } = description;
  const version = catalogue.newestVersion(type) ?? description.version;
  const isFit = (name: string, value: unknown) =>
    node.type === type || (description.parameterNames.includes(name) && (catalogue.accepts?.(type, version, name, value) ?? true));
  const carried = Object.fromEntries(Object.entries(node.parameters ?? {}).filter(([name, value]) => isFit(name, value)));
  node.parameters = catalogue.defaultParameters(type, version, { ...carried, ...given });
  node.type = type;
  node.typeVersion = version;
  if (node.credentials) {
    const accepted = new Set(description.credentials.map((credential) => credential.name));
    node.credentials = Object.fromEntries(Object.entries(node.credentials).filter(([name]) => accepted.has(name)));
    if (Object.keys(node.credentials).length === 0) delete node.credentials;
  }
  if (description.webhook && node['webhookId'] === undefined) node['webhookId'] = node.id ?? randomUUID();
}

/** Every earlier connection ends up in exactly one of the two lists. */
function remap(workflow: Workflow, name: string, earlier: readonly Edge[], before: NodePorts, after: NodePorts): CompatibilityReport {
  const report: CompatibilityReport = { maintainedConnections: [], removedConnections: [] };
  const moves = earlier.map((edge) => ({ edge, moved: movedEdge(edge, name, before, after) }));
  removeEdges(workflow, (edge) => moves.some(({ edge: old, moved }) => sameEdge(old, edge) && !(moved && sameEdge(moved, edge))));
  for (const { edge, moved } of moves) {
    const words = edgeInWords(
      edge,
      wordOf(edge.source === name, before.outputs, edge.output),
      wordOf(edge.target === name, before.inputs, edge.input),
    );
    if (!moved) {
      report.removedConnections.push(words);
      continue;
    }
    addEdge(workflow, moved);
    report.maintainedConnections.push(words);
  }
  return report;
}

function wordOf(isOwn: boolean, ports: readonly NodePort[] | undefined, slot: Slot): string | undefined {
  const port = isOwn ? ports?.find((candidate) => sameSlot(candidate, slot)) : undefined;
  // A name that several ports share says too little: the index does.
  const isShared = ports?.some((other) => other !== port && other.name === port?.name);
  return isShared ? undefined : port?.name;
}

function movedEdge(edge: Edge, name: string, before: NodePorts, after: NodePorts): Edge | undefined {
  const output = edge.source === name ? matching(edge.output, before.outputs, after.outputs) : edge.output;
  const input = edge.target === name ? matching(edge.input, before.inputs, after.inputs) : edge.input;
  return output && input ? { ...edge, output, input } : undefined;
}

/** The new port for an old one: of the same kind, by its name where it has one of its own, else by its index. */
function matching(slot: Slot, before: readonly NodePort[] | undefined, after: readonly NodePort[] | undefined): Slot | undefined {
  if (!after) return slot;
  const old = before?.find((port) => sameSlot(port, slot));
  const candidates = after.filter((port) => port.type === slot.type);
  const nameOf = (port: NodePort) => (port.name === port.type ? undefined : port.name.toLowerCase());
  const wanted = old && nameOf(old);
  const sameName = wanted === undefined ? undefined : candidates.find((port) => nameOf(port) === wanted);
  // A port with the name of another old one belongs to that one.
  const belongsToOther = (port: NodePort) =>
    before?.some((other) => other !== old && other.type === port.type && nameOf(other) !== undefined && nameOf(other) === nameOf(port));
  const found = sameName ?? candidates.find((port) => port.index === slot.index && !belongsToOther(port));
  return found && { type: found.type, index: found.index };
}

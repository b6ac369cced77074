import { Failure } from '@millrace/kernel';
import { type Edge, edgesOf, type Slot, sameSlot, slotName } from './connections.ts';
import type { NodeCatalogue, NodePort, Workflow, WorkflowNode } from './model.ts';
import { quoted } from './nodes.ts';
import { find, kindOf, portsOf, type Side } from './ports.ts';

/** What a caller says about a connection: the node of either end and, perhaps, the port. */
export interface WantedConnection {
  source: WorkflowNode;
  target: WorkflowNode;
  sourceOutput?: string | undefined;
  targetInput?: string | undefined;
}

export interface ChosenConnection {
  edge: Edge;
  notes: string[];
}

/** Finds the two ports that a caller means; what cannot be connected is refused with what could be. */
export function chooseConnection(workflow: Workflow, wanted: WantedConnection, catalogue: NodeCatalogue): ChosenConnection {
  try {
    return chosenConnection(workflow, wanted, catalogue);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { source, target } = wanted;
    const type = servedType(wanted, catalogue);
    if (type === undefined) throw asTool(error, wanted, catalogue) ?? error;
    throw new Failure(error.code, `${error.message}. ${target.name} serves ${source.name} by ${type}: swap source and target`, {
      details: error.details,
      fix: {
        instruction: 'Connect them the other way round',
        example: { sourceNodeId: target.name, targetNodeId: source.name, sourceOutput: type },
      },
    });
  }
}

/** An agent takes a variant of many nodes, not the node itself. */
function asTool(error: Failure, { source, sourceOutput }: WantedConnection, catalogue: NodeCatalogue): Failure | undefined {
  const variant = catalogue.get(`${source.type}Tool`);
  if (!variant || sourceOutput === undefined || kindOf(sourceOutput) !== 'tool') return undefined;
  return new Failure(error.code, `${error.message}. Agents take its variant ${variant.type}`, {
    details: error.details,
    fix: { instruction: 'Replace the node with node_replace, then connect it', example: { newNodeType: variant.type } },
  });
}

/** The kind in which the target would serve the source, when a caller has the two the wrong way round. */
function servedType({ source, target }: WantedConnection, catalogue: NodeCatalogue): string | undefined {
  const wanted = portsOf(source, 'input', catalogue)?.filter((port) => port.type !== 'main');
  return portsOf(target, 'output', catalogue)?.find((port) => wanted?.some(({ type }) => type === port.type))?.type;
}

function chosenConnection(workflow: Workflow, wanted: WantedConnection, catalogue: NodeCatalogue): ChosenConnection {
  const { source, target } = wanted;
  const notes: string[] = [];
  if (wanted.sourceOutput?.toLowerCase() === 'error' && enableErrorOutput(source, catalogue)) {
    notes.push(`${source.name} now sends errors to its error output (onError: continueErrorOutput)`);
  }
  const outputs = portsOf(source, 'output', catalogue);
  const inputs = portsOf(target, 'input', catalogue);
  const type = typeOf(wanted, outputs, inputs);
  const output = choose(outputs, source, 'output', wanted.sourceOutput, type);
  const input =
    wanted.targetInput === undefined
      ? freeInput(workflow, inputs, target, type)
      : choose(inputs, target, 'input', wanted.targetInput, type);
  if (output.type !== input.type) throw mistyped(source, output, target, input);
  const named = wanted.sourceOutput === undefined || wanted.sourceOutput === output.type;
  const siblings = outputs?.filter((port) => port.type === output.type) ?? [];
  if (named && siblings.length > 1)
    notes.push(`${source.name} has the outputs ${siblings.map((port) => port.name).join(', ')}; this is ${output.name}`);
  const slotOf = ({ type, index }: NodePort): Slot => ({ type, index });
  const edge: Edge = { source: source.name, output: slotOf(output), target: target.name, input: slotOf(input) };
  requireRoom(workflow, edge, input, target);
  return { edge, notes };
}

/** The kind of connection: the one that either port names, else main where both have it, else one that both have. */
function typeOf(wanted: WantedConnection, outputs: NodePort[] | undefined, inputs: NodePort[] | undefined): string | undefined {
  const said = [
    wanted.sourceOutput === undefined ? undefined : find(outputs, wanted.sourceOutput)?.type,
    wanted.targetInput === undefined ? undefined : find(inputs, wanted.targetInput)?.type,
  ].find((type) => type !== undefined);
  if (said || wanted.sourceOutput !== undefined || wanted.targetInput !== undefined) return said;
  const types = (ports: NodePort[] | undefined) => (ports ? new Set(ports.map((port) => port.type)) : undefined);
  const [from, into] = [types(outputs), types(inputs)];
  if ((from?.has('main') ?? true) && (into?.has('main') ?? true)) return 'main';
  return [...(from ?? into ?? [])].find((type) => (from?.has(type) ?? true) && (into?.has(type) ?? true));
}

function choose(
  ports: NodePort[] | undefined,
  node: WorkflowNode,
  side: Side,
  named: string | undefined,
  type: string | undefined,
): NodePort {
  const port = named === undefined ? find(ports, type ?? 'main') : find(ports, named);
  if (port) return port;
  throw impossible(node, side, named ?? type ?? 'main', ports);
}

/** With no input named: the first of that kind that is still free, as Merge needs; the first where all are taken. */
function freeInput(workflow: Workflow, inputs: NodePort[] | undefined, target: WorkflowNode, type: string | undefined): NodePort {
  const wanted = type ?? 'main';
  const candidates = inputs?.filter((port) => port.type === wanted) ?? [];
  if (candidates.length < 2) return choose(inputs, target, 'input', undefined, type);
  const taken = edgesOf(workflow).filter((edge) => edge.target === target.name && edge.input.type === wanted);
  const free = candidates.find((port) => !taken.some((edge) => edge.input.index === port.index));
  return free ?? candidates[0] ?? choose(inputs, target, 'input', undefined, type);
}

export function impossible(node: WorkflowNode, side: Side, named: string, ports: readonly NodePort[] | undefined): Failure {
  const legal = ports
    ? ports.map(legalName(ports))
    : ['main', 'main[1]', 'ai_languageModel', 'ai_memory', 'ai_tool', ...(side === 'output' ? ['error'] : [])];
  const has = legal.length > 0 ? `it has ${legal.join(', ')}` : `it has no ${side}s`;
  return new Failure('invalid_input', `${node.name} (${node.type}) has no ${side} ${quoted(named)}: ${has}`, {
    details: { node: node.name, side, [side === 'output' ? 'sourceOutput' : 'targetInput']: named.slice(0, 200), legal },
    fix: { instruction: legal.length > 0 ? `Use one of: ${legal.join(', ')}` : `Connect something else: this node takes no ${side}` },
  });
}

function legalName(ports: readonly NodePort[]): (port: NodePort) => string {
  return (port) => {
    if (port.name !== port.type && port.type === 'main') return port.name;
    return ports.filter((other) => other.type === port.type).length > 1 ? slotName(port) : port.type;
  };
}

function mistyped(source: WorkflowNode, output: NodePort, target: WorkflowNode, input: NodePort): Failure {
  return new Failure(
    'invalid_input',
    `The ${output.type} output of ${source.name} does not fit the ${input.type} input of ${target.name}`,
    {
      details: { sourceOutput: output.type, targetInput: input.type },
      fix: { instruction: 'Both ends must be of one kind; a model, memory or tool is the source, and the agent the target' },
    },
  );
}

function requireRoom(workflow: Workflow, edge: Edge, input: NodePort, target: WorkflowNode): void {
  if (input.maxConnections === undefined) return;
  const others = edgesOf(workflow).filter(
    (other) => other.target === edge.target && sameSlot(other.input, input) && other.source !== edge.source,
  );
  if (others.length < input.maxConnections) return;
  throw new Failure(
    'conflict',
    `The input ${input.name} of ${target.name} takes ${input.maxConnections} and has ${others.map((other) => other.source).join(', ')}`,
    {
      details: { node: target.name, input: input.name, sources: others.map((other) => other.source) },
      fix: { instruction: 'Remove that connection first with connection_remove' },
    },
  );
}

/** A node has an error output only when its onError asks for one. */
function enableErrorOutput(node: WorkflowNode, catalogue: NodeCatalogue): boolean {
  if (node.onError === 'continueErrorOutput') return false;
  const outputs = portsOf(node, 'output', catalogue);
  if (outputs && (!outputs.some((port) => port.type === 'main') || outputs.some((port) => port.name.toLowerCase() === 'error')))
    return false;
  node.onError = 'continueErrorOutput';
  return true;
}

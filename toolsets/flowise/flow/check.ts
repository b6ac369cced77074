import { nearest } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Credential } from '../client/flowise.ts';
import { type Definitions, isAgentflowNode, isStickyNote, type NodeDefinition } from '../nodes/definition.ts';
import { checkConnections } from './check-connections.ts';
import { checkValues } from './check-values.ts';
import { errorsIn, type Finding, quoted } from './findings.ts';
import type { Flow, FlowEdge } from './flow-data.ts';
import { type ReadNode, readNode } from './node.ts';

/** A flow with its nodes read and its definitions found. */
export interface CheckedFlow {
  type: ChatflowType;
  nodes: CheckedNode[];
  edges: FlowEdge[];
  definitions: Definitions;
  /** Undefined when the key may not list them. */
  credentials: readonly Credential[] | undefined;
}

export interface CheckedNode extends ReadNode {
  definition: NodeDefinition | undefined;
}

const MOST_FINDINGS = 50;

/** Everything that would keep a flow from running, found before it is saved, and what is merely odd. */
export function checkFlow(
  flow: Flow,
  type: ChatflowType,
  definitions: Definitions,
  credentials: readonly Credential[] | undefined,
): Finding[] {
  const nodes = flow.nodes.map(readNode).map((node) => ({ ...node, definition: definitions.get(node.name) }));
  const checked: CheckedFlow = {
    type,
    nodes: nodes.filter((node) => !isStickyNote(node.name)),
    edges: flow.edges,
    definitions,
    credentials,
  };
  if (checked.nodes.length === 0)
    return [{ code: 'empty_flow', severity: 'error', message: 'The flow has no nodes, so there is nothing to run' }];
  const findings = [
    ...checkNames(checked),
    ...checkIds(nodes),
    ...checkKind(checked),
    ...checkConnections(checked),
    ...checkValues(checked),
  ];
  if (findings.length <= MOST_FINDINGS) return findings;
  // However many warnings there are, no error is lost behind them.
  return [...errorsIn(findings), ...findings.filter((finding) => finding.severity === 'warning')].slice(0, MOST_FINDINGS);
}

function* checkNames({ nodes, definitions }: CheckedFlow): Generator<Finding> {
  for (const { id, name, data, definition } of nodes) {
    if (!name) {
      const message = `The node ${quoted(id)} does not say which Flowise node it is`;
      yield {
        code: 'unnamed_node',
        severity: 'error',
        node: id,
        message,
        fix: 'Give it a name, such as "llmAgentflow" or "conversationChain"',
      };
    } else if (!definition) {
      const close = nearest(name, definitions.keys());
      const fix = close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'Use the name of a node that this Flowise has';
      yield { code: 'unknown_node', severity: 'error', node: id, message: `This Flowise has no node named ${quoted(name)}`, fix };
    } else if (data['version'] !== undefined && Number(data['version']) !== definition.version) {
      const message = `${quoted(id)} is of version ${Number(data['version'])} of its node; this Flowise has version ${definition.version}`;
      yield { code: 'version_mismatch', severity: 'warning', node: id, message };
    }
  }
}

function* checkIds(nodes: CheckedNode[]): Generator<Finding> {
  const seen = new Set<string>();
  for (const { id, data } of nodes) {
    if (seen.has(id)) {
      yield {
        code: 'duplicate_id',
        severity: 'error',
        node: id,
        message: `Several nodes have the id ${quoted(id)}`,
        fix: 'Give each node an id of its own',
      };
    }
    seen.add(id);
    if (data['id'] !== undefined && data['id'] !== id) {
      yield {
        code: 'id_mismatch',
        severity: 'error',
        node: id,
        message: `The node ${quoted(id)} has another id in its data`,
        fix: 'Make id and data.id the same',
      };
    }
  }
}

/** The nodes fit the type of the flow, and the flow has where to begin or to end. */
function* checkKind({ type, nodes, edges }: CheckedFlow): Generator<Finding> {
  const known = nodes.flatMap(({ id, definition }) => (definition ? [{ id, definition }] : []));
  if (type === 'AGENTFLOW') {
    for (const { id, definition } of known.filter((node) => !isAgentflowNode(node.definition))) {
      const message = `${quoted(definition.name)} is a node for chatflows and does not work in an AGENTFLOW`;
      yield { code: 'wrong_flow_type', severity: 'error', node: id, message, fix: 'Use an agentflow node, or save the flow as a CHATFLOW' };
    }
    const starts = nodes.filter((node) => node.name === 'startAgentflow');
    if (starts.length === 0) yield { code: 'no_start', severity: 'error', message: 'An AGENTFLOW needs a startAgentflow node to begin at' };
    if (starts.length > 1)
      yield { code: 'several_starts', severity: 'error', message: 'An AGENTFLOW can have only one startAgentflow node' };
    return;
  }
  if (type !== 'CHATFLOW' && type !== 'MULTIAGENT') return;
  for (const { id, definition } of known.filter((node) => isAgentflowNode(node.definition))) {
    const message = `${quoted(definition.name)} is an agentflow node and does not work in a ${type}`;
    yield { code: 'wrong_flow_type', severity: 'error', node: id, message, fix: 'Save the flow with type AGENTFLOW' };
  }
  const sources = new Set(edges.map((edge) => String(edge.source)));
  if (known.length === nodes.length && !nodes.some((node) => !sources.has(node.id) && canEnd(node))) {
    yield { code: 'no_ending', severity: 'error', message: 'A chatflow must end in a chain, an agent or an engine, and this one does not' };
  }
}

const ENDING_CATEGORIES = new Set(['Chains', 'Agents', 'Engine', 'Multi Agents', 'Sequential Agents']);

function canEnd({ definition, data }: CheckedNode): boolean {
  const output = (data['outputs'] as { output?: unknown } | undefined)?.output;
  return output === 'EndingNode' || ENDING_CATEGORIES.has(definition?.category ?? '');
}

import { nearest, recordOf } from '@millrace/kernel';
import type { ChatflowType } from '../client/chatflow.ts';
import type { Credential } from '../client/flowise.ts';
import {
  type Definitions,
  type InputDefinition,
  isAgentflowNode,
  isParameter,
  isStickyNote,
  isVisible,
  type NodeDefinition,
} from '../nodes/definition.ts';
import { inputAt } from './connect.ts';
import { type CheckedFlow, type CheckedNode, error, errorsIn, type Finding, quoted, warning } from './findings.ts';
import { type Flow, isEmpty, readNode, referencesOf, textOf } from './flow.ts';
import { outputEndsOf } from './outputs.ts';

const MOST_FINDINGS = 50;

/** Everything that would keep a flow from running, found before it is saved, and what is merely odd. */
export function checkFlow(
  flow: Flow,
  type: ChatflowType,
  definitions: Definitions,
  credentials: readonly Credential[] | undefined,
): Finding[] {
  const all = flow.nodes.map(readNode).map((node) => ({ ...node, definition: definitions.get(node.name) }));
  const nodes = all.filter((node) => !isStickyNote(node.name));
  const checked: CheckedFlow = { type, nodes, edges: flow.edges, definitions, credentials };
  if (nodes.length === 0) return [error('empty_flow', 'The flow has no nodes, so there is nothing to run')];
  const findings = [
    ...checkNames(checked),
    ...checkIds(all),
    ...checkKind(checked),
    ...checkConnections(checked),
    ...nodes.flatMap((node) => [...checkValues(node, checked)]),
  ];
  if (findings.length <= MOST_FINDINGS) return findings;
  // However many warnings there are, no error is lost behind them.
  return [...errorsIn(findings), ...findings.filter((finding) => finding.severity === 'warning')].slice(0, MOST_FINDINGS);
}

function* checkNames({ nodes, definitions }: CheckedFlow): Generator<Finding> {
  for (const { id: node, name, data, definition } of nodes) {
    if (!name) {
      const fix = 'Give it a name, such as "llmAgentflow" or "conversationChain"';
      yield error('unnamed_node', `The node ${quoted(node)} does not say which Flowise node it is`, { node, fix });
    } else if (!definition) {
      const close = nearest(name, definitions.keys());
      const fix = close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'Use the name of a node that this Flowise has';
      yield error('unknown_node', `This Flowise has no node named ${quoted(name)}`, { node, fix });
    } else if (data['version'] !== undefined && Number(data['version']) !== definition.version) {
      const message = `${quoted(node)} is of version ${Number(data['version'])} of its node; this Flowise has version ${definition.version}`;
      yield warning('version_mismatch', message, { node });
    }
  }
}

function* checkIds(nodes: CheckedNode[]): Generator<Finding> {
  const seen = new Set<string>();
  for (const { id: node, data } of nodes) {
    if (seen.has(node)) {
      yield error('duplicate_id', `Several nodes have the id ${quoted(node)}`, { node, fix: 'Give each node an id of its own' });
    }
    seen.add(node);
    if (data['id'] !== undefined && data['id'] !== node) {
      yield error('id_mismatch', `The node ${quoted(node)} has another id in its data`, { node, fix: 'Make id and data.id the same' });
    }
  }
}

/** The nodes fit the type of the flow, and the flow can begin and end. */
function* checkKind({ type, nodes, edges }: CheckedFlow): Generator<Finding> {
  const known = nodes.flatMap(({ id, definition }) => (definition ? [{ id, definition }] : []));
  if (type === 'AGENTFLOW') {
    for (const { id: node, definition } of known.filter((one) => !isAgentflowNode(one.definition))) {
      const message = `${quoted(definition.name)} is a node for chatflows and does not work in an AGENTFLOW`;
      yield error('wrong_flow_type', message, { node, fix: 'Use an agentflow node, or save the flow as a CHATFLOW' });
    }
    const starts = nodes.filter((node) => node.name === 'startAgentflow');
    if (starts.length === 0) yield error('no_start', 'An AGENTFLOW needs a startAgentflow node to begin at');
    if (starts.length > 1) yield error('several_starts', 'An AGENTFLOW can have only one startAgentflow node');
    return;
  }
  if (type !== 'CHATFLOW' && type !== 'MULTIAGENT') return;
  for (const { id: node, definition } of known.filter((one) => isAgentflowNode(one.definition))) {
    const message = `${quoted(definition.name)} is an agentflow node and does not work in a ${type}`;
    yield error('wrong_flow_type', message, { node, fix: 'Save the flow with type AGENTFLOW' });
  }
  const sources = new Set(edges.map((edge) => String(edge.source)));
  if (known.length === nodes.length && !nodes.some((node) => !sources.has(node.id) && canEnd(node))) {
    yield error('no_ending', 'A chatflow must end in a chain, an agent or an engine, and this one does not');
  }
}

const ENDING_CATEGORIES = new Set(['Chains', 'Agents', 'Engine', 'Multi Agents', 'Sequential Agents']);

function canEnd({ definition, data }: CheckedNode): boolean {
  return recordOf(data['outputs'])['output'] === 'EndingNode' || ENDING_CATEGORIES.has(definition?.category ?? '');
}

/** Required values are filled in, and the credentials that are named exist. */
function* checkValues(node: CheckedNode, flow: CheckedFlow): Generator<Finding> {
  const { definition, data, inputs } = node;
  if (!definition) return;
  yield* checkParameters(node, definition);
  const credential = textOf(data['credential']) ?? textOf(inputs['credential']) ?? textOf(inputs['FLOWISE_CREDENTIAL_ID']);
  yield* checkCredential(node, definition, credential, flow);
  yield* checkConfigs(node, definition, flow);
}

function* checkParameters(node: CheckedNode, definition: NodeDefinition): Generator<Finding> {
  const { id, inputs } = node;
  for (const input of definition.inputs.filter(isParameter)) {
    if (!isVisible(input, inputs)) continue;
    if (isRequired(input) && !isFilled(input, inputs)) {
      yield { ...missing(id, input.name), ...(isDispensable(input, node) && { severity: 'warning' }) };
    }
    const items = inputs[input.name];
    if (input.type === 'array' && Array.isArray(items)) yield* checkItems(id, input, items);
  }
}

function* checkItems(id: string, input: InputDefinition, items: unknown[]): Generator<Finding> {
  for (const [index, item] of items.entries()) {
    const values = recordOf(item);
    for (const part of input.array ?? []) {
      if (!isRequired(part) || !isVisible(part, { ...values, [input.name]: items }, index)) continue;
      if (isEmpty(values[part.name]) || values[part.name] === '<p></p>') yield missing(id, `${input.name}[${index}].${part.name}`);
    }
  }
}

/** The settings of a model or tool that a node chooses. */
function* checkConfigs(node: CheckedNode, definition: NodeDefinition, flow: CheckedFlow): Generator<Finding> {
  for (const input of definition.inputs.filter((one) => one.loadConfig && isVisible(one, node.inputs))) {
    const chosen = textOf(node.inputs[input.name]);
    if (!chosen) continue;
    const component = flow.definitions.get(chosen);
    if (!component) {
      const message = `${quoted(node.id)} chooses ${quoted(chosen)} for ${input.name}, which this Flowise does not have`;
      yield error('unknown_node', message, { node: node.id });
      continue;
    }
    const config = recordOf(node.inputs[`${input.name}Config`]);
    for (const one of component.inputs.filter((part) => isParameter(part) && isRequired(part) && isVisible(part, config))) {
      if (isEmpty(config[one.name])) yield missing(node.id, `${input.name}Config.${one.name}`);
    }
    const credential = textOf(config['FLOWISE_CREDENTIAL_ID']) ?? textOf(config['credential']);
    yield* checkCredential(node, component, credential, flow);
  }
}

function* checkCredential(
  { id: node }: CheckedNode,
  definition: NodeDefinition,
  credential: string | undefined,
  { credentials }: CheckedFlow,
): Generator<Finding> {
  const wanted = definition.credential?.credentialNames;
  if (!wanted) return;
  if (!credential) {
    if (definition.credential?.optional) return;
    const message = `${quoted(node)} needs a credential of the kind ${wanted.join(' or ')}`;
    yield error('missing_credential', message, { node, fix: 'Name the id of a credential that Flowise has' });
    return;
  }
  if (!credentials || credentials.some((known) => known.id === credential)) return;
  const fitting = credentials.filter((known) => wanted.includes(known.credentialName)).map((known) => known.id);
  const fix = fitting.length > 0 ? `Flowise has ${fitting.slice(0, 3).join(', ')}` : 'Add a credential of this kind in Flowise';
  yield error('unknown_credential', `${quoted(node)} names a credential that Flowise does not have`, { node, fix });
}

function isFilled({ name, tabs = [] }: InputDefinition, values: Record<string, unknown>): boolean {
  return !isEmpty(values[name]) || tabs.some((tab) => !isEmpty(values[tab.name]) || !isEmpty(tab.default));
}

function isRequired(input: InputDefinition): boolean {
  return !input.optional && input.type !== 'credential' && isEmpty(input.default);
}

/** The flow may run without it: a file can come with the run, and an older flow was made without the inputs of a later version. */
function isDispensable(input: InputDefinition, { data }: CheckedNode): boolean {
  if (input.type === 'file') return true;
  const own = data['inputParams'];
  return Array.isArray(own) && !own.some((one) => recordOf(one)['name'] === input.name);
}

function missing(node: string, name: string): Finding {
  return error('missing_value', `${quoted(node)} needs a value for ${quoted(name)}`, { node, fix: `Set inputs.${name}` });
}

/** Edges connect existing nodes at existing handles, and everything that must be connected is. */
function* checkConnections(flow: CheckedFlow): Generator<Finding> {
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

import { Failure, isNestedDeeperThan, isRecord, recordOf } from '@millrace/kernel';

/** A flow as the canvas draws it. Nodes that a person or an assistant wrote may lack almost everything. */
export interface Flow extends Record<string, unknown> {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

export interface FlowNode extends Record<string, unknown> {
  id?: unknown;
  data?: unknown;
}

export interface FlowEdge extends Record<string, unknown> {
  source?: unknown;
  target?: unknown;
}

export const MOST_FLOW_BYTES = 1_048_576;
const MOST_DEPTH = 100;
const MOST_NODES = 500;
const MOST_EDGES = 5_000;

/** Reads flow_data; whatever cannot be a flow is refused before anything is done with it. */
export function parseFlow(text: string): Flow {
  let flow: unknown;
  try {
    flow = JSON.parse(text);
  } catch {
    throw malformed('is not JSON', 'json');
  }
  // Code that walks the flow later must not recurse without limit.
  if (isNestedDeeperThan(flow, MOST_DEPTH - 1)) throw malformed(`is nested more than ${MOST_DEPTH} levels deep`, 'maxDepth');
  if (!isRecord(flow)) throw malformed('must be a JSON object with nodes and edges', 'type');
  const { nodes, edges } = flow;
  if (!Array.isArray(nodes)) throw malformed('has no list of nodes', 'nodes');
  if (!Array.isArray(edges)) throw malformed('has no list of edges', 'edges');
  if (nodes.length > MOST_NODES) throw malformed(`has ${nodes.length} nodes, more than ${MOST_NODES}`, 'maxItems');
  if (edges.length > MOST_EDGES) throw malformed(`has ${edges.length} edges, more than ${MOST_EDGES}`, 'maxItems');
  demandObjects(nodes, 'nodes');
  demandObjects(edges, 'edges');
  return flow as Flow;
}

/** The flow of a saved chatflow, or undefined when what is saved cannot be read. */
export function savedFlow(flowData: string): Flow | undefined {
  try {
    return parseFlow(flowData);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}

function demandObjects(rows: unknown[], list: string): void {
  const index = rows.findIndex((row) => !isRecord(row));
  if (index >= 0) throw malformed(`has something in ${list}[${index}] that is not an object`, 'type');
}

export function malformed(what: string, constraint: string): Failure {
  return new Failure('invalid_input', `flow_data ${what}`, {
    details: { field: 'flow_data', value: null, constraint },
    fix: {
      instruction: 'Send a JSON string such as {"nodes":[…],"edges":[…]}; a node needs no more than {id, name, inputs}',
      example: { flow_data: '{"nodes":[{"id":"startAgentflow_0","name":"startAgentflow"}],"edges":[]}' },
    },
  });
}

/** A node whose data is there, whatever else is missing. */
export interface ReadNode {
  id: string;
  /** The name of the Flowise node, '' when it says none. */
  name: string;
  label: string;
  data: Record<string, unknown>;
  inputs: Record<string, unknown>;
  /** It stands in another node, such as an iteration. */
  inside: boolean;
}

/** Reads a node written either way: everything in `data`, as the canvas does, or flat as {id, name, inputs}. */
export function readNode(node: FlowNode): ReadNode {
  const data = recordOf(node.data);
  const name = textOf(data['name']) ?? textOf(node['name']) ?? '';
  return {
    id: textOf(node.id) ?? textOf(data['id']) ?? '',
    name,
    label: textOf(data['label']) ?? textOf(node['label']) ?? name,
    data,
    inputs: recordOf(isRecord(data['inputs']) ? data['inputs'] : node['inputs']),
    inside: textOf(node['parentNode']) !== undefined,
  };
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Nothing that counts as an answer. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

const REFERENCE = /^\{\{\s*([^{}.\s]+)\.data\.instance\s*\}\}$/;

/** The ids of the nodes that an anchor's value refers to. */
export function referencesOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => (typeof one === 'string' ? (REFERENCE.exec(one)?.[1] ?? []) : []));
}

const MENTION = /\{\{\s*([^{}.\s]+)\.data\.instance\s*\}\}/g;

/** The ids of the nodes whose output stands somewhere in a text. */
export function mentionsIn(value: unknown): string[] {
  return typeof value === 'string' ? Array.from(value.matchAll(MENTION), (match) => match[1] ?? '') : [];
}

export function referenceTo(id: string): string {
  return `{{${id}.data.instance}}`;
}

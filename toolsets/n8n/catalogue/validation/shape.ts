import type { WorkflowNode } from '../../document/workflow/model.ts';
import { type Findings, quoted } from './findings.ts';

/** A node that can be looked at further, and where it stands in the file. */
export interface PlacedNode {
  node: WorkflowNode;
  path: string;
}

export interface Shape {
  nodes: PlacedNode[];
  /** The first node of each name. */
  byName: Map<string, PlacedNode>;
  /** The source's name, the kind of output, the output's index, and what stands there. */
  connections: Record<string, unknown>;
}

/** The structure that n8n demands of every workflow it takes in. */
export function checkShape(workflow: unknown, findings: Findings): Shape {
  const { nodes, connections } = (isObject(workflow) ? workflow : {}) as { nodes?: unknown; connections?: unknown };
  const shape: Shape = { nodes: [], byName: new Map(), connections: {} };
  if (Array.isArray(nodes)) {
    for (const [index, node] of nodes.entries()) checkNode(node, `nodes[${index}]`, shape, findings);
    checkIds(shape.nodes, findings);
  } else {
    findings.error({
      code: 'nodes_missing',
      node: null,
      path: 'nodes',
      message: 'The workflow has no list of nodes',
      fix: 'Add "nodes": [] with one object for each node',
    });
  }
  if (isObject(connections)) shape.connections = connections;
  else {
    findings.error({
      code: 'connections_missing',
      node: null,
      path: 'connections',
      message: 'The workflow has no object of connections',
      fix: 'Add "connections": {}, keyed by the name of the source node',
    });
  }
  return shape;
}

function checkNode(value: unknown, path: string, shape: Shape, findings: Findings): void {
  if (!isObject(value)) {
    findings.error({
      code: 'node_broken',
      node: null,
      path,
      message: 'This is not a node',
      fix: 'A node is an object with name, type, typeVersion, position and parameters',
    });
    return;
  }
  const node = value as unknown as WorkflowNode;
  const name = typeof node.name === 'string' && node.name !== '' ? node.name : null;
  if (name === null) {
    findings.error({
      code: 'name_missing',
      node: null,
      path: `${path}.name`,
      message: 'The node has no name',
      fix: 'Give the node a name of its own: connections refer to it',
    });
  }
  if (typeof node.type !== 'string' || node.type === '') {
    findings.error({
      code: 'type_missing',
      node: name,
      path: `${path}.type`,
      message: 'The node has no type',
      fix: 'Find one with node_search and write its id as the type',
    });
  }
  checkFields(node, name, path, findings);
  if (name === null || typeof node.type !== 'string' || node.type === '') return;
  const placed = { node, path };
  if (shape.byName.has(name)) {
    findings.error({
      code: 'duplicate_name',
      node: name,
      path: `${path}.name`,
      message: `Two nodes are named ${quoted(name)}`,
      fix: 'Rename one of them, and mend its connections and the expressions that mention it',
    });
  } else shape.byName.set(name, placed);
  shape.nodes.push(placed);
}

function checkFields(node: WorkflowNode, name: string | null, path: string, findings: Findings): void {
  const wrong = (field: string, message: string, fix: string) =>
    findings.error({ code: `${field}_invalid`, node: name, path: `${path}.${field}`, message, fix });
  const { position, parameters, id, typeVersion, disabled } = node as Record<string, unknown>;
  if (!Array.isArray(position) || position.length !== 2 || !position.every((part) => typeof part === 'number')) {
    wrong('position', 'The position of the node is not [x, y]', 'Write two numbers, as in [240, 300]');
  }
  if (parameters !== undefined && !isObject(parameters))
    wrong('parameters', 'The parameters of the node are not an object', 'Write an object, {} if there are none');
  if (id !== undefined && typeof id !== 'string') wrong('id', 'The id of the node is not a text', 'Write a text, or leave the id out');
  if (typeVersion !== undefined && typeof typeVersion !== 'number')
    wrong('typeVersion', 'The typeVersion of the node is not a number', 'Write a number');
  if (disabled !== undefined && typeof disabled !== 'boolean')
    wrong('disabled', 'disabled is not true or false', 'Write true or false, or leave it out');
}

function checkIds(nodes: PlacedNode[], findings: Findings): void {
  const first = new Map<string, string>();
  for (const { node, path } of nodes) {
    if (typeof node.id !== 'string' || node.id === '') continue;
    const other = first.get(node.id);
    if (other === undefined) first.set(node.id, node.name);
    else {
      findings.error({
        code: 'duplicate_id',
        node: node.name,
        path: `${path}.id`,
        message: `The nodes ${quoted(other)} and ${quoted(node.name)} have the same id`,
        fix: 'Give one of them a new id, or leave its id out: n8n makes one',
      });
    }
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

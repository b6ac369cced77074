import { isRecord, recordOf } from '@millrace/kernel';
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
  const { nodes, connections } = recordOf(workflow);
  const shape: Shape = { nodes: [], byName: new Map(), connections: {} };
  if (Array.isArray(nodes)) {
    for (const [index, node] of nodes.entries()) checkNode(node, `nodes[${index}]`, shape, findings);
    checkIds(shape.nodes, findings);
  } else {
    const fix = 'Add "nodes": [] with one object for each node';
    findings.at(null, 'nodes').error('nodes_missing', 'The workflow has no list of nodes', fix);
  }
  if (isRecord(connections)) shape.connections = connections;
  else {
    const fix = 'Add "connections": {}, keyed by the name of the source node';
    findings.at(null, 'connections').error('connections_missing', 'The workflow has no object of connections', fix);
  }
  return shape;
}

function checkNode(value: unknown, path: string, shape: Shape, findings: Findings): void {
  if (!isRecord(value)) {
    const fix = 'A node is an object with name, type, typeVersion, position and parameters';
    findings.at(null, path).error('node_broken', 'This is not a node', fix);
    return;
  }
  const name = typeof value['name'] === 'string' && value['name'] !== '' ? value['name'] : null;
  if (name === null) {
    const fix = 'Give the node a name of its own: connections refer to it';
    findings.at(null, `${path}.name`).error('name_missing', 'The node has no name', fix);
  }
  if (typeof value['type'] !== 'string' || value['type'] === '') {
    const fix = 'Find one with node_search and write its id as the type';
    findings.at(name, `${path}.type`).error('type_missing', 'The node has no type', fix);
  }
  checkFields(value, name, path, findings);
  if (!isNamed(value)) return;
  const placed = { node: value, path };
  if (shape.byName.has(value.name)) {
    const fix = 'Rename one of them, and fix its connections and the expressions that mention it';
    findings.at(name, `${path}.name`).error('duplicate_name', `Two nodes are named ${quoted(name)}`, fix);
  } else shape.byName.set(value.name, placed);
  shape.nodes.push(placed);
}

/** It has what everything else is found by; its other fields may be wrong, which is reported. */
function isNamed(node: Record<string, unknown>): node is WorkflowNode {
  const { name, type } = node;
  return typeof name === 'string' && name !== '' && typeof type === 'string' && type !== '';
}

function checkFields(node: Record<string, unknown>, name: string | null, path: string, findings: Findings): void {
  const wrong = (field: string, message: string, fix: string) =>
    findings.at(name, `${path}.${field}`).error(`${field}_invalid`, message, fix);
  const { position, parameters, id, typeVersion, disabled } = node;
  if (!Array.isArray(position) || position.length !== 2 || !position.every((part) => typeof part === 'number')) {
    wrong('position', 'The position of the node is not [x, y]', 'Write two numbers, as in [240, 300]');
  }
  if (parameters !== undefined && !isRecord(parameters))
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
      const message = `The nodes ${quoted(other)} and ${quoted(node.name)} have the same id`;
      findings.at(node.name, `${path}.id`).error('duplicate_id', message, 'Give one of them a new id, or leave its id out: n8n makes one');
    }
  }
}

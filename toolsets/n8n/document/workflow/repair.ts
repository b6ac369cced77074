import { randomUUID } from 'node:crypto';
import { isRecord, recordOf } from '@millrace/kernel';
import { addEdge, type Edge, edgesOf, type Slot } from './connections.ts';
import type { Finding, Workflow, WorkflowNode } from './model.ts';
import { freePosition, isPosition, nameFromType, uniqueName } from './nodes.ts';

/** Fixes in place what can be fixed without guessing what was meant, and reports what it did. */
export function repairWorkflow(workflow: Workflow): Finding[] {
  const repairs: Finding[] = [];
  const report: Report = (code, node, path, message, fix) => void repairs.push({ code, node, path, message, fix });
  if (workflow.settings !== undefined && !isRecord(workflow.settings)) {
    report('bad_settings', null, 'settings', 'settings are not an object', 'replaced by {}');
    workflow.settings = {};
  }
  for (const key of ['pinData', 'name'] as const) {
    const isBad = key === 'name' ? typeof workflow.name !== 'string' : !isRecord(workflow.pinData);
    if (workflow[key] === undefined || workflow[key] === null || !isBad) continue;
    delete workflow[key];
    report(`bad_${key}`, null, key, `${key} was not what it has to be`, 'removed');
  }
  // The old ids and names are what damaged connections refer to.
  const references = referencesOf(workflow);
  workflow.nodes.forEach((node, index) => void repairNode(workflow, node, index, report));
  repairConnections(workflow, references, report);
  return repairs;
}

function referencesOf(workflow: Workflow): References {
  const byName = new Map<string, WorkflowNode>();
  const byId = new Map<string, WorkflowNode>();
  for (const node of workflow.nodes) {
    if (typeof node.name === 'string' && !byName.has(node.name)) byName.set(node.name, node);
    const id: unknown = node.id;
    if ((typeof id === 'string' || typeof id === 'number') && !byId.has(String(id))) byId.set(String(id), node);
  }
  return (called) =>
    typeof called === 'string' || typeof called === 'number' ? (byName.get(String(called)) ?? byId.get(String(called))) : undefined;
}

/** Tells what was wrong with a field of a node, and what was done about it. */
type NodeReport = (code: string, field: string, message: string, fix: string) => void;

function repairNode(workflow: Workflow, node: WorkflowNode, index: number, report: Report): void {
  const others = workflow.nodes.slice(0, index);
  const note: NodeReport = (code, field, message, fix) => report(code, node.name, `nodes[${index}].${field}`, message, fix);
  repairName(workflow, node, others, note);
  repairId(node, others, note);
  if (!isPosition(node.position)) {
    node.position = positionOf(workflow, node);
    note('bad_position', 'position', 'the position was not [x, y]', `placed at [${node.position.join(', ')}]`);
  }
  if (node.credentials !== undefined && !isRecord(node.credentials)) {
    delete node.credentials;
    note('bad_credentials', 'credentials', 'the credentials were not an object', 'removed');
  }
  if (!isRecord(node.parameters)) {
    node.parameters = {};
    note('missing_parameters', 'parameters', 'the node had no parameters object', 'added {}');
  }
  repairType(node, note);
}

function repairName(workflow: Workflow, node: WorkflowNode, others: readonly WorkflowNode[], note: NodeReport): void {
  const before = node.name;
  if (typeof before !== 'string' || before === '') {
    node.name = uniqueName(workflow, nameFromType(node.type));
    note('missing_name', 'name', 'the node had no name', `named ${JSON.stringify(node.name)}`);
  } else if (others.some((other) => other.name === before)) {
    node.name = uniqueName(workflow, before);
    note('duplicate_name', 'name', `another node is called ${JSON.stringify(before)} too`, `renamed to ${JSON.stringify(node.name)}`);
  }
}

function repairId(node: WorkflowNode, others: readonly WorkflowNode[], note: NodeReport): void {
  const before: unknown = node.id;
  const isTaken = (id: unknown) => others.some((other) => other.id === id);
  if (typeof before === 'string' && before !== '' && !isTaken(before)) return;
  node.id = typeof before === 'number' && !isTaken(String(before)) ? String(before) : randomUUID();
  if (before === undefined || before === '') note('missing_id', 'id', 'the node had no id', `given the id ${node.id}`);
  else note('bad_id', 'id', 'the id was not unique or no text', `given the id ${node.id}`);
}

/** A node without a version needs no repair: n8n takes the version that new nodes have. */
function repairType(node: WorkflowNode, note: NodeReport): void {
  if (node.typeVersion !== undefined && typeof node.typeVersion !== 'number') {
    const version = numberOf(node.typeVersion);
    const isVersion = Number.isFinite(version) && version > 0;
    if (isVersion) node.typeVersion = version;
    else delete node.typeVersion;
    const done = isVersion ? `set to ${version}` : 'removed; n8n takes the version that new nodes have';
    note('bad_type_version', 'typeVersion', 'the typeVersion was no number', done);
  }
  const replacement = REMOVED_TYPES[node.type];
  if (replacement === undefined) return;
  note('removed_type', 'type', `n8n no longer has ${node.type}`, `replaced by ${replacement}`);
  Object.assign(node, { type: replacement, typeVersion: 1 });
}

/** Types that n8n once had, and what does the same today. */
export const REMOVED_TYPES: Record<string, string> = { 'n8n-nodes-base.start': 'n8n-nodes-base.manualTrigger' };

function positionOf(workflow: Workflow, node: WorkflowNode): [number, number] {
  const written: unknown = node.position;
  const [x, y] = Array.isArray(written) ? written : isRecord(written) ? [written['x'], written['y']] : [];
  const numbers = [numberOf(x), numberOf(y)];
  return isPosition(numbers) ? numbers : freePosition(workflow, 'right');
}

function numberOf(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;
}

/** Reports what was wrong and what was done about it; the node is null when it concerns the whole workflow. */
type Report = (code: string, node: string | null, path: string, message: string, fix: string) => void;

/** What a connection may call a node: its name, else its id. */
type References = (called: unknown) => WorkflowNode | undefined;

/** A connection as a damaged file has it, before its ends are looked up. */
interface LooseConnection {
  source: unknown;
  target: unknown;
  output: Slot;
  input: Slot;
  path: string;
}

/** Connections in n8n's shape: keyed by name, by kind, by index. Valid ones stay as they are. */
function repairConnections(workflow: Workflow, references: References, report: Report): void {
  const written: unknown = workflow.connections;
  if (written === undefined || written === null) {
    workflow.connections = {};
    report('missing_connections', null, 'connections', 'connections are missing', 'added as {}');
    return;
  }
  const repaired: Workflow = { ...workflow, connections: {} };
  if (Array.isArray(written)) {
    for (const loose of fromList(written, report)) place(repaired, loose, references, report);
  } else {
    for (const [source, byType] of Object.entries(written)) repairSource(repaired, source, byType, references, report);
  }
  workflow.connections = repaired.connections;
}

function repairSource(repaired: Workflow, source: string, byType: unknown, references: References, report: Report): void {
  const damages: Parameters<Report>[] = [];
  const note: Report = (...damage) => void damages.push(damage);
  const alone: Workflow = { ...repaired, connections: {} };
  const loose = fromSource(source, byType, references, note);
  for (const connection of loose) place(alone, connection, references, note);
  for (const damage of damages) report(...damage);
  if (damages.length === 0 && !Object.hasOwn(repaired.connections, source)) {
    Object.defineProperty(repaired.connections, source, { value: byType, enumerable: true, writable: true, configurable: true });
  } else for (const edge of edgesOf(alone)) addEdge(repaired, edge);
}

function place(workflow: Workflow, loose: LooseConnection, references: References, note: Report): void {
  const [source, target] = [references(loose.source), references(loose.target)];
  if (!source || !target) {
    const missing = describe(source ? loose.target : loose.source);
    note('dangling_connection', source?.name ?? null, loose.path, `there is no node ${missing}`, 'removed the connection');
    return;
  }
  if (target.name !== loose.target)
    note('connection_by_id', source.name, loose.path, `the target was called ${describe(loose.target)}`, `named ${describe(target.name)}`);
  const edge: Edge = { source: source.name, output: loose.output, target: target.name, input: loose.input };
  if (!addEdge(workflow, edge)) note('duplicate_connection', source.name, loose.path, 'the connection was there twice', 'kept once');
}

/** `[{source, target, ...}]`, as other tools write edges. */
function fromList(list: readonly unknown[], note: Report): LooseConnection[] {
  note('flat_connections', null, 'connections', 'connections were a list', 'keyed by node name');
  return list.flatMap((entry, index): LooseConnection[] => {
    const path = `connections[${index}]`;
    if (!isRecord(entry)) {
      note('bad_connection', null, path, 'this is not a connection', 'removed');
      return [];
    }
    const end = (...keys: string[]) => keys.map((key) => entry[key]).find((value) => value !== undefined);
    const output = slotOf(end('sourceOutput', 'sourceHandle', 'output', 'sourceIndex', 'type'));
    const input = slotOf(end('targetInput', 'targetHandle', 'input', 'targetIndex'), output.type);
    return [
      {
        source: named(end('source', 'sourceNodeId', 'sourceNode', 'from', 'fromNode')),
        target: named(end('target', 'targetNodeId', 'targetNode', 'to', 'toNode', 'node')),
        output,
        input,
        path,
      },
    ];
  });
}

function named(end: unknown): unknown {
  return isRecord(end) ? (end['node'] ?? end['id'] ?? end['name']) : end;
}

function slotOf(value: unknown, otherwise = 'main'): Slot {
  if (typeof value === 'number') return { type: otherwise, index: indexOf(value) };
  if (typeof value !== 'string' || value === '') return { type: otherwise, index: 0 };
  return /^\d+$/.test(value) ? { type: otherwise, index: Number(value) } : { type: value, index: 0 };
}

function fromSource(source: string, byType: unknown, references: References, note: Report): LooseConnection[] {
  const path = `connections[${JSON.stringify(source)}]`;
  const node = references(source);
  if (!node) {
    note('dangling_connection', null, path, `there is no node ${describe(source)}`, 'removed its connections');
    return [];
  }
  if (node.name !== source) {
    note('connection_by_id', node.name, path, `the connections were keyed by ${describe(source)}`, `keyed by ${describe(node.name)}`);
  }
  if (Array.isArray(byType)) {
    note('flat_connections', node.name, path, 'the connections were a list', 'put below main');
    return fromSlots(source, 'main', byType, path, note);
  }
  if (!isRecord(byType)) {
    note('bad_connection', node.name, path, 'these are not connections', 'removed');
    return [];
  }
  return Object.entries(byType).flatMap(([type, slots]) => fromSlots(source, type, slots, `${path}.${type}`, note));
}

function fromSlots(source: string, type: string, slots: unknown, path: string, note: Report): LooseConnection[] {
  const list = Array.isArray(slots) ? slots : [slots];
  const isFlat = !Array.isArray(slots) || list.some((slot) => slot !== null && !Array.isArray(slot));
  if (isFlat) note('flat_connections', source, path, 'the connections were not in one list for each output', 'put below the first output');
  return list.flatMap((slot, index) => {
    const targets: unknown[] = Array.isArray(slot) ? slot : slot === null || slot === undefined ? [] : [slot];
    return targets.map((target, position): LooseConnection => {
      const at = `${path}[${index}][${position}]`;
      const output = { type, index: isFlat && !Array.isArray(slot) ? 0 : index };
      const { type: kind, index: inputIndex } = recordOf(target);
      if (typeof kind !== 'string' || typeof inputIndex !== 'number' || !Number.isInteger(inputIndex) || inputIndex < 0) {
        note('bad_connection', source, at, 'the target had no kind or index', 'completed');
      }
      // A flat list numbers its entries; that number says nothing about the input.
      const input = { type: typeof kind === 'string' ? kind : type, index: isFlat ? 0 : indexOf(inputIndex) };
      return { source, target: named(target), output, input, path: at };
    });
  });
}

function indexOf(value: unknown): number {
  const index = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return Number.isInteger(index) && index >= 0 && index < 1000 ? index : 0;
}

function describe(called: unknown): string {
  return typeof called === 'string' ? JSON.stringify(called.slice(0, 100)) : typeof called;
}

import { isRecord, recordOf } from '@millrace/kernel';
import { addEdge, type Edge, edgesOf } from './connections.ts';
import type { Workflow, WorkflowNode } from './model.ts';

/** Reports what was wrong and what was done about it; the node is null when it concerns the whole workflow. */
export type Report = (code: string, node: string | null, path: string, message: string, fix: string) => void;

/** What a connection may call a node: its name, else its id. */
export type References = (called: unknown) => WorkflowNode | undefined;

/** A connection as a damaged file has it, before its ends are looked up. */
interface LooseConnection {
  source: unknown;
  target: unknown;
  output: Edge['output'];
  input: Edge['input'];
  path: string;
}

/** Connections in n8n's shape: keyed by name, by kind, by index. Valid ones stay as they are. */
export function repairConnections(workflow: Workflow, references: References, report: Report): void {
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

function slotOf(value: unknown, otherwise = 'main'): Edge['output'] {
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

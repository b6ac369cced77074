import { isRecord } from '../text/json.ts';
import { addEdge, type Edge, edgesOf } from './connections.ts';
import type { Connections, Finding, Workflow, WorkflowNode } from './model.ts';
import { finding } from './model.ts';

/** A connection as a damaged file has it, before its ends are looked up. */
interface Loose {
  source: unknown;
  target: unknown;
  output: Edge['output'];
  input: Edge['input'];
  path: string;
}

/** Connections in n8n's shape: keyed by name, by kind, by index. What is sound is left as it is. */
export function repairConnections(workflow: Workflow, references: References, report: Report): void {
  const written: unknown = workflow.connections;
  if (written === undefined || written === null) {
    workflow.connections = {};
    report(finding('missing_connections', null, 'connections', 'connections are missing', 'added as {}'));
    return;
  }
  const repaired = { ...workflow, connections: {} as Connections };
  if (Array.isArray(written)) {
    for (const loose of fromList(written, report)) place(repaired, loose, references, report);
  } else {
    for (const [source, byType] of Object.entries(written as Connections)) repairSource(repaired, source, byType, references, report);
  }
  workflow.connections = repaired.connections;
}

function repairSource(repaired: Workflow, source: string, byType: Connections[string], references: References, report: Report): void {
  const damages: Finding[] = [];
  const alone: Workflow = { ...repaired, connections: {} };
  const loose = fromSource(source, byType, references, (damage) => damages.push(damage));
  for (const connection of loose) place(alone, connection, references, (damage) => damages.push(damage));
  for (const damage of damages) report(damage);
  if (damages.length === 0 && !Object.hasOwn(repaired.connections, source)) {
    Object.defineProperty(repaired.connections, source, { value: byType, enumerable: true, writable: true, configurable: true });
  } else for (const edge of edgesOf(alone)) addEdge(repaired, edge);
}

function place(workflow: Workflow, loose: Loose, references: References, note: Report): void {
  const [source, target] = [references(loose.source), references(loose.target)];
  if (!source || !target) {
    const missing = describe(source ? loose.target : loose.source);
    note(finding('dangling_connection', source?.name ?? null, loose.path, `there is no node ${missing}`, 'removed the connection'));
    return;
  }
  if (target.name !== loose.target)
    note(
      finding(
        'connection_by_id',
        source.name,
        loose.path,
        `the target was called ${describe(loose.target)}`,
        `named ${describe(target.name)}`,
      ),
    );
  const edge: Edge = { source: source.name, output: loose.output, target: target.name, input: loose.input };
  if (!addEdge(workflow, edge))
    note(finding('duplicate_connection', source.name, loose.path, 'the connection was there twice', 'kept once'));
}

/** `[{source, target, ...}]`, as other tools write edges. */
function fromList(list: readonly unknown[], note: Report): Loose[] {
  note(finding('flat_connections', null, 'connections', 'connections were a list', 'keyed by node name'));
  return list.flatMap((entry, index): Loose[] => {
    const path = `connections[${index}]`;
    if (!isRecord(entry)) {
      note(finding('bad_connection', null, path, 'this is no connection', 'removed'));
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

function fromSource(source: string, byType: unknown, references: References, note: Report): Loose[] {
  const path = `connections[${JSON.stringify(source)}]`;
  const node = references(source);
  if (!node) {
    note(finding('dangling_connection', null, path, `there is no node ${describe(source)}`, 'removed its connections'));
    return [];
  }
  if (node.name !== source) {
    note(
      finding('connection_by_id', node.name, path, `the connections were keyed by ${describe(source)}`, `keyed by ${describe(node.name)}`),
    );
  }
  if (Array.isArray(byType)) {
    note(finding('flat_connections', node.name, path, 'the connections were a list', 'put below main'));
    return fromSlots(source, 'main', byType, path, note);
  }
  if (!isRecord(byType)) {
    note(finding('bad_connection', node.name, path, 'these are no connections', 'removed'));
    return [];
  }
  return Object.entries(byType).flatMap(([type, slots]) => fromSlots(source, type, slots, `${path}.${type}`, note));
}

function fromSlots(source: string, type: string, slots: unknown, path: string, note: Report): Loose[] {
  const list = Array.isArray(slots) ? slots : [slots];
  const isFlat = !Array.isArray(slots) || list.some((slot) => slot !== null && !Array.isArray(slot));
  if (isFlat)
    note(finding('flat_connections', source, path, 'the connections were not in one list for each output', 'put below the first output'));
  return list.flatMap((slot, index) => {
    const targets: unknown[] = Array.isArray(slot) ? slot : slot === null || slot === undefined ? [] : [slot];
    return targets.flatMap((target, place): Loose[] => {
      const at = `${path}[${index}][${place}]`;
      const output = { type, index: isFlat && !Array.isArray(slot) ? 0 : index };
      const called = isRecord(target) ? (target['node'] ?? target['id'] ?? target['name']) : target;
      if (
        !isRecord(target) ||
        typeof target['type'] !== 'string' ||
        !Number.isInteger(target['index']) ||
        (target['index'] as number) < 0
      ) {
        note(finding('bad_connection', source, at, 'the target had no kind or index', 'completed'));
      }
      const inputType = isRecord(target) && typeof target['type'] === 'string' ? target['type'] : type;
      // A flat list numbers its entries; that number says nothing about the input.
      const index0 = isRecord(target) && !isFlat ? indexOf(target['index']) : 0;
      return [{ source, target: called, output, input: { type: inputType, index: index0 }, path: at }];
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

export type Report = (finding: Finding) => void;

/** What a connection may call a node: its name, else its id. */
export type References = (called: unknown) => WorkflowNode | undefined;

import { Failure, isRecord } from '@millrace/kernel';
import type { ConnectionTarget, OutputSlots, Workflow, WorkflowNode } from './model.ts';

/** An output or an input: its kind, and its index among those of that kind. */
export interface Slot {
  type: string;
  index: number;
}

/** One connection, from an output of one node to an input of another; nodes by name. */
export interface Edge {
  source: string;
  output: Slot;
  target: string;
  input: Slot;
}

/** All connections in the order of the file. */
export function edgesOf(workflow: Pick<Workflow, 'connections'>): Edge[] {
  const edges: Edge[] = [];
  for (const [source, byType] of Object.entries(workflow.connections)) {
    for (const [type, slots] of Object.entries(byType)) {
      slots.forEach((targets, index) => {
        for (const target of targets ?? [])
          edges.push({ source, output: { type, index }, target: target.node, input: inputOf(target, type) });
      });
    }
  }
  return edges;
}

function inputOf(target: ConnectionTarget, outputType: string): Slot {
  return { type: target.type ?? outputType, index: target.index ?? 0 };
}

export function sameEdge(a: Edge, b: Edge): boolean {
  return a.source === b.source && a.target === b.target && sameSlot(a.output, b.output) && sameSlot(a.input, b.input);
}

export function sameSlot(a: Slot, b: Slot): boolean {
  return a.type === b.type && a.index === b.index;
}

/** False when the very same connection is there already. */
export function addEdge(workflow: Workflow, edge: Edge): boolean {
  if (edgesOf(workflow).some((present) => sameEdge(present, edge))) return false;
  const byType = ownOrNew<Record<string, OutputSlots>>(workflow.connections, edge.source, () => ({}));
  const slots = ownOrNew<OutputSlots>(byType, edge.output.type, () => []);
  while (slots.length <= edge.output.index) slots.push([]);
  const targets = slots[edge.output.index] ?? [];
  targets.push({ node: edge.target, type: edge.input.type, index: edge.input.index });
  slots[edge.output.index] = targets;
  return true;
}

/** Takes out every connection that `unwanted` says, and what is empty after that; answers what was taken out. */
export function removeEdges(workflow: Workflow, unwanted: (edge: Edge) => boolean): Edge[] {
  const removed: Edge[] = [];
  for (const [source, byType] of Object.entries(workflow.connections)) {
    for (const [type, slots] of Object.entries(byType)) {
      let touched = false;
      slots.forEach((targets, index) => {
        const kept = targets?.filter((target) => {
          const edge: Edge = { source, output: { type, index }, target: target.node, input: inputOf(target, type) };
          const isUnwanted = unwanted(edge);
          if (isUnwanted) removed.push(edge);
          return !isUnwanted;
        });
        if (!targets || kept?.length === targets.length) return;
        slots[index] = kept ?? [];
        touched = true;
      });
      if (touched) tidy(byType, type, slots);
    }
    if (removed.some((edge) => edge.source === source) && Object.keys(byType).length === 0) delete workflow.connections[source];
  }
  return removed;
}

function tidy(byType: Record<string, OutputSlots>, type: string, slots: OutputSlots): void {
  while (slots.length > 0 && (slots.at(-1)?.length ?? 0) === 0) slots.pop();
  if (slots.length === 0) delete byType[type];
}

/** A node's new name in all connections; the order of the file stays. */
export function renameInConnections(workflow: Workflow, from: string, to: string): void {
  workflow.connections = withKey(workflow.connections, from, to);
  for (const byType of Object.values(workflow.connections)) {
    for (const slots of Object.values(byType)) {
      for (const targets of slots) for (const target of targets ?? []) if (target.node === from) target.node = to;
    }
  }
}

/** A workflow can be worked on when it has n8n's shape; a damaged one has to be repaired first. */
export function requireSound(workflow: Workflow, shown: string): void {
  workflow.connections ??= {};
  const problem = unsoundness(workflow);
  if (!problem) return;
  throw new Failure('conflict', `The workflow is damaged: ${problem}. Run workflow_repair first`, {
    details: { workflow: shown },
    fix: { instruction: 'Run workflow_repair, then edit', example: { workflowId: shown } },
  });
}

function unsoundness(workflow: Workflow): string | undefined {
  for (const [index, node] of workflow.nodes.entries()) {
    const problem = nodeProblem(node);
    if (problem) return `nodes[${index}] ${problem}`;
  }
  for (const key of ['settings', 'pinData'] as const) if (!isAbsentOr(workflow[key], isRecord)) return `${key} is not an object`;
  if (!isAbsentOr(workflow.name, isText)) return 'its name is not a text';
  if (Array.isArray(workflow.connections)) return 'its connections are a list';
  return Object.entries(workflow.connections).map(connectionProblem).find(Boolean);
}

function connectionProblem([source, byType]: [source: string, byType: unknown]): string | undefined {
  const of = `of ${JSON.stringify(source)}`;
  if (!isRecord(byType)) return `the connections ${of} are not by output`;
  for (const slots of Object.values(byType)) {
    if (!Array.isArray(slots)) return `the connections ${of} are not lists`;
    if (!slots.every((targets) => targets === null || isTargets(targets))) return `a connection ${of} is not {node, type, index}`;
  }
  return undefined;
}

function nodeProblem(node: WorkflowNode): string | undefined {
  if (!isAbsentOr(node.name, isText)) return 'has a name that is not a text';
  if (!isAbsentOr(node.id, isText)) return 'has an id that is not a text';
  return isAbsentOr(node.parameters, isRecord) ? undefined : 'has parameters that are not an object';
}

function isAbsentOr(value: unknown, isFine: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || isFine(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTargets(targets: unknown): boolean {
  return (
    Array.isArray(targets) &&
    targets.every(
      (target) =>
        isRecord(target) &&
        isText(target['node']) &&
        isAbsentOr(target['type'], isText) &&
        isAbsentOr(target['index'], (index) => typeof index === 'number'),
    )
  );
}

/** A member of our own making, also when it is called `__proto__`. */
function ownOrNew<Value>(holder: object, key: string, make: () => Value): Value {
  if (!Object.hasOwn(holder, key))
    Object.defineProperty(holder, key, { value: make(), enumerable: true, writable: true, configurable: true });
  return (holder as Record<string, Value>)[key] as Value;
}

/** A connection in words: `If (true) → Set (main)`. */
export function edgeInWords(edge: Edge, outputName?: string, inputName?: string): string {
  return `${edge.source} (${outputName ?? slotName(edge.output)}) → ${edge.target} (${inputName ?? slotName(edge.input)})`;
}

export function slotName({ type, index }: Slot): string {
  return index === 0 ? type : `${type}[${index}]`;
}

/** The same record in the same order, with one key called otherwise. */
export function withKey<Value>(record: Record<string, Value>, from: string, to: string): Record<string, Value> {
  if (!Object.hasOwn(record, from)) return record;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]));
}

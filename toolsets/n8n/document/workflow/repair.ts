import { randomUUID } from 'node:crypto';
import { isRecord } from '@millrace/kernel';
import type { References, Report } from './connection-repair.ts';
import { repairConnections } from './connection-repair.ts';
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

import { isRecord } from '../text/json.ts';
import type { References, Report } from './connection-repair.ts';
import { repairConnections } from './connection-repair.ts';
import { newNodeId } from './identity.ts';
import type { Finding, Workflow, WorkflowNode } from './model.ts';
import { finding } from './model.ts';
import { freePosition, isPosition, nameFromType, uniqueName } from './nodes.ts';

/** Mends what can be mended without guessing what was meant, in place, and says what it did. */
export function repairWorkflow(workflow: Workflow): Finding[] {
  const repairs: Finding[] = [];
  const report: Report = (finding) => void repairs.push(finding);
  if (workflow.settings !== undefined && !isRecord(workflow.settings)) {
    report(finding('bad_settings', null, 'settings', 'settings are not an object', 'replaced by {}'));
    workflow.settings = {};
  }
  for (const key of ['pinData', 'name'] as const) {
    const isBad = key === 'name' ? typeof workflow.name !== 'string' : !isRecord(workflow.pinData);
    if (workflow[key] === undefined || workflow[key] === null || !isBad) continue;
    delete workflow[key];
    report(finding(`bad_${key}`, null, key, `${key} was not what it has to be`, 'removed'));
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

function repairNode(workflow: Workflow, node: WorkflowNode, index: number, report: Report): void {
  const at = (key: string) => `nodes[${index}].${key}`;
  const others = workflow.nodes.slice(0, index);
  if (typeof node.name !== 'string' || node.name === '') {
    node.name = uniqueName(workflow, nameFromType(node.type));
    report(finding('missing_name', node.name, at('name'), 'the node had no name', `named ${JSON.stringify(node.name)}`));
  } else if (others.some((other) => other.name === node.name)) {
    const before = node.name;
    node.name = uniqueName(workflow, node.name);
    report(
      finding(
        'duplicate_name',
        node.name,
        at('name'),
        `another node is called ${JSON.stringify(before)} too`,
        `renamed to ${JSON.stringify(node.name)}`,
      ),
    );
  }
  if (typeof node.id !== 'string' || node.id === '' || others.some((other) => other.id === node.id)) {
    const missing = node.id === undefined || node.id === '';
    node.id = typeof node.id === 'number' && !others.some((other) => other.id === String(node.id)) ? String(node.id) : newNodeId();
    report(
      finding(
        missing ? 'missing_id' : 'bad_id',
        node.name,
        at('id'),
        missing ? 'the node had no id' : 'the id was not unique or no text',
        `given the id ${node.id}`,
      ),
    );
  }
  if (!isPosition(node.position)) {
    node.position = positionOf(workflow, node);
    report(finding('bad_position', node.name, at('position'), 'the position was not [x, y]', `placed at [${node.position.join(', ')}]`));
  }
  if (node.credentials !== undefined && !isRecord(node.credentials)) {
    delete node.credentials;
    report(finding('bad_credentials', node.name, at('credentials'), 'the credentials were not an object', 'removed'));
  }
  if (!isRecord(node.parameters)) {
    node.parameters = {};
    report(finding('missing_parameters', node.name, at('parameters'), 'the node had no parameters object', 'added {}'));
  }
  repairType(node, at, report);
}

/** A node without a version is no damage: n8n takes the version that new nodes have. */
function repairType(node: WorkflowNode, at: (key: string) => string, report: Report): void {
  if (node.typeVersion !== undefined && typeof node.typeVersion !== 'number') {
    const version = numberOf(node.typeVersion);
    const isVersion = Number.isFinite(version) && version > 0;
    if (isVersion) node.typeVersion = version;
    else delete node.typeVersion;
    const done = isVersion ? `set to ${version}` : 'removed; n8n takes the version that new nodes have';
    report(finding('bad_type_version', node.name, at('typeVersion'), 'the typeVersion was no number', done));
  }
  const replacement = REMOVED_TYPES[node.type];
  if (replacement === undefined) return;
  report(finding('removed_type', node.name, at('type'), `n8n no longer has ${node.type}`, `replaced by ${replacement}`));
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

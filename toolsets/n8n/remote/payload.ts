import { randomUUID } from 'node:crypto';
import { recordOf } from '@millrace/kernel';
import { hashOf } from '../document/files/history.ts';
import { equal } from '../document/text/json.ts';
import { edgeInWords, edgesOf } from '../document/workflow/connections.ts';
import type { Connections, Workflow } from '../document/workflow/model.ts';
import type { RemoteWorkflow } from './client.ts';

/** The fields of a workflow that the public API accepts; it answers 400 to anything else. */
export interface WorkflowPayload {
  name: string;
  nodes: Record<string, unknown>[];
  connections: Connections;
  settings: Record<string, unknown>;
  staticData?: unknown;
  pinData?: unknown;
  nodeGroups?: unknown;
}

const NODE_KEYS = [
  'id name webhookId disabled notesInFlow notes type typeVersion executeOnce alwaysOutputData retryOnFail maxTries',
  'waitBetweenTries continueOnFail onError position parameters credentials',
].flatMap((line) => line.split(' '));

/** Known to every version that has the API. */
const OLD_SETTINGS = [
  'saveExecutionProgress saveManualExecutions saveDataErrorExecution saveDataSuccessExecution executionTimeout',
  'errorWorkflow timezone executionOrder',
].flatMap((line) => line.split(' '));
const NEW_SETTINGS = ['callerPolicy', 'callerIds', 'timeSavedMode', 'timeSavedPerExecution', 'redactionPolicy', 'availableInMCP'];

/** Returns the payload and the parts of the workflow that are not in it. `plain` is for instances that know only the oldest fields. */
export function payloadOf(workflow: Workflow, plain = false): { payload: WorkflowPayload; left: string[] } {
  const left: string[] = [];
  const allowed = plain ? OLD_SETTINGS : [...OLD_SETTINGS, ...NEW_SETTINGS];
  const settings = pick(workflow.settings ?? {}, allowed, 'settings', left, (value) => value !== 'DEFAULT');
  const nodes = workflow.nodes.map((node) => pick(node, NODE_KEYS, `node ${node.name}`, left));
  const { pinData, staticData, nodeGroups } = workflow;
  const hasPins = pinData !== undefined && pinData !== null && Object.keys(pinData).length > 0;
  if (plain && hasPins) left.push('pinData');
  return {
    payload: {
      name: workflow.name ?? 'Workflow',
      nodes,
      connections: workflow.connections,
      settings,
      ...(staticData !== undefined && staticData !== null && { staticData }),
      ...(!plain && hasPins && { pinData }),
      ...(!plain && Array.isArray(nodeGroups) && nodeGroups.length > 0 && { nodeGroups }),
    },
    left: [...new Set(left)],
  };
}

function pick(
  record: Record<string, unknown>,
  allowed: readonly string[],
  where: string,
  left: string[],
  wanted: (value: unknown) => boolean = () => true,
): Record<string, unknown> {
  const entries = Object.entries(record).filter(([key, value]) => {
    if (value === undefined || value === null || !wanted(value)) return false;
    if (!allowed.includes(key)) left.push(`${where}: ${key}`);
    return allowed.includes(key);
  });
  return Object.fromEntries(entries);
}

/** A webhook without an id would get a new one with every update: its current one is kept. */
export function withWebhookIds(payload: WorkflowPayload, remote: Workflow): WorkflowPayload {
  const known = new Map(remote.nodes.map((node) => [node.id ?? node.name, node]));
  const nodes = payload.nodes.map((node) => {
    const before = known.get(String(node['id'] ?? node['name']));
    return node['webhookId'] === undefined && before?.type === node['type'] && before?.['webhookId']
      ? { ...node, webhookId: before['webhookId'] }
      : node;
  });
  return { ...payload, nodes };
}

/** Nodes that are called from outside. */
const CALLED = ['webhook', 'formTrigger', 'form', 'wait'].map((name) => `n8n-nodes-base.${name}`);

/** n8n 1 puts the workflow's id and the node's name before the path of a webhook without an id; the editor gives every one an id. */
export function withNewWebhookIds(payload: WorkflowPayload): WorkflowPayload {
  const nodes = payload.nodes.map((node) =>
    node['webhookId'] === undefined && CALLED.includes(String(node['type'])) ? { ...node, webhookId: randomUUID() } : node,
  );
  return { ...payload, nodes };
}

/** The same for the same content: how a change by somebody else is noticed. What n8n adds by itself does not count. */
export function contentHash(workflow: Workflow): string {
  const { payload } = payloadOf(workflow);
  // Static data changes with every run, and pinned data only helps whoever is editing.
  const { staticData: _run, pinData: _pinned, ...content } = payload;
  return hashOf(Buffer.from(canonical({ ...content, nodes: content.nodes.toSorted(byName) })));
}

function byName(a: Record<string, unknown>, b: Record<string, unknown>): number {
  return canonical(a['name']) < canonical(b['name']) ? -1 : 1;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

/** What belongs in a file: the workflow, and nothing that changes with every save on the instance. */
export function fileContent(remote: RemoteWorkflow): Workflow {
  const { description, pinData, tags, nodeGroups } = remote;
  const filled = (list: unknown) => Array.isArray(list) && list.length > 0;
  return {
    name: remote.name ?? remote.id,
    ...(typeof description === 'string' && description && { description }),
    nodes: remote.nodes,
    ...(pinData && Object.keys(pinData).length > 0 && { pinData }),
    connections: remote.connections,
    active: remote.active === true,
    settings: remote.settings ?? {},
    id: remote.id,
    ...(filled(nodeGroups) && { nodeGroups }),
    ...(filled(tags) && { tags }),
  };
}

const MAX_LINES = 200;

/** What a deployment changes on the instance, line by line: `+` is new, `-` goes, `~` changes. */
export function diffOf(remote: Workflow | undefined, local: WorkflowPayload): string[] {
  if (!remote) return bounded([`+ workflow ${JSON.stringify(local.name)}`, ...local.nodes.map((node) => `+ node ${nameOf(node)}`)]);
  const { payload } = payloadOf(remote);
  return bounded([
    ...(payload.name === local.name ? [] : [`~ name: ${JSON.stringify(payload.name)} becomes ${JSON.stringify(local.name)}`]),
    ...nodeLines(payload.nodes, local.nodes),
    ...edgeLines(payload, local),
    // What the instance adds to the settings by itself does not count.
    ...Object.keys(local.settings)
      .filter((key) => !equal(local.settings[key], payload.settings[key]))
      .map((key) => `~ settings.${key}`),
    ...(local.pinData === undefined || equal(payload.pinData, local.pinData) ? [] : ['~ pinData']),
  ]);
}

function nameOf(node: Record<string, unknown>): string {
  return typeof node['name'] === 'string' ? node['name'] : '';
}

function nodeLines(remote: readonly Record<string, unknown>[], local: readonly Record<string, unknown>[]): string[] {
  const before = new Map(remote.map((node) => [nameOf(node), node]));
  const after = new Map(local.map((node) => [nameOf(node), node]));
  return [
    ...[...after.keys()].filter((name) => !before.has(name)).map((name) => `+ node ${name}`),
    ...[...before.keys()].filter((name) => !after.has(name)).map((name) => `- node ${name}`),
    ...[...after].flatMap(([name, node]) => {
      const old = before.get(name);
      return old ? changedKeys(old, node).map((key) => `~ node ${name}: ${key}`) : [];
    }),
  ];
}

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => key !== 'parameters' && !equal(before[key], after[key]),
  );
  const [old, now] = [recordOf(before['parameters']), recordOf(after['parameters'])];
  const parameters = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => !equal(old[key], now[key]));
  return [...keys, ...parameters.map((key) => `parameters.${key}`)];
}

function edgeLines(remote: WorkflowPayload, local: WorkflowPayload): string[] {
  const words = (payload: WorkflowPayload) => new Set(edgesOf(payload).map((edge) => edgeInWords(edge)));
  const [before, after] = [words(remote), words(local)];
  return [
    ...[...after].filter((edge) => !before.has(edge)).map((edge) => `+ connection ${edge}`),
    ...[...before].filter((edge) => !after.has(edge)).map((edge) => `- connection ${edge}`),
  ];
}

function bounded(lines: string[]): string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`];
}

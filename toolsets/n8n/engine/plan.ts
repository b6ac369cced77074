import { Failure, nearest } from '@millrace/kernel';
import { resolvedParameters } from '../catalogue/node-ports.ts';
import type { OpenedPack } from '../pack/opened-pack.ts';
import type { Item, RunInput } from '../ports.ts';
import { hasCredential, neededCredentials } from '../validation/credentials.ts';
import type { Workflow, WorkflowNode } from '../workflow/model.ts';
import type { RunOrder } from './protocol.ts';

/** A node that the embedded engine cannot run, and why. */
export interface Obstacle {
  node: string;
  reason: string;
}

export interface RunPlan {
  order: Omit<RunOrder, 'executionId' | 'mostNodeRuns'>;
  obstacles: Obstacle[];
}

const BASE = 'n8n-nodes-base.';
const NOTE = 'n8n-nodes-base.stickyNote';
const MANUAL = 'n8n-nodes-base.manualTrigger';

/** Nodes that would act on the machine, or need what the pack leaves out. */
const NOT_RUN_HERE: Record<string, string> = {
  'n8n-nodes-base.executeCommand': 'it runs commands on the machine',
  'n8n-nodes-base.ssh': 'it runs commands on a machine',
  'n8n-nodes-base.localFileTrigger': 'it watches files of the machine',
  'n8n-nodes-base.readWriteFile': 'it reads and writes files of the machine',
  'n8n-nodes-base.git': 'it needs git',
  'n8n-nodes-base.editImage': 'it needs a program for images',
  'n8n-nodes-base.executeWorkflow': 'it runs another workflow',
  'n8n-nodes-base.dataTable': 'it needs the tables of an n8n instance',
};

/** Decides where a run begins, what is pinned, and what of it cannot run without an instance. */
export function planRun(pack: OpenedPack, workflow: Workflow, input: RunInput): RunPlan {
  const nodes = workflow.nodes.filter((node) => node.type !== NOTE);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const pinned = pinnedItems(workflow, input, byName);
  const start = startNode(pack, nodes, workflow, pinned);
  const items = input.items ?? pinned[start.name] ?? [{ json: {} }];
  if (isTriggerNode(pack, start) && (input.items !== undefined || start.type !== MANUAL)) pinned[start.name] = items;
  const reached = reachedFrom(start.name, workflow);
  const executed = nodes.filter((node) => reached.has(node.name) && node.disabled !== true && pinned[node.name] === undefined);
  return {
    order: {
      workflow: {
        id: workflow.id ?? 'workflow',
        name: workflow.name ?? 'workflow',
        nodes: nodes.map((node) => runnable(pack, node)),
        connections: workflow.connections,
        settings: { executionOrder: 'v1', ...workflow.settings },
      },
      start: { node: start.name, items },
      pinned,
      descriptions: descriptionsOf(pack, nodes, executed),
    },
    obstacles: executed.flatMap((node) => obstacleOf(pack, node) ?? []),
  };
}

function pinnedItems(workflow: Workflow, input: RunInput, byName: ReadonlyMap<string, WorkflowNode>): Record<string, Item[]> {
  const pinned: Record<string, Item[]> = {};
  for (const [name, items] of Object.entries(workflow.pinData ?? {})) {
    if (Array.isArray(items) && byName.has(name)) pinned[name] = items.map(asItem);
  }
  for (const [name, items] of Object.entries(input.pinned ?? {})) {
    const node = byName.get(name) ?? [...byName.values()].find((candidate) => candidate.id === name);
    if (!node) {
      const [close] = nearest(name, byName.keys(), 1);
      throw new Failure('invalid_input', `testData pins ${JSON.stringify(name.slice(0, 100))}, but the workflow has no such node`, {
        details: { field: `testData.pinned.${name.slice(0, 100)}` },
        fix: { instruction: close ? `Did you mean ${JSON.stringify(close)}?` : 'Name a node of the workflow' },
      });
    }
    pinned[node.name] = items;
  }
  return pinned;
}

function asItem(value: Record<string, unknown>): Item {
  const json = value['json'];
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? (value as Item) : { json: value };
}

function isTriggerNode(pack: OpenedPack, node: WorkflowNode): boolean {
  return pack.types.find(node.type)?.trigger ?? /trigger$/i.test(node.type);
}

/** A pinned trigger, else the manual one, else the first trigger, else the first node that nothing leads to. */
function startNode(pack: OpenedPack, nodes: WorkflowNode[], workflow: Workflow, pinned: Record<string, Item[]>): WorkflowNode {
  const triggers = nodes.filter((node) => node.disabled !== true && isTriggerNode(pack, node));
  const chosen = triggers.find((node) => pinned[node.name]) ?? triggers.find((node) => node.type === MANUAL) ?? triggers[0];
  if (chosen) return chosen;
  const targets = new Set(edges(workflow).map(([, to]) => to));
  const sources = new Set(edges(workflow).map(([from]) => from));
  const first =
    nodes.find((node) => !targets.has(node.name) && sources.has(node.name)) ?? nodes.find((node) => !targets.has(node.name)) ?? nodes[0];
  if (first) return first;
  throw new Failure('invalid_input', 'The workflow has no nodes to run', {
    fix: { instruction: 'Add a trigger and what follows it with node_add and connection_create' },
  });
}

/** Main connections of the workflow, as far as they are readable. */
function edges(workflow: Workflow): [from: string, to: string][] {
  return Object.entries(workflow.connections ?? {}).flatMap(([from, outputs]) => {
    const slots: unknown = (outputs as Record<string, unknown> | null)?.['main'];
    const targets: unknown[] = Array.isArray(slots) ? slots.flat() : [];
    return targets.flatMap((target): [string, string][] => {
      const to = (target as { node?: unknown } | null)?.node;
      return typeof to === 'string' ? [[from, to]] : [];
    });
  });
}

function reachedFrom(start: string, workflow: Workflow): Set<string> {
  const all = edges(workflow);
  const reached = new Set([start]);
  for (const name of reached) for (const [from, to] of all) if (from === name) reached.add(to);
  return reached;
}

/** n8n's files leave out what is usual; its engine wants it. */
function runnable(pack: OpenedPack, node: WorkflowNode): Record<string, unknown> {
  return {
    ...node,
    id: node.id ?? node.name,
    typeVersion: node.typeVersion ?? pack.types.find(node.type)?.newest ?? 1,
    parameters: node.parameters ?? {},
  };
}

/** Types that no executed node has are only described to the engine: it loads no code for them. */
function descriptionsOf(pack: OpenedPack, nodes: WorkflowNode[], executed: WorkflowNode[]): Record<string, unknown> {
  const needed = new Set(executed.filter((node) => node.type.startsWith(BASE)).map((node) => node.type));
  const descriptions: Record<string, unknown> = {};
  for (const node of nodes) {
    const known = pack.types.get(node.type, node.typeVersion);
    if (needed.has(node.type) && known?.entry.variant === 'plain') continue;
    const version = node.typeVersion ?? pack.types.find(node.type)?.newest ?? 1;
    descriptions[`${node.type} ${version}`] = known?.description ?? { ...UNKNOWN, name: node.type, displayName: node.type, version };
  }
  return descriptions;
}

const UNKNOWN = { group: ['transform'], description: '', defaults: {}, inputs: ['main'], outputs: ['main'], properties: [] };

function obstacleOf(pack: OpenedPack, node: WorkflowNode): Obstacle | undefined {
  const because = (reason: string): Obstacle => ({ node: node.name, reason });
  const type = pack.types.get(node.type, node.typeVersion);
  if (!type) return pack.types.find(node.type) ? undefined : because(`its type ${node.type.slice(0, 100)} is not part of the engine pack`);
  if (NOT_RUN_HERE[node.type]) return because(NOT_RUN_HERE[node.type] as string);
  if (!node.type.startsWith(BASE) || type.entry.variant !== 'plain') return because('AI nodes need a model, which only an instance has');
  const needed = neededCredentials(pack, type, node, resolvedParameters(pack, type, node));
  if (needed.length > 0)
    return because(
      `it needs the credential ${needed.join(' or ')}${needed.some((name) => hasCredential(node, name)) ? ', which is on the instance' : ''}`,
    );
  return undefined;
}

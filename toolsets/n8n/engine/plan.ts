import { Failure, isRecord, recordOf } from '@millrace/kernel';
import type { OpenedPack } from '../catalogue/types/opened-pack.ts';
import { STICKY_NOTE, type Workflow, type WorkflowNode } from '../document/workflow/model.ts';
import type { Item, RunInput } from './engine.ts';
import { type Obstacle, obstacleOf } from './obstacles.ts';
import type { WorkflowOrder } from './protocol.ts';
import { asItem, chosenTrigger, edges, pinnedItems, requireConnections, startNotes } from './run-input.ts';

export interface RunPlan {
  order: WorkflowOrder;
  /** The nodes that may run: reached from the start, neither disabled nor pinned. */
  executed: WorkflowNode[];
  obstacles: Obstacle[];
  /** What to say about the run before it begins. */
  notes: string[];
}

export const EXECUTE_WORKFLOW = 'n8n-nodes-base.executeWorkflow';
/** Marks what stands in a node's workflowId as the path of a file. */
export const FILE = 'file:';

const BASE = 'n8n-nodes-base.';
const MANUAL = 'n8n-nodes-base.manualTrigger';

/** Decides where a run begins, what is pinned, and what of it cannot run without an instance. */
export function planRun(pack: OpenedPack, workflow: Workflow, input: RunInput): RunPlan {
  const nodes = runnableNodes(workflow);
  requireConnections(workflow);
  const pinned = pinnedItems(workflow, input, nodes);
  const start = startNode(pack, nodes, workflow, input, pinned);
  const items = input.items ?? pinned[start.name] ?? [{ json: emptyCall(start) }];
  if (isTriggerNode(pack, start) && (input.items !== undefined || !RUN_THEMSELVES.has(start.type))) pinned[start.name] = items;
  const executed = executedNodes(start, workflow, pinned);
  return {
    order: orderOf(pack, workflow, { start: { node: start.name, items }, pinned, executed }),
    executed,
    obstacles: executed.flatMap((node) => obstacleOf(pack, node, workflow) ?? []),
    notes: startNotes(
      start,
      nodes.filter((node) => node.disabled !== true && isTriggerNode(pack, node)),
    ),
  };
}

/** A workflow that another one calls. As in n8n its pinned data does not count, but for nodes that could not run here without it. */
export function planCalled(pack: OpenedPack, workflow: Workflow): RunPlan {
  requireConnections(workflow);
  const start = calledStart(workflow);
  const reached = executedNodes(start, workflow, {});
  const blocked = reached.flatMap((node) => obstacleOf(pack, node, workflow) ?? []);
  const pinned: Record<string, Item[]> = {};
  for (const { node } of blocked) {
    const items: unknown = workflow.pinData?.[node];
    if (Array.isArray(items)) pinned[node] = items.map(asItem);
  }
  const executed = reached.filter((node) => pinned[node.name] === undefined);
  return {
    order: orderOf(pack, workflow, { start: { node: start.name, items: [] }, pinned, executed }),
    executed,
    obstacles: blocked.filter(({ node }) => pinned[node] === undefined),
    notes: [],
  };
}

function orderOf(
  pack: OpenedPack,
  workflow: Workflow,
  { start, pinned, executed }: Pick<WorkflowOrder, 'start' | 'pinned'> & { executed: WorkflowNode[] },
): WorkflowOrder {
  const nodes = runnableNodes(workflow);
  const { staticData } = workflow;
  return {
    workflow: {
      id: workflow.id ?? 'workflow',
      name: workflow.name ?? 'workflow',
      nodes: nodes.map((node) => runnable(pack, node)),
      connections: workflow.connections,
      settings: workflow.settings ?? {},
      ...(isRecord(staticData) && { staticData }),
    },
    start,
    pinned,
    descriptions: descriptionsOf(pack, nodes, executed),
  };
}

function runnableNodes(workflow: Workflow): WorkflowNode[] {
  return workflow.nodes.filter((node) => node.type !== STICKY_NOTE);
}

function executedNodes(start: WorkflowNode, workflow: Workflow, pinned: Record<string, Item[]>): WorkflowNode[] {
  const reached = reachedFrom(start.name, workflow);
  return runnableNodes(workflow).filter((node) => reached.has(node.name) && node.disabled !== true && pinned[node.name] === undefined);
}

/** Where n8n begins a workflow that is called. */
const CALLED_STARTS = ['n8n-nodes-base.executeWorkflowTrigger', MANUAL, 'n8n-nodes-base.start'];

function calledStart(workflow: Workflow): WorkflowNode {
  for (const type of CALLED_STARTS) {
    const start = workflow.nodes.find((node) => node.type === type);
    if (start) return start;
  }
  throw new Failure('invalid_input', `The workflow ${JSON.stringify(workflow.name ?? 'without a name')} cannot be called by another one`, {
    fix: { instruction: 'Add the trigger "When Executed by Another Workflow" (n8n-nodes-base.executeWorkflowTrigger) to it' },
  });
}

/** Triggers that need nothing from outside to give their items. */
const RUN_THEMSELVES = new Set([MANUAL, 'n8n-nodes-base.scheduleTrigger', 'n8n-nodes-base.errorTrigger']);

/** What a trigger gives for a call that says nothing. */
function emptyCall({ type }: WorkflowNode): Record<string, unknown> {
  if (type === 'n8n-nodes-base.webhook') return { headers: {}, params: {}, query: {}, body: {} };
  if (type === '@n8n/n8n-nodes-langchain.chatTrigger') return { sessionId: 'test', action: 'sendMessage', chatInput: '' };
  return {};
}

function isTriggerNode(pack: OpenedPack, node: WorkflowNode): boolean {
  return pack.types.find(node.type)?.trigger ?? /trigger$/i.test(node.type);
}

/** The trigger that is asked for or pinned, else the best one, else the first node that nothing leads to. */
function startNode(
  pack: OpenedPack,
  nodes: WorkflowNode[],
  workflow: Workflow,
  input: RunInput,
  pinned: Record<string, Item[]>,
): WorkflowNode {
  const triggers = nodes.filter((node) => node.disabled !== true && isTriggerNode(pack, node));
  const chosen = chosenTrigger(triggers, workflow, input, pinned);
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

function reachedFrom(start: string, workflow: Workflow): Set<string> {
  const all = edges(workflow);
  const reached = new Set([start]);
  for (const name of reached) for (const [from, to] of all) if (from === name) reached.add(to);
  return reached;
}

/** n8n's files leave out what is usual; its engine wants it. */
function runnable(pack: OpenedPack, node: WorkflowNode): Record<string, unknown> {
  return withoutFileSource({
    ...node,
    id: node.id ?? node.name,
    typeVersion: node.typeVersion ?? pack.types.find(node.type)?.newest ?? 1,
    parameters: node.parameters ?? {},
  });
}

/** The engine's process reads no files of the machine: it is handed a file's workflow as it is handed those with an id. */
function withoutFileSource(node: Record<string, unknown>): Record<string, unknown> {
  const parameters = recordOf(node['parameters']);
  if (node['type'] !== EXECUTE_WORKFLOW || parameters['source'] !== 'localFile') return node;
  const path = String(parameters['workflowPath'] ?? '');
  const value = path.startsWith('=') ? `=${FILE}${path.slice(1)}` : `${FILE}${path}`;
  const workflowId = Number(node['typeVersion']) > 1 ? { __rl: true, mode: 'id', value } : value;
  return { ...node, parameters: { ...parameters, source: 'database', workflowId } };
}

/** Types that no executed node has are only described to the engine: it loads no code for them. */
function descriptionsOf(pack: OpenedPack, nodes: WorkflowNode[], executed: WorkflowNode[]): Record<string, unknown> {
  const needed = new Set(executed.filter((node) => node.type.startsWith(BASE)).map((node) => node.type));
  const descriptions: Record<string, unknown> = {};
  for (const node of nodes) {
    const known = pack.types.get(node.type, node.typeVersion);
    const entry = known?.entry ?? pack.types.find(node.type);
    // A version that n8n does not know is its engine's to judge: types without versions run whatever is written.
    if (needed.has(node.type) && entry?.variant === 'plain') continue;
    const version = node.typeVersion ?? pack.types.find(node.type)?.newest ?? 1;
    descriptions[`${node.type} ${version}`] = known?.description ?? { ...UNKNOWN, name: node.type, displayName: node.type, version };
  }
  return descriptions;
}

const UNKNOWN = { group: ['transform'], description: '', defaults: {}, inputs: ['main'], outputs: ['main'], properties: [] };

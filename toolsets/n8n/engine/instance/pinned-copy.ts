import { Failure } from '@millrace/kernel';
import type { OpenedPack } from '../../pack/opened-pack.ts';
import type { Item, RunInput } from '../../ports.ts';
import type { InstanceClient, RemoteExecution } from '../../remote/client.ts';
import type { Workflow, WorkflowNode } from '../../workflow/model.ts';
import { chosenTrigger } from '../start.ts';
import { created, finished, removed } from './executions.ts';
import type { InstanceRun } from './way.ts';

export interface PinnedCopy {
  workflow: Workflow;
  /** The trigger that the run begins with. */
  trigger: string;
  pinned: Record<string, Item[]>;
}

/** A copy of a workflow with its test data pinned; undefined when it has no trigger to begin with. */
export function pinnedCopy(workflow: Workflow, input: RunInput, pack: OpenedPack | undefined): PinnedCopy | undefined {
  const pinned = pinsOf(workflow, input);
  const triggers = workflow.nodes.filter((node) => node.disabled !== true && isTrigger(node, pack));
  const trigger = chosenTrigger(triggers, workflow, input, pinned);
  if (!trigger) return undefined;
  pinned[trigger.name] = input.items ?? pinned[trigger.name] ?? [{ json: {} }];
  return {
    trigger: trigger.name,
    pinned,
    workflow: {
      ...workflow,
      name: `${workflow.name ?? 'Workflow'} (Millrace test)`,
      settings: {
        ...workflow.settings,
        saveManualExecutions: true,
        saveDataSuccessExecution: 'all',
        saveDataErrorExecution: 'all',
        availableInMCP: true,
      },
      pinData: pinned as Record<string, Record<string, unknown>[]>,
    },
  };
}

export function isTrigger(node: WorkflowNode, pack: OpenedPack | undefined): boolean {
  return pack?.types.find(node.type)?.trigger ?? /trigger$|\.webhook$/i.test(node.type);
}

/** What nodes return without being run: as the file pins it, and as the test data do. */
export function pinsOf(workflow: Workflow, input: RunInput): Record<string, Item[]> {
  return { ...filePins(workflow), ...namedPins(workflow, input) };
}

function filePins(workflow: Workflow): Record<string, Item[]> {
  const names = new Set(workflow.nodes.map((node) => node.name));
  const pins = Object.entries(workflow.pinData ?? {}).filter(([name, items]) => names.has(name) && Array.isArray(items));
  return Object.fromEntries(pins.map(([name, items]) => [name, items.map((item) => ('json' in item ? (item as Item) : { json: item }))]));
}

function namedPins(workflow: Workflow, { pinned = {} }: RunInput): Record<string, Item[]> {
  return Object.fromEntries(
    Object.entries(pinned).map(([named, items]) => {
      const node = workflow.nodes.find(({ name }) => name === named) ?? workflow.nodes.find(({ id }) => id === named);
      if (node) return [node.name, items];
      throw new Failure('invalid_input', `testData pins ${JSON.stringify(named.slice(0, 100))}, but the workflow has no such node`, {
        details: { field: `testData.pinned.${named.slice(0, 100)}` },
      });
    }),
  );
}

/** Puts the copy on the instance for as long as `start` and its execution last. */
export async function withCopy(
  client: InstanceClient,
  copy: PinnedCopy,
  { limit, signal }: InstanceRun,
  start: (remoteId: string) => Promise<string>,
): Promise<RemoteExecution> {
  const remote = await created(client, copy.workflow, signal);
  try {
    const executionId = await start(remote.id);
    return await finished(() => client.execution(executionId, limit), limit);
  } finally {
    await removed(client, remote.id);
  }
}

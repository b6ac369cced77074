import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { OpenedPack } from '../catalogue/types/opened-pack.ts';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import type { Item, RunInput, RunResult } from '../engine/engine.ts';
import { chosenTrigger, pinnedItems } from '../engine/run-input.ts';
import type { InstanceClient, RemoteExecution, RemoteWorkflow } from './client.ts';
import { ignoreFailures } from './instance.ts';
import { payloadOf } from './payload.ts';

/** What a runner is given. */
export interface InstanceRun {
  client: InstanceClient;
  workflow: Workflow;
  input: RunInput;
  pack: OpenedPack | undefined;
  timeoutMs: number;
  /** Ends with the caller's patience or the time limit. */
  limit: AbortSignal;
  /** Ends with the caller's patience alone: what was begun may still be cleaned up. */
  signal: AbortSignal;
}

/** The execution, and a node of ours that is not part of the workflow. */
export interface InstanceOutcome {
  execution: RemoteExecution;
  helper?: string;
}

/** Runs workflows on an instance, which its public API does not offer. */
export interface InstanceRunner {
  readonly name: NonNullable<RunResult['via']>;
  /** In words: "the instance's MCP server". */
  readonly title: string;
  /** Throws Unsupported when the instance does not offer it; any other failure is the run's. */
  run(run: InstanceRun): Promise<InstanceOutcome>;
}

export interface PinnedCopy {
  workflow: Workflow;
  /** The trigger that the run begins with. */
  trigger: string;
  pinned: Record<string, Item[]>;
}

/** A copy of a workflow with its test data pinned. */
export function pinnedCopy({ workflow, input, pack }: InstanceRun): PinnedCopy {
  const pinned = pinnedItems(workflow, input, workflow.nodes);
  const triggers = workflow.nodes.filter((node) => node.disabled !== true && isTrigger(node, pack));
  const trigger = chosenTrigger(triggers, workflow, input, pinned);
  if (!trigger) throw new Unsupported('the workflow has no trigger');
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
      pinData: pinned,
    },
  };
}

export function isTrigger(node: WorkflowNode, pack: OpenedPack | undefined): boolean {
  return pack?.types.find(node.type)?.trigger ?? /trigger$|\.webhook$/i.test(node.type);
}

/** Puts the copy on the instance for as long as `start`, which answers the id of its execution, and that execution last. */
export async function withCopy(
  { client, limit, signal }: InstanceRun,
  copy: PinnedCopy,
  start: (remoteId: string) => Promise<string>,
): Promise<InstanceOutcome> {
  const remote = await created(client, copy.workflow, signal);
  try {
    const executionId = await start(remote.id);
    return { execution: await finished(() => client.execution(executionId, limit), limit) };
  } finally {
    await removed(client, remote.id);
  }
}

export const POLL_MS = 150;
const REMOVED_MS = 10_000;

/** The execution when it has ended. */
export async function finished(look: () => Promise<RemoteExecution | undefined>, signal: AbortSignal): Promise<RemoteExecution> {
  for (;;) {
    const execution = await look();
    if (execution && execution.status !== 'running' && execution.status !== 'new' && isOver(execution)) return execution;
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** An execution that waits for something from outside does not end by itself. */
function isOver({ stoppedAt, status }: RemoteExecution): boolean {
  return Boolean(stoppedAt) || status === 'waiting';
}

/** Puts the copy on the instance; one of an older version takes less of it. */
export async function created(client: InstanceClient, copy: Workflow, signal: AbortSignal): Promise<RemoteWorkflow> {
  try {
    return await client.create(payloadOf(copy).payload, signal);
  } catch (error) {
    if (!(error instanceof Failure && error.details['status'] === 400)) throw error;
    const { payload, left } = payloadOf(copy, true);
    if (left.length === 0) throw error;
    return client.create(payload, signal);
  }
}

/** n8n deletes nothing that is active, or has been until just now. A copy that stays behind all the same is named as what it is. */
export async function removed(client: InstanceClient, id: string): Promise<void> {
  const signal = AbortSignal.timeout(REMOVED_MS);
  while (!signal.aborted) {
    const isGone = await client.delete(id, signal).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Failure) return error.details['status'] !== 409;
        return ignoreFailures(signal)(error) ?? true;
      },
    );
    if (isGone) return;
    await sleep(POLL_MS);
  }
}

/** The instance does not support this runner; another may work. */
export class Unsupported extends Error {}

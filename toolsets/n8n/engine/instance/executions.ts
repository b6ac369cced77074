import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { InstanceClient, RemoteExecution, RemoteWorkflow } from '../../remote/client.ts';
import { leftAsItIs } from '../../remote/instance.ts';
import { payloadOf } from '../../remote/payload.ts';
import type { Workflow } from '../../workflow/model.ts';

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

/** Puts a copy on the instance; one of an older version takes less of it. */
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
        return leftAsItIs(signal)(error) ?? true;
      },
    );
    if (isGone) return;
    await sleep(POLL_MS);
  }
}

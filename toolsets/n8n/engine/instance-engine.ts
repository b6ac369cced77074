import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import type { PackReader } from '../pack/opened-pack.ts';
import type { Availability, Engine, Item, NodeRun, RunInput, RunOptions, RunResult } from '../ports.ts';
import type { InstanceClient, RemoteExecution } from '../remote/client.ts';
import { payloadOf } from '../remote/payload.ts';
import type { Workflow } from '../workflow/model.ts';
import type { N8nTaskData } from './child/packages.ts';
import { nodeRun, plainError } from './child/result.ts';
import { testWorkflow } from './test-copy.ts';

const POLL_MS = 150;
const REGISTERED_MS = 10_000;
const REMOVED_MS = 10_000;

/**
 * Runs on an instance. Its public API cannot execute a workflow, so a copy is made whose trigger is a webhook that only we know, and
 * whose pinned nodes return what they were pinned to; the copy is called, its execution read, and the copy deleted.
 */
export class InstanceEngine implements Engine {
  readonly #client: InstanceClient;
  readonly #reader: PackReader;

  constructor(client: InstanceClient, reader: PackReader) {
    this.#client = client;
    this.#reader = reader;
  }

  async ready(): Promise<Availability> {
    return { available: true, version: 'instance' };
  }

  async run(workflow: Workflow, input: RunInput, { timeoutMs, signal }: RunOptions): Promise<RunResult> {
    const started = performance.now();
    const path = `millrace-test-${randomUUID()}`;
    const copy = testWorkflow(workflow, input, path, await this.#reader.open());
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const remote = await this.#client.create(payloadOf(copy.workflow).payload, signal);
    try {
      await this.#client.setActive(remote.id, true, limit);
      await this.#call(path, copy.items, limit);
      const execution = await this.#finished(remote.id, limit);
      return resultOf(execution, copy.helper, performance.now() - started);
    } catch (error) {
      if (!limit.aborted) throw error;
      return stopped(signal.aborted, timeoutMs, performance.now() - started);
    } finally {
      await this.#remove(remote.id);
    }
  }

  async close(): Promise<void> {}

  /** n8n deletes nothing that is active, or has been until just now. A copy that stays behind all the same is named as what it is. */
  async #remove(id: string): Promise<void> {
    const signal = AbortSignal.timeout(REMOVED_MS);
    await this.#client.setActive(id, false, signal).catch(() => {});
    while (!signal.aborted) {
      const removed = await this.#client.delete(id, signal).then(
        () => true,
        (error: unknown) => (error as Failure).details?.['status'] !== 409,
      );
      if (removed) return;
      await sleep(POLL_MS);
    }
  }

  /** A webhook is not there yet when its workflow has just been activated. */
  async #call(path: string, items: Item[], signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + REGISTERED_MS;
    for (;;) {
      const response = await fetch(`${this.#client.url}/webhook/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ items }),
        signal,
      });
      await response.body?.cancel();
      if (response.ok) return;
      if (response.status !== 404 || performance.now() > deadline) {
        throw new Failure('upstream', `The n8n instance at ${this.#client.url} did not take the test call (status ${response.status})`, {
          details: { url: this.#client.url, status: response.status },
        });
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  async #finished(workflowId: string, signal: AbortSignal): Promise<RemoteExecution> {
    for (;;) {
      const [execution] = await this.#client.executions(workflowId, 1, true, signal);
      if (execution && execution.status !== 'running' && execution.status !== 'new' && execution.stoppedAt) return execution;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

function resultOf(execution: RemoteExecution, helper: string, executionTime: number): RunResult {
  const {
    runData = {},
    error,
    lastNodeExecuted,
  } = (execution.data?.resultData ?? {}) as {
    runData?: Record<string, N8nTaskData[]>;
    error?: { message: string; description?: string; node?: { name?: string } };
    lastNodeExecuted?: string;
  };
  const tasks = Object.entries(runData).flatMap(([node, list]) => (node === helper ? [] : list.map((task) => ({ node, task }))));
  tasks.sort((a, b) => (a.task.executionIndex ?? a.task.startTime) - (b.task.executionIndex ?? b.task.startTime));
  const runs: NodeRun[] = tasks.map(({ node, task }, order) => nodeRun(node, order, task));
  return {
    executionId: String(execution.id),
    status: error ? 'error' : 'success',
    runs,
    ...(error && { error: { node: error.node?.name ?? lastNodeExecuted ?? null, ...plainError(error) } }),
    logs: runs.map((run) => (run.error ? `${run.node} failed: ${run.error.message}` : `${run.node} ran in ${run.executionTime} ms`)),
    executionTime: Math.round(executionTime),
    where: 'instance',
  };
}

function stopped(cancelled: boolean, timeoutMs: number, executionTime: number): RunResult {
  const message = cancelled ? 'The run was cancelled' : `The run took longer than ${timeoutMs} ms and was stopped`;
  return {
    executionId: randomUUID(),
    status: cancelled ? 'cancelled' : 'timeout',
    runs: [],
    error: { node: null, message },
    logs: [],
    executionTime: Math.round(executionTime),
    where: 'instance',
  };
}

import { randomUUID } from 'node:crypto';
import type { PackReader } from '../catalogue/pack/pack-reader.ts';
import type { Availability, Workflow } from '../document/workflow/model.ts';
import type { Engine, NodeRun, RunInput, RunOptions, RunResult } from '../engine/engine.ts';
import type { N8nTaskData } from '../engine/n8n-packages.ts';
import { nodeRun, plainError } from '../engine/node-run.ts';
import type { InstanceClient, RemoteExecution } from './client.ts';
import type { Login } from './instance.ts';
import { mcpRunner } from './run-via-mcp.ts';
import { SessionRunner } from './run-via-session.ts';
import { webhookRunner } from './run-via-webhook.ts';
import { type InstanceOutcome, type InstanceRunner, Unsupported } from './test-copy.ts';

export interface InstanceAccess {
  /** The token of the instance's own MCP server. */
  mcpToken?: string | undefined;
  /** Who may sign in to its editor. */
  login?: Login | undefined;
}

/** Runs on an instance, by the first runner that it supports: its MCP server, the route of its editor, a temporary webhook. */
export class InstanceEngine implements Engine {
  readonly #client: InstanceClient;
  readonly #reader: PackReader;
  readonly #runners: InstanceRunner[];

  constructor(client: InstanceClient, reader: PackReader, { mcpToken, login }: InstanceAccess = {}) {
    this.#client = client;
    this.#reader = reader;
    this.#runners = [
      ...(mcpToken === undefined ? [] : [mcpRunner(mcpToken)]),
      ...(login === undefined ? [] : [new SessionRunner(client.instance, login)]),
      webhookRunner,
    ];
  }

  async ready(): Promise<Availability> {
    return { available: true, version: 'instance' };
  }

  async run(workflow: Workflow, input: RunInput, { timeoutMs, signal }: RunOptions): Promise<RunResult> {
    const started = performance.now();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const pack = await this.#reader.open();
    const notes: string[] = [];
    for (const runner of this.#runners) {
      try {
        const outcome = await runner.run({ client: this.#client, workflow, input, pack, timeoutMs, limit, signal });
        return resultOf(workflow, outcome, runner, notes, performance.now() - started);
      } catch (error) {
        if (limit.aborted) return stopped(signal.aborted, timeoutMs, runner, performance.now() - started);
        if (!(error instanceof Unsupported)) throw error;
        notes.push(`Not by ${runner.title}: ${error.message}`);
      }
    }
    throw new Error('The last runner always works');
  }
}

interface ResultData {
  runData?: Record<string, N8nTaskData[]>;
  error?: { message: string; description?: string; node?: { name?: string } };
  lastNodeExecuted?: string;
}

function resultOf(
  workflow: Workflow,
  { execution, helper }: InstanceOutcome,
  runner: InstanceRunner,
  notes: string[],
  executionTime: number,
): RunResult {
  const { runData = {}, lastNodeExecuted, ...rest } = (execution.data?.resultData ?? {}) as ResultData;
  const error = rest.error ?? waiting(execution);
  // What failed in a called workflow is reported at the node that called it.
  const isOurs = workflow.nodes.some((node) => node.name === error?.node?.name);
  const failed = (isOurs ? error?.node?.name : undefined) ?? lastNodeExecuted ?? null;
  const tasks = Object.entries(runData).flatMap(([node, list]) => (node === helper ? [] : list.map((task) => ({ node, task }))));
  tasks.sort((a, b) => (a.task.executionIndex ?? a.task.startTime) - (b.task.executionIndex ?? b.task.startTime));
  const runs: NodeRun[] = tasks.map(({ node, task }, order) => nodeRun(node, order, task));
  return {
    executionId: String(execution.id),
    status: error ? 'error' : 'success',
    runs,
    ...(error && { error: { node: failed, ...plainError(error) } }),
    logs: [
      ...notes,
      `Run on the instance by ${runner.title}`,
      ...runs.map((run) => (run.error ? `${run.node} failed: ${run.error.message}` : `${run.node} ran in ${run.executionTime} ms`)),
    ],
    executionTime: Math.round(executionTime),
    where: 'instance',
    via: runner.name,
  };
}

function waiting({ status }: RemoteExecution): ResultData['error'] {
  if (status !== 'waiting') return undefined;
  return { message: 'The workflow waits for something from outside: pin the data of this node to test what follows' };
}

function stopped(cancelled: boolean, timeoutMs: number, runner: InstanceRunner, executionTime: number): RunResult {
  const message = cancelled ? 'The run was cancelled' : `The run took longer than ${timeoutMs} ms and was stopped`;
  return {
    executionId: randomUUID(),
    status: cancelled ? 'cancelled' : 'timeout',
    runs: [],
    error: { node: null, message },
    logs: [],
    executionTime: Math.round(executionTime),
    where: 'instance',
    via: runner.name,
  };
}

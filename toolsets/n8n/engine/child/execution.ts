import type { N8nError, N8nRun, N8nTaskData, Packages } from '../n8n-packages.ts';
import { nodeRun, plainError } from '../node-run.ts';
import type { CallAnswer, CallRequest, CodeOutcome, CodeTask, FromEngine, RunError, RunOrder, WorkflowOrder } from '../protocol.ts';
import { additionalData, type CallInfo, type CallOptions, type CallResult, type Helper } from './additional-data.ts';
import type { EngineNodeTypes, Patience } from './node-types.ts';

export interface ExecutionPorts {
  packages: Packages;
  nodeTypes: EngineNodeTypes;
  send(message: FromEngine): void;
  runCode(executionId: string, task: CodeTask, helper: Helper): Promise<CodeOutcome>;
  planCall(executionId: string, request: CallRequest): Promise<CallAnswer>;
}

/** Workflows that call each other deeper than this are taken to do so without end. */
const MOST_DEPTH = 25;

/** Where in a run a workflow is executed: at its top, or called by nodes. */
interface Level {
  executionId: string;
  mode: 'manual' | 'integrated';
  /** The names of the workflows from the top to this one. */
  path: string[];
  parentExecution?: unknown;
}

/** One run: a workflow and all that it calls, executed by n8n's engine, which reports every node as it ends. */
export class Execution {
  readonly #order: RunOrder;
  readonly #ports: ExecutionPorts;
  readonly #called = new Map<string, unknown>();
  /** Calls that nobody waits for: the run does. */
  readonly #unawaited: Promise<unknown>[] = [];
  readonly #stops = new Set<() => void>();
  readonly #patience: Patience = { waitedMs: 0 };
  #runs = 0;
  #shown = 0;
  #tooMany = false;

  constructor(order: RunOrder, ports: ExecutionPorts) {
    this.#order = order;
    this.#ports = ports;
  }

  async run(): Promise<void> {
    const started = performance.now();
    const { executionId, workflow, mostNodeRuns } = this.#order;
    const done = (status: 'success' | 'error', error?: RunError) =>
      this.#ports.send({ kind: 'done', executionId, status, ...(error && { error }), executionTime: performance.now() - started });
    try {
      const result = await this.#execute(this.#order, this.#order.start.items, { executionId, mode: 'manual', path: [workflow.name] });
      await Promise.all(this.#unawaited);
      if (!this.#tooMany) return done(...outcomeOf(result));
      const message = `The run was stopped after ${mostNodeRuns} runs of nodes: it seems to go round without end`;
      done('error', { node: null, message });
    } catch (error) {
      const thrown = error as N8nError;
      done('error', { node: thrown.node?.name ?? null, ...plainError(thrown) });
    }
  }

  async #execute(order: WorkflowOrder, items: Record<string, unknown>[], level: Level): Promise<N8nRun> {
    const { packages, nodeTypes, runCode } = this.#ports;
    const workflow = new packages.workflow.Workflow({
      ...order.workflow,
      active: false,
      nodeTypes: nodeTypes.describing(order.descriptions),
    });
    await workflow.expression.acquireIsolate?.();
    const data = additionalData({
      order,
      executionId: level.executionId,
      hooks: this.#hooks(order, level),
      patience: this.#patience,
      log: (line) => this.#log(level.path.length > 1 ? `${level.path.at(-1)} > ${line}` : line),
      runCode: (task, helper) => runCode(this.#order.executionId, task, helper),
      call: (info, options) => this.#call(info, options, level),
      executionData: (id) => this.#called.get(id),
    });
    const start = workflow.getNode(order.start.node);
    const runData = packages.workflow.createRunExecutionData({
      startData: {},
      resultData: { pinData: order.pinned },
      executionData: { nodeExecutionStack: [{ node: start, data: { main: [items] }, source: null }], waitingExecutionSource: {} },
      ...(level.parentExecution !== undefined && { parentExecution: level.parentExecution }),
    });
    const executing = new packages.core.WorkflowExecute(data, level.mode, runData).processRunExecutionData(workflow);
    const stop = () => executing.cancel();
    this.#stops.add(stop);
    try {
      return await executing;
    } finally {
      this.#stops.delete(stop);
    }
  }

  #hooks(order: WorkflowOrder, level: Level): unknown {
    const hooks = new this.#ports.packages.core.ExecutionLifecycleHooks(level.mode, level.executionId, order.workflow);
    hooks.addHandler('nodeExecuteAfter', (name: string, task: N8nTaskData) => {
      if (level.path.length > 1) this.#logCalled(level, name, task);
      else this.#ports.send({ kind: 'node', executionId: this.#order.executionId, run: nodeRun(name, this.#shown++, task) });
      if (++this.#runs < this.#order.mostNodeRuns || this.#tooMany) return;
      this.#tooMany = true;
      for (const stop of this.#stops) stop();
    });
    hooks.addHandler('sendResponse', (response: { body?: unknown; statusCode?: number }) => {
      this.#log(`The webhook is answered with ${response.statusCode ?? 200}: ${JSON.stringify(response.body)?.slice(0, 2000)}`);
    });
    return hooks;
  }

  async #call(info: CallInfo, options: CallOptions, caller: Level): Promise<CallResult> {
    const order = await this.#planned(info, options, caller);
    const executionId = crypto.randomUUID();
    const { parentExecution } = options;
    const path = [...caller.path, order.workflow.name];
    const running = this.#execute(order, options.inputData ?? [{ json: {} }], { executionId, mode: 'integrated', path, parentExecution });
    if (options.doNotWaitToFinish) {
      this.#unawaited.push(
        running.then(
          (run) => this.#logOutcome(order, run),
          (error: N8nError) => this.#log(`${order.workflow.name} > failed: ${plainError(error).message}`),
        ),
      );
      return { executionId, data: [null] };
    }
    const run = await running;
    this.#called.set(executionId, run.data);
    const [, error] = outcomeOf(run);
    if (error) throw calledError(error, order.workflow.name, run.data.resultData.error);
    return { executionId, data: calledOutput(run, order.workflow.nodes) };
  }

  async #planned({ id, code }: CallInfo, { node, parentWorkflowSettings }: CallOptions, { path }: Level): Promise<WorkflowOrder> {
    if (path.length > MOST_DEPTH) {
      throw new Error(
        `Workflows called each other ${MOST_DEPTH} levels deep (${path.slice(-4).join(' > ')}): they seem to do so without end`,
      );
    }
    const cached = (node?.parameters?.['workflowId'] as { cachedResultName?: unknown } | undefined)?.cachedResultName;
    const written = code === undefined ? undefined : { settings: parentWorkflowSettings, ...(code as Record<string, unknown>) };
    const answer = await this.#ports.planCall(this.#order.executionId, {
      id,
      ...(typeof cached === 'string' && { name: cached }),
      ...(written && { written }),
    });
    if (answer.ok) return answer.order;
    throw Object.assign(new Error(answer.message), answer.description !== undefined && { description: answer.description });
  }

  #logCalled({ path }: Level, name: string, task: N8nTaskData): void {
    const { executionTime, error, outputs, itemCounts } = nodeRun(name, 0, task);
    const items = itemCounts ?? outputs.map((output) => output.length);
    const what = error ? `failed after ${executionTime} ms: ${error.message}` : `ran in ${executionTime} ms: ${items.join(' / ')} items`;
    this.#log(`${path.at(-1)} > ${name} ${what}`);
  }

  #logOutcome({ workflow }: WorkflowOrder, run: N8nRun): void {
    const [status, error] = outcomeOf(run);
    if (status === 'error') this.#log(`${workflow.name} > failed${error?.node ? ` in ${error.node}` : ''}: ${error?.message}`);
  }

  #log(line: string): void {
    this.#ports.send({ kind: 'log', executionId: this.#order.executionId, line: line.slice(0, 10_000) });
  }
}

/** n8n keeps the message of what failed; the description says where. */
function calledError(error: RunError, workflow: string, original: N8nError | undefined): Error {
  const where = `In the called workflow ${JSON.stringify(workflow)}${error.node ? `, node ${JSON.stringify(error.node)}` : ''}`;
  return Object.assign(new Error(error.message, { cause: original }), {
    description: error.description ? `${where}: ${error.description}` : where,
  });
}

function outcomeOf(result: N8nRun): [status: 'success' | 'error', error?: RunError] {
  const { error, lastNodeExecuted } = result.data.resultData;
  if (error) return ['error', { node: error.node?.name ?? lastNodeExecuted ?? null, ...plainError(error) }];
  if (result.waitTill) {
    const message = 'The workflow waits for something from outside: pin the data of this node to test what follows';
    return ['error', { node: lastNodeExecuted ?? null, message }];
  }
  return ['success'];
}

const TRIGGER = 'n8n-nodes-base.executeWorkflowTrigger';

type Output = (Record<string, unknown>[] | null)[];

/** What a called workflow returns: what its last node gave, in all of its runs since version 1.2 of the trigger, else in the last. */
export function calledOutput(run: N8nRun, nodes: readonly Record<string, unknown>[]): Output {
  const { runData, lastNodeExecuted } = run.data.resultData;
  const runs = (lastNodeExecuted === undefined ? undefined : runData[lastNodeExecuted]) ?? [];
  if (runs.length === 0) return [null];
  if (returnsLastRun(nodes)) return runs.at(-1)?.data?.['main'] ?? [null];
  const inOrder = runs.toSorted((a, b) => (a.executionIndex ?? 0) - (b.executionIndex ?? 0));
  const outputs = Math.max(0, ...inOrder.map((task) => mainOf(task).length));
  return Array.from({ length: outputs }, (_, output) => inOrder.flatMap((task) => mainOf(task)[output] ?? []));
}

function mainOf(task: N8nTaskData): Output {
  return task.data?.['main'] ?? [];
}

function returnsLastRun(nodes: readonly Record<string, unknown>[]): boolean {
  const trigger = nodes.find((node) => node['type'] === TRIGGER);
  const { returnOutput } = (trigger?.['parameters'] ?? {}) as { returnOutput?: unknown };
  return Number(trigger?.['typeVersion'] ?? 1) < 1.2 && returnOutput !== 'allRuns';
}

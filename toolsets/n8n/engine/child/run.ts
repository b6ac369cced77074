import type { CodeOutcome, CodeTask, FromEngine, RunError, RunOrder } from '../protocol.ts';
import { additionalData } from './additional-data.ts';
import type { EngineNodeTypes } from './node-types.ts';
import type { N8nError, N8nRun, N8nTaskData, Packages } from './packages.ts';
import { nodeRun, plainError } from './result.ts';

export interface RunPorts {
  packages: Packages;
  nodeTypes: EngineNodeTypes;
  send(message: FromEngine): void;
  runCode(executionId: string, task: CodeTask): Promise<CodeOutcome>;
}

/** Runs one workflow by n8n's engine and tells of every node as it ends. */
export async function run(order: RunOrder, { packages, nodeTypes, send, runCode }: RunPorts): Promise<void> {
  const { executionId } = order;
  const started = performance.now();
  const log = (line: string) => send({ kind: 'log', executionId, line: line.slice(0, 10_000) });
  const done = (status: 'success' | 'error', error?: RunError) =>
    send({ kind: 'done', executionId, status, ...(error && { error }), executionTime: performance.now() - started });
  nodeTypes.descriptions = order.descriptions;
  try {
    const workflow = new packages.workflow.Workflow({ ...order.workflow, active: false, nodeTypes });
    await workflow.expression.acquireIsolate?.();
    const hooks = new packages.core.ExecutionLifecycleHooks('manual', executionId, order.workflow);
    const execution: { stop?: () => void; tooMany?: boolean } = {};
    let runs = 0;
    hooks.addHandler('nodeExecuteAfter', (name: string, task: N8nTaskData) => {
      send({ kind: 'node', executionId, run: nodeRun(name, runs++, task) });
      if (runs < order.mostNodeRuns || execution.tooMany) return;
      execution.tooMany = true;
      execution.stop?.();
    });
    hooks.addHandler('sendResponse', (response: { body?: unknown; statusCode?: number }) => {
      log(`The webhook is answered with ${response.statusCode ?? 200}: ${JSON.stringify(response.body)?.slice(0, 2000)}`);
    });
    const data = additionalData({ order, hooks, log, runCode: (task) => runCode(executionId, task) });
    const executing = new packages.core.WorkflowExecute(data, 'manual', startData(order, packages, workflow.getNode(order.start.node)));
    const promise = executing.processRunExecutionData(workflow);
    execution.stop = () => promise.cancel();
    const result = await promise;
    if (execution.tooMany)
      done('error', {
        node: null,
        message: `The run was stopped after ${order.mostNodeRuns} runs of nodes: it seems to go round without end`,
      });
    else done(...outcomeOf(result));
  } catch (error) {
    const thrown = error as N8nError;
    done('error', { node: thrown.node?.name ?? null, ...plainError(thrown) });
  }
}

function startData(order: RunOrder, { workflow }: Packages, node: unknown): unknown {
  return workflow.createRunExecutionData({
    startData: {},
    resultData: { pinData: order.pinned },
    executionData: { nodeExecutionStack: [{ node, data: { main: [order.start.items] }, source: null }], waitingExecutionSource: {} },
  });
}

function outcomeOf(result: N8nRun): [status: 'success' | 'error', error?: RunError] {
  const { error, lastNodeExecuted } = result.data.resultData;
  if (error) return ['error', { node: error.node?.name ?? lastNodeExecuted ?? null, ...plainError(error) }];
  if (result.waitTill) {
    return [
      'error',
      {
        node: lastNodeExecuted ?? null,
        message: 'The workflow waits for something from outside: pin the data of this node to test what follows',
      },
    ];
  }
  return ['success'];
}

import { createContext, runInContext } from 'node:vm';
import type { WorkflowPackage } from '../child/packages.ts';
import type { CodeOutcome, CodeTask } from '../protocol.ts';

export interface ScriptModules {
  workflow: Pick<WorkflowPackage, 'Workflow' | 'WorkflowDataProxy'>;
  /** What a script may require: nothing, as in n8n's own default. */
  timeoutMs: number;
}

/** Runs the script of a Code node with everything that n8n offers to it: `$input`, `$json`, `$('Node')`, `items`, `DateTime` … */
export async function runScript(
  task: CodeTask,
  { workflow: { Workflow, WorkflowDataProxy }, timeoutMs }: ScriptModules,
): Promise<CodeOutcome> {
  const logs: string[] = [];
  try {
    const workflow = new Workflow({ ...task.workflow, active: false, nodeTypes: UNKNOWN_TYPES });
    const proxyAt = (index: number) =>
      new WorkflowDataProxy(
        workflow,
        task.runExecutionData,
        task.runIndex,
        index,
        task.node['name'],
        task.items,
        {},
        task.mode,
        additionalKeys(task),
        task.executeData,
        -1,
        {},
        undefined,
        { env: {}, isEnvAccessBlocked: true, isProcessAvailable: false },
      ).getDataProxy({ throwOnMissingExecutionData: false });
    const shared = {
      ...NATIVE,
      console: consoleOf(logs),
      require: refuseModule,
      $getWorkflowStaticData: (type: string) => workflow.getStaticData(type, task.node),
      helpers: UNSUPPORTED_HELPERS,
      ...task.additionalProperties,
    };
    const evaluate = (extra: Record<string, unknown>) =>
      runInContext(`(async function () {${task.code}\n})()`, createContext({ ...shared, ...extra }), {
        timeout: timeoutMs,
        filename: 'code.js',
      }) as Promise<unknown>;
    const result =
      task.nodeMode === 'runOnceForEachItem' ? await forEachItem(task, proxyAt, evaluate) : await once(task, proxyAt, evaluate);
    return {
      ok: true,
      result: plain(result),
      ...(workflow.staticData['__dataChanged'] === true && { staticData: plain({ ...workflow.staticData }) as Record<string, unknown> }),
      logs,
    };
  } catch (error) {
    return { ok: false, error: described(error), logs };
  }
}

type ProxyAt = (index: number) => Record<string, unknown>;
type Evaluate = (extra: Record<string, unknown>) => Promise<unknown>;

async function once(task: CodeTask, proxyAt: ProxyAt, evaluate: Evaluate): Promise<unknown> {
  try {
    const result = await evaluate(task.nodeMode === 'runCode' ? {} : { ...proxyAt(task.itemIndex), items: task.items });
    return result === null ? [] : result;
  } catch (error) {
    if (!task.continueOnFail) throw error;
    return [{ json: { error: described(error).message } }];
  }
}

async function forEachItem(task: CodeTask, proxyAt: ProxyAt, evaluate: Evaluate): Promise<unknown[]> {
  const { startIndex = 0, count = task.items.length } = task.chunk ?? {};
  const results: unknown[] = [];
  for (let index = startIndex; index < startIndex + count; index++) {
    try {
      const result = await evaluate({ ...proxyAt(index), item: task.items[index] });
      if (result === null) continue;
      if (result === undefined || typeof result !== 'object') results.push(result);
      else
        results.push({
          json: jsonOf(result as Record<string, unknown>),
          pairedItem: { item: index },
          ...('binary' in result && result.binary ? { binary: result.binary } : {}),
        });
    } catch (error) {
      if (!task.continueOnFail) throw error;
      results.push({ json: { error: described(error).message }, pairedItem: { item: index } });
    }
  }
  return results;
}

function jsonOf(result: Record<string, unknown>): unknown {
  if ('json' in result) return result['json'];
  return 'binary' in result ? {} : result;
}

/** Node parameters arrive resolved, so that no type needs to be known here. */
const UNKNOWN_TYPES = { getByName: () => undefined, getByNameAndVersion: () => undefined, getKnownTypes: () => ({}) };

const NATIVE = {
  Buffer,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  btoa,
  atob,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
};

function refuseModule(name: string): never {
  throw new Error(`Cannot find module '${String(name)}': Code nodes have no modules in the embedded engine`);
}

const UNSUPPORTED_HELPERS = new Proxy(
  {},
  {
    get: (_target, name) => () => {
      throw new Error(`helpers.${String(name)} is not available to Code nodes in the embedded engine`);
    },
  },
);

function consoleOf(logs: string[]): Record<string, (...parts: unknown[]) => void> {
  const write = (...parts: unknown[]) => {
    if (logs.length < 1000)
      logs.push(
        parts
          .map((part) => (typeof part === 'string' ? part : (JSON.stringify(part) ?? String(part))))
          .join(' ')
          .slice(0, 5000),
      );
  };
  return Object.fromEntries(['log', 'info', 'warn', 'error', 'debug', 'trace', 'table', 'dir'].map((name) => [name, write]));
}

function additionalKeys(task: CodeTask): Record<string, unknown> {
  return {
    $execution: {
      id: task.executionId,
      mode: task.mode === 'manual' ? 'test' : 'production',
      resumeUrl: '',
      resumeFormUrl: '',
      customData: { set() {}, setAll() {}, get() {}, getAll: () => ({}) },
    },
    $vars: {},
    $executionId: task.executionId,
    $resumeWebhookUrl: '',
  };
}

/** The result leaves the context as plain data. */
function plain(value: unknown): unknown {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return undefined;
  return JSON.parse(JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part)) ?? 'null');
}

function described(error: unknown): { message: string; description?: string; stack?: string; lineNumber?: number } {
  const { message, stack, description } = (error ?? {}) as { message?: unknown; stack?: unknown; description?: unknown };
  const lineNumber = typeof stack === 'string' ? Number(/code\.js:(\d+)/.exec(stack)?.[1]) : Number.NaN;
  return {
    message: typeof message === 'string' ? message : String(error),
    ...(typeof description === 'string' && { description }),
    ...(typeof stack === 'string' && { stack: stack.slice(0, 5000) }),
    ...(Number.isInteger(lineNumber) && { lineNumber }),
  };
}

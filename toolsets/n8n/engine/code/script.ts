import { createContext, runInContext } from 'node:vm';
import type { WorkflowPackage } from '../child/packages.ts';
import type { CodeOutcome, CodeTask } from '../protocol.ts';

export interface ScriptModules {
  workflow: Pick<WorkflowPackage, 'Workflow' | 'WorkflowDataProxy'>;
  /** What a script may require: nothing, as in n8n's own default. */
  timeoutMs: number;
}

const FILE = 'code.js';
const WRAPPER = 'CodeNode';

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
      runInContext(`(async function ${WRAPPER}() {${task.code}\n})()`, createContext({ ...shared, ...extra }), {
        timeout: timeoutMs,
        filename: FILE,
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

/** The same as in n8n: a script that works here works there. */
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
  TextDecoderStream,
  TextEncoder,
  TextEncoderStream,
  FormData,
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

interface Described {
  message: string;
  description?: string;
  stack?: string;
  lineNumber?: number;
}

/** As n8n words it: what the script threw carries the line where it did. */
function described(error: unknown): Described {
  const { message, stack, description } = (error ?? {}) as { message?: unknown; stack?: unknown; description?: unknown };
  if (typeof message !== 'string') return { message: JSON.stringify(error) ?? String(error) };
  if (typeof stack !== 'string') return { message };
  // An error of this process, not of the script's context: n8n's own words about the workflow's data.
  if (error instanceof Error) return { message, stack: stack.slice(0, 5000), ...(typeof description === 'string' && { description }) };
  const lineNumber = lineOf(stack);
  const kind = /^(\S.*?): /.exec(stack)?.[1];
  return {
    message: lineNumber === undefined ? message : `${message} [line ${lineNumber}]`,
    stack: stack.slice(0, 5000),
    ...(kind !== undefined && kind !== 'Error' && { description: kind }),
    ...(lineNumber !== undefined && { lineNumber }),
  };
}

/** The innermost function of the script that threw, else the script itself. */
function lineOf(stack: string): number | undefined {
  const rows = stack.split('\n').filter((row) => row.includes(`${FILE}:`));
  const row =
    rows.find((candidate) => candidate.includes('(') && !candidate.includes(WRAPPER)) ??
    rows.find((candidate) => candidate.includes(WRAPPER)) ??
    rows[0];
  const line = Number(row?.slice(row.indexOf(`${FILE}:`) + FILE.length + 1).split(':')[0]);
  return Number.isInteger(line) ? line : undefined;
}

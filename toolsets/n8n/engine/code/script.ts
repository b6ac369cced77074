import { createContext, runInContext } from 'node:vm';
import type { WorkflowPackage } from '../n8n-packages.ts';
import type { CodeOutcome, CodeTask } from '../protocol.ts';
import { consoleOf, helpersOf, NATIVE, requireOf, ScriptFault } from './globals.ts';

/** The name that scripts have in stack traces, and that of the function around them. */
const SCRIPT_FILE = 'code.js';
const WRAPPER = 'CodeNode';

export interface ScriptPorts {
  workflow: Pick<WorkflowPackage, 'Workflow' | 'WorkflowDataProxy'>;
  timeoutMs: number;
  /** Asks the engine for what n8n's helpers do. */
  helper(name: string, parameters: unknown[]): Promise<unknown>;
  load(name: string): unknown;
}

/** Runs the script of a Code node with everything that n8n offers to it: `$input`, `$json`, `$('Node')`, `items`, `DateTime` … */
export async function runScript(task: CodeTask, ports: ScriptPorts): Promise<CodeOutcome> {
  const logs: string[] = [];
  const note = (line: string) => void (logs.includes(line) || logs.push(line));
  try {
    const workflow = new ports.workflow.Workflow({ ...task.workflow, active: false, nodeTypes: UNKNOWN_TYPES });
    const customData = customDataOf(task);
    const proxyAt = (index: number) =>
      new ports.workflow.WorkflowDataProxy(
        workflow,
        task.runExecutionData,
        task.runIndex,
        index,
        task.node['name'],
        task.items,
        {},
        task.mode,
        additionalKeys(task, customData),
        task.executeData,
        -1,
        {},
        undefined,
        { env: {}, isEnvAccessBlocked: true, isProcessAvailable: false },
      ).getDataProxy({ throwOnMissingExecutionData: false });
    const context = createContext({
      console: consoleOf(logs),
      require: requireOf({ load: ports.load, note }),
      $getWorkflowStaticData: (type: string) => workflow.getStaticData(type, task.node),
      ...NATIVE,
      helpers: helpersOf(ports.helper),
      ...task.additionalProperties,
    });
    const evaluate = (extra: Record<string, unknown>) => {
      Object.assign(context, extra);
      return runInContext(wrapped(task.code), context, { timeout: ports.timeoutMs, filename: SCRIPT_FILE }) as Promise<unknown>;
    };
    const result =
      task.nodeMode === 'runOnceForEachItem' ? await forEachItem(task, proxyAt, evaluate) : await once(task, proxyAt, evaluate);
    return {
      ok: true,
      result: plain(result),
      ...(workflow.staticData['__dataChanged'] === true && { staticData: plain({ ...workflow.staticData }) as Record<string, unknown> }),
      ...(customData.changed && { customData: customData.values }),
      logs,
    };
  } catch (error) {
    return { ok: false, error: described(error), logs };
  }
}

/** On one line with the script, so that its lines keep their numbers. */
function wrapped(code: string): string {
  return `globalThis.global = globalThis; var module = { exports: {} }; module.exports = async function ${WRAPPER}() {${code}\n}()`;
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
      if (!result) continue;
      const { binary } = result as { binary?: unknown };
      results.push({ json: jsonOf(result), pairedItem: { item: index }, ...(binary ? { binary } : {}) });
    } catch (error) {
      if (!task.continueOnFail) throw error;
      results.push({ json: { error: described(error).message }, pairedItem: { item: index } });
    }
  }
  return results;
}

function jsonOf(result: unknown): unknown {
  if (result === null || typeof result !== 'object') return result;
  if ('json' in result) return result.json;
  return 'binary' in result ? {} : result;
}

/** Node parameters arrive resolved, so that no type needs to be known here. */
const UNKNOWN_TYPES = { getByName: () => undefined, getByNameAndVersion: () => undefined, getKnownTypes: () => ({}) };

interface CustomData {
  values: Record<string, string>;
  changed: boolean;
}

function customDataOf(task: CodeTask): CustomData {
  const { metadata } = ((task.runExecutionData as { resultData?: { metadata?: Record<string, string> } } | null)?.resultData ?? {}) as {
    metadata?: Record<string, string>;
  };
  return { values: { ...metadata }, changed: false };
}

function additionalKeys(task: CodeTask, customData: CustomData): Record<string, unknown> {
  const set = (key: string, value: unknown) => {
    customData.values[String(key).slice(0, 50)] = String(value).slice(0, 512);
    customData.changed = true;
  };
  return {
    $execution: {
      id: task.executionId,
      mode: task.mode === 'manual' ? 'test' : 'production',
      resumeUrl: '',
      resumeFormUrl: '',
      customData: {
        set,
        setAll(values: Record<string, unknown>) {
          for (const [key, value] of Object.entries(values)) set(key, value);
        },
        get: (key: string) => customData.values[key],
        getAll: () => ({ ...customData.values }),
      },
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

/** As n8n words it: what the script threw carries the line where it did. */
function described(error: unknown): Extract<CodeOutcome, { ok: false }>['error'] {
  const { message, stack, description } = (error ?? {}) as { message?: unknown; stack?: unknown; description?: unknown };
  if (typeof message !== 'string') return { message: JSON.stringify(error) ?? String(error) };
  if (typeof stack !== 'string') return { message };
  const own = { stack: stack.slice(0, 5000), ...(typeof description === 'string' && error instanceof Error && { description }) };
  // An error of this process, not of the script's context: n8n's own words about the workflow's data.
  if (error instanceof Error && !(error instanceof ScriptFault)) return { message, ...own };
  const lineNumber = lineOf(stack);
  const { kind, details } = headerOf(stack);
  const said = details ?? (message || 'Unknown error');
  if (lineNumber === undefined) return { message: said, ...own, ...kind };
  return { message: `${said} [line ${lineNumber}]`, ...own, ...kind, lineNumber };
}

/** The first line of what was thrown, which is all that n8n shows of it, and its kind unless that is plain Error. */
function headerOf(stack: string): { kind: { description?: string }; details: string | undefined } {
  const rows = stack.split(/\r?\n/);
  const frames = rows.findIndex((row) => /^\s+at\s/.test(row));
  const head = frames < 0 ? rows : rows.slice(0, frames);
  const excerptEnd = head.findLastIndex((row) => /^\s*\^+\s*$/.test(row)) + 1;
  const rest = head.slice(excerptEnd).map((row) => /^(\S.*?): (.+)$/.exec(row));
  const [, kind = 'Error', details = ''] = rest.find((found) => found !== null) ?? [];
  const description = kind === 'SyntaxError' ? `SyntaxError${brokenLine(stack)}` : kind;
  return { kind: kind.toLowerCase() === 'error' ? {} : { description }, details: details.trim() || undefined };
}

/** Where a script stops being JavaScript: n8n does not tell, but it helps. */
function brokenLine(stack: string): string {
  const line = /^code\.js:(\d+)/.exec(stack)?.[1];
  return line === undefined ? '' : ` in line ${line}`;
}

/** The innermost function of the script that threw, else the script itself. */
function lineOf(stack: string): number | undefined {
  const rows = stack.split('\n').filter((row) => row.includes(`${SCRIPT_FILE}:`));
  const row =
    rows.find((candidate) => candidate.includes(`(${SCRIPT_FILE}:`) && !candidate.includes(WRAPPER)) ??
    rows.find((candidate) => candidate.includes(WRAPPER));
  const line = Number(row?.slice(row.indexOf(`${SCRIPT_FILE}:`) + SCRIPT_FILE.length + 1).split(':')[0]);
  return Number.isInteger(line) ? line : undefined;
}

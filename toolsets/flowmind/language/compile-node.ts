import type { FlowCompiler } from './compile.ts';
import { compileCall } from './compile-call.ts';
import { compileCondition, compileIf, compileSwitch, compileSwitchSemantic } from './compile-condition.ts';
import { agentUri, baseOf, type Parsed, storeOf, valuesOf } from './compile-parts.ts';
import type { Path } from './document.ts';
import type { AnswerSpec, FlowNode, ParallelNode, StepNode, TryNode, Value } from './flow.ts';
import type { NodeName } from './nodes.ts';
import { escaped } from './value.ts';

const DEFAULT_ITERATIONS = 100;
const DEFAULT_CONCURRENCY = 5;

export function compileNode(
  compiler: FlowCompiler,
  name: NodeName,
  data: unknown,
  written: Record<string, unknown>,
  path: Path,
): FlowNode | undefined {
  const compile = COMPILERS[name] as (
    compiler: FlowCompiler,
    data: unknown,
    path: Path,
    written: Record<string, unknown>,
  ) => FlowNode | undefined;
  return compile(compiler, data, path, written);
}

type Compilers = {
  [Name in NodeName]: (compiler: FlowCompiler, data: Parsed<Name>, path: Path, written: Record<string, unknown>) => FlowNode | undefined;
};

const COMPILERS: Compilers = {
  step: compileStep,
  call: compileCall,
  if: compileIf,
  switch: compileSwitch,
  switch_semantic: compileSwitchSemantic,
  parallel: compileParallel,
  try: compileTry,
  ask: (compiler, data, path) => ({
    kind: 'ask',
    ...baseOf(compiler, data, path),
    question: compiler.template(data.ask, [...path, 'ask']),
    answer: answerSpec(data),
    default: data.default === undefined ? undefined : compiler.value(data.default, [...path, 'default']),
    store: storeOf(data),
  }),
  set_variable: (compiler, data, path) => ({
    kind: 'set',
    ...baseOf(compiler, data, path),
    assignments: assignments(compiler, data.set_variable ?? data.set ?? {}, [...path, data.set_variable ? 'set_variable' : 'set']),
  }),
  increment: (compiler, data, path) => ({
    kind: 'increment',
    ...baseOf(compiler, data, path),
    variable: data.increment,
    by: compiler.value(data.by ?? 1, [...path, 'by']),
  }),
  collect: (compiler, data, path) => ({
    kind: 'collect',
    ...baseOf(compiler, data, path),
    into: data.into,
    value: compiler.value(data.collect, [...path, 'collect']),
  }),
  while: (compiler, data, path, written) => {
    const keys = Object.keys(written);
    const tested = keys.findIndex((key) => key === 'while' || key === 'while_semantic');
    return {
      kind: 'while',
      ...baseOf(compiler, data, path),
      condition: compileCondition(
        compiler,
        { ...data, if: data.while, if_semantic: data.while_semantic, and_semantic: data.and_while_semantic },
        path,
      ),
      test: keys.indexOf('do') < tested ? 'after' : 'before',
      maxIterations: data.max_iterations ?? DEFAULT_ITERATIONS,
      timeoutMs: data.timeout === undefined ? undefined : durationMs(compiler, data.timeout, [...path, 'timeout']),
      body: compiler.flow(data.do, [...path, 'do']),
    };
  },
  for_each: (compiler, data, path) => {
    const match = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s+in\s+([\s\S]+)$/u.exec(data.for_each);
    if (!match) {
      compiler.document.error([...path, 'for_each'], 'Write for_each as "item in items"');
      return undefined;
    }
    const filtered = data.where !== undefined || data.where_semantic !== undefined;
    return {
      kind: 'for_each',
      ...baseOf(compiler, data, path),
      item: match[1] as string,
      list: compiler.expression(match[2], [...path, 'for_each']),
      where: filtered ? compileCondition(compiler, { ...data, if: data.where, if_semantic: data.where_semantic }, path) : undefined,
      body: compiler.flow(data.do, [...path, 'do']),
    };
  },
  workflow: (compiler, data, path) => ({
    kind: 'workflow',
    ...baseOf(compiler, data, path),
    uri: compiler.template(data.workflow ?? data.recurse_into ?? '', [...path, data.workflow ? 'workflow' : 'recurse_into']),
    with: valuesOf(compiler, data.with, [...path, 'with']),
    store: storeOf(data),
  }),
  include: (compiler, data, path) => ({ kind: 'include', ...baseOf(compiler, data, path), uri: data.include }),
  persist_state: (compiler, data, path) => ({
    kind: 'persist',
    ...baseOf(compiler, data, path),
    key: compiler.template(data.persist_state.key, [...path, 'persist_state', 'key']),
    value: compiler.value(data.persist_state.value ?? `\${${data.persist_state.key}}`, [...path, 'persist_state', 'value']),
    ttlMs:
      data.persist_state.ttl === undefined ? undefined : durationMs(compiler, data.persist_state.ttl, [...path, 'persist_state', 'ttl']),
  }),
  restore_state: (compiler, data, path) => ({
    kind: 'restore',
    ...baseOf(compiler, data, path),
    key: compiler.template(data.restore_state.key, [...path, 'restore_state', 'key']),
    store: data.restore_state.into ?? storeOf(data) ?? data.restore_state.key.replace(/[^\p{L}\p{N}_]/gu, '_'),
  }),
  validate_input: (compiler, data, path) => {
    const at = [...path, 'validate_input'];
    const given = data.validate_input;
    const rules = Array.isArray(given) ? given : [...(given.required ?? []).map((name) => `exists(${name})`), ...(given.rules ?? [])];
    return {
      kind: 'validate',
      ...baseOf(compiler, data, path),
      rules: rules.map((rule, index) => {
        const condition = typeof rule === 'string' ? rule : rule.condition;
        const message = (typeof rule === 'string' ? undefined : rule.message) ?? `The input must satisfy: ${escaped(condition)}`;
        return { condition: compiler.expression(condition, [...at, index]), message: compiler.template(message, [...at, index]) };
      }),
    };
  },
  return: (compiler, data, path) => ({
    kind: 'return',
    ...baseOf(compiler, data, path),
    value: compiler.value(data.return, [...path, 'return']),
  }),
};

/** `set_variable: {a: 1}` as well as `set_variable: {name: a, value: 1}`. */
function assignments(compiler: FlowCompiler, written: Record<string, unknown>, path: Path): [string, Value][] {
  const keys = Object.keys(written);
  if (keys.length === 2 && typeof written['name'] === 'string' && 'value' in written) {
    return [[written['name'], compiler.value(written['value'], [...path, 'value'])]];
  }
  for (const key of keys) {
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) compiler.document.error([...path, key], `"${key.slice(0, 60)}" is no variable name`);
  }
  return valuesOf(compiler, written, path);
}

function compileStep(compiler: FlowCompiler, data: Parsed<'step'>, path: Path): StepNode {
  const instruction =
    data.instruction ?? data.prompt ?? data.description ?? (typeof data.step === 'string' ? data.step : data.name) ?? 'Do this step';
  const hasWhen = data.when !== undefined || data.when_semantic !== undefined;
  const role = data.role && !data.agent ? `Act as ${data.role}.` : undefined;
  const voices = data.personalities === undefined ? undefined : `Speak for: ${listed(data.personalities)}.`;
  const persona = data.persona ?? ([role, voices].filter(Boolean).join(' ') || undefined);
  const conditions = data.conditions === undefined ? [] : texts(data.conditions).map((text) => `Mind: ${text}`);
  const name = data.name ?? (typeof data.step === 'string' ? data.step : data.step === undefined ? undefined : `Step ${data.step}`);
  const more = data.instruction && data.prompt ? [data.prompt] : [];
  return {
    kind: 'step',
    ...baseOf(compiler, data, path),
    name: name ?? firstWords(instruction),
    instruction: compiler.template([instruction, ...more, ...conditions].join('\n'), path),
    persona: persona === undefined ? undefined : compiler.template(persona, [...path, 'persona']),
    agent: data.agent === undefined ? undefined : agentUri(data.agent),
    deliverables: texts(data.deliverables),
    successCriteria: [...texts(data.success_criteria), ...texts(data.when_complete)],
    when: hasWhen ? compileCondition(compiler, { ...data, if: data.when, if_semantic: data.when_semantic }, path) : undefined,
    store: storeOf(data),
  };
}

function texts(written: unknown): string[] {
  if (written === undefined) return [];
  const list = Array.isArray(written) ? written : [written];
  return list.map((each) =>
    typeof each === 'string'
      ? each
      : Object.entries(each as object)
          .map(([key, value]) => `${key}: ${String(value)}`)
          .join('; '),
  );
}

function listed(written: unknown): string {
  if (Array.isArray(written)) return written.join(', ');
  return typeof written === 'object' && written !== null ? Object.keys(written).join(', ') : String(written);
}

function firstWords(text: string): string {
  const line = text.trim().split('\n')[0] as string;
  return line.length <= 60 ? line : `${line.slice(0, 57).replace(/\s+\S*$/, '')}…`;
}

function answerSpec(data: Parsed<'ask'>): AnswerSpec {
  const type = data.type === 'text' || data.type === undefined ? 'string' : data.type;
  return { type: data.options ? 'string' : type, options: data.options?.map(String), required: data.required ?? true };
}

function compileParallel(compiler: FlowCompiler, data: Parsed<'parallel'>, path: Path): ParallelNode {
  const given = Array.isArray(data.parallel) ? { tasks: data.parallel } : data.parallel;
  const at: Path = Array.isArray(data.parallel) ? [...path, 'parallel'] : [...path, 'parallel', 'tasks'];
  const tasks = Array.isArray(given.tasks)
    ? given.tasks.map((task, index) => ({ name: taskName(task, index), body: compiler.flow(taskBody(task), [...at, index]) }))
    : Object.entries(given.tasks).map(([name, task]) => ({ name, body: compiler.flow(taskBody(task), [...at, name]) }));
  const collect = 'collect_results' in given ? given.collect_results : undefined;
  const wait = data.wait_for ?? ('wait_for' in given ? given.wait_for : undefined) ?? 'all';
  if (typeof wait === 'number' && wait > tasks.length)
    compiler.document.error(path, `wait_for ${wait}, but there are only ${tasks.length} tasks`);
  const names = tasks.map((task) => task.name);
  for (const name of names.filter((each, index) => names.indexOf(each) !== index))
    compiler.document.error(at, `Two tasks are named "${name}"`);
  return {
    kind: 'parallel',
    ...baseOf(compiler, data, path),
    tasks,
    maxConcurrency: ('max_concurrency' in given ? given.max_concurrency : undefined) ?? DEFAULT_CONCURRENCY,
    collectResults: collect === true ? 'results' : collect || storeOf(data),
    waitFor: wait,
  };
}

/** `{task: name, do: […]}` or `{name, steps: […]}` as well as a bare node or list of nodes. */
function taskBody(task: unknown): unknown {
  if (task === null || typeof task !== 'object' || Array.isArray(task)) return task;
  const object = task as Record<string, unknown>;
  const onlyWraps = Object.keys(object).every((key) => ['task', 'name', 'do', 'steps', 'flow', 'description'].includes(key));
  return onlyWraps ? (object['do'] ?? object['steps'] ?? object['flow'] ?? task) : task;
}

function taskName(task: unknown, index: number): string {
  const object = task !== null && typeof task === 'object' && !Array.isArray(task) ? (task as Record<string, unknown>) : {};
  const name = object['task'] ?? object['name'] ?? object['id'] ?? object['store_result'] ?? object['store_as'] ?? object['step'];
  return typeof name === 'string' ? name : `task_${index + 1}`;
}

const ERROR_KEYS = ['error_type', 'error', 'on', 'type'];

function compileTry(compiler: FlowCompiler, data: Parsed<'try'>, path: Path): TryNode {
  return {
    kind: 'try',
    ...baseOf(compiler, data, path),
    body: compiler.flow(data.try, [...path, 'try']),
    catches: compileCatches(compiler, data.catch, [...path, 'catch']),
    finally: compiler.flow(data.finally, [...path, 'finally']),
  };
}

/** `catch: [nodes]`, `catch: {timeout: [nodes]}` or `catch: [{error_type: timeout, do: [nodes]}]`. */
function compileCatches(compiler: FlowCompiler, written: unknown, path: Path): TryNode['catches'] {
  if (written === undefined) return [];
  if (Array.isArray(written)) {
    const isHandler = (each: unknown) => each !== null && typeof each === 'object' && 'do' in each && ERROR_KEYS.some((key) => key in each);
    if (!written.some(isHandler)) return [{ error: undefined, body: compiler.flow(written, path) }];
    return written.map((each, index) => {
      const handler = each as Record<string, unknown>;
      const error = ERROR_KEYS.map((key) => handler[key]).find((value) => typeof value === 'string') as string | undefined;
      return { error: caught(error), body: compiler.flow(handler['do'], [...path, index, 'do']) };
    });
  }
  const handlers = Object.entries(written as Record<string, unknown>);
  if (handlers.some(([, body]) => !Array.isArray(body))) return [{ error: undefined, body: compiler.flow(written, path) }];
  return handlers.map(([error, body]) => ({ error: caught(error), body: compiler.flow(body, [...path, error]) }));
}

function caught(error: string | undefined): string | undefined {
  return error === undefined || ['any', 'all', 'default', '*', 'error'].includes(error) ? undefined : error;
}

/** `30s`, `5m`, `2h`, `7d`, or milliseconds. */
function durationMs(compiler: FlowCompiler, written: string | number, path: Path): number | undefined {
  if (typeof written === 'number') return written;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$/.exec(written.trim());
  if (!match) {
    compiler.document.error(path, `"${written.slice(0, 40)}" is no duration; write 30s, 5m, 2h or 7d`);
    return undefined;
  }
  const unit = match[2] as string;
  const factor =
    unit === 'ms' ? 1 : unit.startsWith('s') ? 1_000 : unit.startsWith('m') ? 60_000 : unit.startsWith('h') ? 3_600_000 : 86_400_000;
  return Number(match[1]) * factor;
}

import { isRecord } from '@millrace/kernel';
import { z } from 'zod';
import { type Fiber, newFiber, type Placed } from '../state.ts';
import { defineNode, field, inSequence, type NodeBase, stored, storeOf, type Visit } from './node.ts';
import type { FlowNode } from './registry.ts';

export interface ParallelNode extends NodeBase {
  kind: 'parallel';
  tasks: { name: string; body: FlowNode[] }[];
  maxConcurrency: number;
  /** The variable that gets the results by task name. */
  collectResults: string | undefined;
  waitFor: 'all' | 'any' | number;
}

export interface ParallelFrame extends Placed {
  kind: 'parallel';
  node: string;
  /** The fibers of its tasks. */
  tasks: string[];
}

const DEFAULT_CONCURRENCY = 5;
const waitFor = z.union([z.enum(['all', 'any']), z.number().int().min(1)]).optional();
const tasks = z.array(z.unknown()).min(1);

export const parallel = defineNode({
  keys: ['parallel'],
  usage: '`parallel: {tasks, max_concurrency, collect_results}`, `wait_for: all`, `any` or a number',
  summary: 'At the same time',
  fields: () => ({
    parallel: z.union([
      tasks,
      z.strictObject({
        max_concurrency: z.number().int().min(1).max(20).optional(),
        tasks: z.union([tasks, field.values]),
        collect_results: z.union([field.variable, z.boolean()]).optional(),
        wait_for: waitFor,
      }),
    ]),
    wait_for: waitFor,
    ...stored,
  }),

  compile(data, compiler, path) {
    const isList = Array.isArray(data.parallel);
    const given = Array.isArray(data.parallel)
      ? { tasks: data.parallel, max_concurrency: undefined, collect_results: undefined, wait_for: undefined }
      : data.parallel;
    const at = isList ? [...path, 'parallel'] : [...path, 'parallel', 'tasks'];
    const written: [string | number, string, unknown][] = Array.isArray(given.tasks)
      ? given.tasks.map((task, index) => [index, taskName(task, index), task])
      : Object.entries(given.tasks).map(([name, task]) => [name, name, task]);
    const compiled = written.map(([key, name, task]) => ({ name, body: compiler.flow(taskBody(task), [...at, key]) }));
    const wait = data.wait_for ?? given.wait_for ?? 'all';
    if (typeof wait === 'number' && wait > compiled.length)
      compiler.document.error(path, `wait_for ${wait}, but there are only ${compiled.length} tasks`);
    const names = compiled.map((task) => task.name);
    for (const name of names.filter((each, index) => names.indexOf(each) !== index))
      compiler.document.error(at, `Two tasks are named "${name}"`);
    const collect = given.collect_results;
    return {
      kind: 'parallel',
      ...compiler.base(data, path),
      tasks: compiled,
      maxConcurrency: given.max_concurrency ?? DEFAULT_CONCURRENCY,
      collectResults: collect === true ? 'results' : collect || storeOf(data),
      waitFor: wait,
    };
  },

  run(node: ParallelNode, { machine, fiber, frame: { uri, scope } }) {
    machine.next(fiber);
    const begun = node.tasks.map(({ name, body }): Fiber => {
      const block = machine.program(uri).blockOf(node, body);
      const task = newFiber(machine.nextId('f'), [{ kind: 'block', block, index: 0, uri, scope }]);
      return { ...task, status: 'queued', task: { of: fiber.id, name } };
    });
    machine.state.fibers.push(...begun);
    fiber.stack.push({ kind: 'parallel', node: node.id, tasks: begun.map((each) => each.id), uri, scope });
  },

  resume(node, { machine, fiber, frame, variables }: Visit<ParallelFrame>) {
    const all = machine.state.fibers.filter((each) => frame.tasks.includes(each.id));
    const finished = all.filter((each) => each.status === 'done');
    const failed = finished.filter((each) => each.error);
    const succeeded = finished.filter((each) => !each.error);
    const wanted = node.waitFor === 'all' ? all.length : node.waitFor === 'any' ? 1 : node.waitFor;
    const error = failed[0]?.error;
    if (error && all.length - failed.length < wanted) {
      fiber.stack.pop();
      machine.drop(frame.tasks);
      machine.raise(fiber, error);
      return;
    }
    if (succeeded.length >= wanted) {
      const results = Object.fromEntries(succeeded.map((each) => [each.task?.name ?? each.id, each.result ?? null]));
      fiber.stack.pop();
      machine.drop(frame.tasks);
      variables['previous_result'] = results;
      if (node.collectResults) variables[node.collectResults] = results;
      return;
    }
    const running = all.filter((each) => each.status !== 'done' && each.status !== 'queued').length;
    for (const task of all.filter((each) => each.status === 'queued').slice(0, node.maxConcurrency - running)) task.status = 'ready';
    fiber.status = 'joining';
  },

  intercept(_node, { machine, frame }) {
    machine.drop(frame.tasks);
    return false;
  },

  /** Another task can make up for one that fails. */
  catches: (node) => node.waitFor !== 'all',
  bodies: (node) => node.tasks.map((task) => task.body),

  preview: async (node, preview) => ({
    what: `At the same time, waiting for ${node.waitFor}`,
    branches: await preview.branches(node.tasks.map(({ name, body }) => ({ when: name, holds: true, body }))),
  }),

  steps: (node, stepsOf) => inSequence(node.tasks.map((task) => stepsOf(task.body))),
});

const WRAPPING = ['task', 'name', 'do', 'steps', 'flow', 'description'];

/** `{task: name, do: […]}` or `{name, steps: […]}` as well as a bare node or list of nodes. */
function taskBody(task: unknown): unknown {
  if (!isRecord(task) || !Object.keys(task).every((key) => WRAPPING.includes(key))) return task;
  return task['do'] ?? task['steps'] ?? task['flow'] ?? task;
}

const NAMES = ['task', 'name', 'id', 'store_result', 'store_as', 'step'];

function taskName(task: unknown, index: number): string {
  const name = isRecord(task) ? NAMES.map((key) => task[key]).find((value) => value !== undefined && value !== null) : undefined;
  return typeof name === 'string' ? name : `task_${index + 1}`;
}

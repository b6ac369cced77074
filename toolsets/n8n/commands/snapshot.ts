import { Failure } from '@millrace/kernel';
import { z } from 'zod';
import type { Workflow } from '../document/workflow/model.ts';
import type { CallableWorkflows, Engine, RunResult } from '../engine/engine.ts';
import { runInputOf } from '../engine/run-input.ts';
import { differences } from './compare.ts';

/** One expected run of a workflow. Only the nodes that are named are compared. */
const snapshotTest = z.strictObject({
  name: z.string().min(1),
  /** As test_workflow takes it. */
  testData: z.record(z.string(), z.unknown()).optional(),
  timeout: z.number().positive().optional(),
  expect: z.strictObject({
    status: z.enum(['success', 'error', 'timeout']).default('success'),
    /** The items of each output of a node, as their json; the last run where it ran several times. */
    nodes: z.record(z.string(), z.array(z.array(z.unknown()))).default({}),
  }),
});

/** `<name>.test.json` beside `<name>.json`. */
const snapshotFile = z.strictObject({ tests: z.array(snapshotTest).min(1) });

export type SnapshotTest = z.infer<typeof snapshotTest>;
export type SnapshotFile = z.infer<typeof snapshotFile>;

export function snapshotPath(workflowPath: string): string {
  return workflowPath.replace(/\.json$/, '.test.json');
}

export function parseSnapshot(text: string, shown: string): SnapshotFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Failure('conflict', `${shown} is not valid JSON`, { cause: error });
  }
  const parsed = snapshotFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Failure('conflict', `${shown} is not a snapshot test: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

export interface SnapshotOutcome {
  name: string;
  passed: boolean;
  milliseconds: number;
  differences: string[];
}

/** What runs the tests: the engine, and the workflows that a tested one may call. */
export interface Runner {
  engine: Engine;
  callable: CallableWorkflows;
}

const TIMEOUT_MS = 60_000;

export async function runSnapshot(runner: Runner, workflow: Workflow, test: SnapshotTest, signal: AbortSignal): Promise<SnapshotOutcome> {
  const result = await runFor(runner, workflow, test, signal);
  const found = [
    ...statusDifference(test, result),
    ...Object.entries(test.expect.nodes).flatMap(([node, items]) => nodeDifferences(node, items, result)),
  ];
  return { name: test.name, passed: found.length === 0, milliseconds: result.executionTime, differences: found };
}

/** The same test, expecting what happens now; matchers that still fit stay. */
export async function renewedSnapshot(runner: Runner, workflow: Workflow, test: SnapshotTest, signal: AbortSignal): Promise<SnapshotTest> {
  const result = await runFor(runner, workflow, test, signal);
  const names = Object.keys(test.expect.nodes);
  const wanted = names.length > 0 ? names : [...new Set(result.runs.map((run) => run.node))];
  const nodes = wanted.map((node) => {
    const before = test.expect.nodes[node];
    const now = outputsOf(node, result) ?? [];
    return [node, before && differences(before, now, node).length === 0 ? before : now] as const;
  });
  const status = result.status === 'cancelled' ? 'error' : result.status;
  return { ...test, expect: { status, nodes: Object.fromEntries(nodes) } };
}

function runFor({ engine, callable }: Runner, workflow: Workflow, test: SnapshotTest, signal: AbortSignal): Promise<RunResult> {
  return engine.run(workflow, runInputOf(test.testData), { timeoutMs: test.timeout ?? TIMEOUT_MS, signal, callable });
}

function statusDifference(test: SnapshotTest, result: RunResult): string[] {
  if (result.status === test.expect.status) return [];
  const reason = result.error ? ` (${result.error.node ?? 'workflow'}: ${result.error.message})` : '';
  return [`status: expected ${test.expect.status}, got ${result.status}${reason}`];
}

function nodeDifferences(node: string, expected: readonly unknown[], result: RunResult): string[] {
  const actual = outputsOf(node, result);
  return actual ? differences(expected, actual, node) : [`${node}: did not run`];
}

function outputsOf(node: string, result: RunResult): unknown[][] | undefined {
  const run = result.runs.findLast((candidate) => candidate.node === node);
  return run?.outputs.map((items) => items.map((item) => item.json));
}

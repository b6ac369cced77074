import type { CallableWorkflows, Engine, RunResult } from '../ports.ts';
import { runInputOf } from '../test-data.ts';
import type { Workflow } from '../workflow/model.ts';
import { differences } from './compare.ts';
import type { SnapshotTest } from './snapshot.ts';

export interface SnapshotOutcome {
  name: string;
  passed: boolean;
  milliseconds: number;
  differences: string[];
}

/** What runs the tests: the engine, and the workflows that a tested one may call. */
export interface SnapshotRunner {
  engine: Engine;
  callable: CallableWorkflows;
}

const TIMEOUT_MS = 60_000;

export async function runSnapshotTest(
  runner: SnapshotRunner,
  workflow: Workflow,
  test: SnapshotTest,
  signal: AbortSignal,
): Promise<SnapshotOutcome> {
  const result = await runFor(runner, workflow, test, signal);
  const found = [
    ...statusDifference(test, result),
    ...Object.entries(test.expect.nodes).flatMap(([node, items]) => nodeDifferences(node, items, result)),
  ];
  return { name: test.name, passed: found.length === 0, milliseconds: result.executionTime, differences: found };
}

/** The same test, expecting what happens now; matchers that still fit stay. */
export async function renewedSnapshotTest(
  runner: SnapshotRunner,
  workflow: Workflow,
  test: SnapshotTest,
  signal: AbortSignal,
): Promise<SnapshotTest> {
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

function runFor({ engine, callable }: SnapshotRunner, workflow: Workflow, test: SnapshotTest, signal: AbortSignal): Promise<RunResult> {
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

import type { N8nRun, N8nTaskData } from './packages.ts';

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

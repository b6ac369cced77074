import type { Item, NodeRun, RunResult } from './engine.ts';

/** Items of one output that a reply shows; the rest is counted. */
const MOST_ITEMS = 20;
const MOST_CHARACTERS = 100_000;
const MOST_LOGS = 100;

export interface RunReport {
  success: boolean;
  executionId: string;
  status: string;
  data: Record<string, unknown>;
  logs: string[];
  executionTime: number;
}

/** A run as test_workflow publishes it: each node's last run, and what the workflow ended with, short enough to be read. */
export function runReport(result: RunResult): RunReport {
  const room = { characters: MOST_CHARACTERS };
  const last = result.runs.at(-1);
  const nodes: Record<string, unknown> = {};
  for (const [name, runs] of Map.groupBy(result.runs, (run) => run.node)) {
    const lastRun = runs.at(-1);
    if (lastRun) nodes[name] = nodeReport(lastRun, runs, room);
  }
  return {
    success: result.status === 'success',
    executionId: result.executionId,
    status: result.status,
    data: {
      where: result.where,
      ...(result.via && { via: result.via }),
      ...(result.error && { error: result.error }),
      lastNode: last?.node ?? null,
      nodes,
    },
    logs:
      result.logs.length > MOST_LOGS ? [...result.logs.slice(0, MOST_LOGS), `… ${result.logs.length - MOST_LOGS} more lines`] : result.logs,
    executionTime: result.executionTime,
  };
}

function nodeReport(run: NodeRun, runs: NodeRun[], room: { characters: number }): Record<string, unknown> {
  return {
    order: run.order,
    status: run.status,
    executionTime: run.executionTime,
    ...(runs.length > 1 && { runs: runs.length }),
    outputs: run.outputs.map((items, output) => shown(items, run.itemCounts?.[output] ?? items.length, room)),
    ...(run.error && { error: run.error }),
  };
}

function shown(items: Item[], count: number, room: { characters: number }): { count: number; items: Item[] } {
  const some: Item[] = [];
  for (const item of items.slice(0, MOST_ITEMS)) {
    room.characters -= JSON.stringify(item).length;
    if (room.characters < 0) break;
    some.push(item);
  }
  return { count, items: some };
}

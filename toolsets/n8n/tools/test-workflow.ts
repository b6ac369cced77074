import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import type { Item, NodeRun, RunResult } from '../engine/engine.ts';
import { runInputOf } from '../engine/run-input.ts';
import { workflowName } from '../schema.ts';
import { tool } from '../services.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 300_000;

export const testWorkflow = tool({
  name: 'test_workflow',
  description:
    'Tests a workflow by executing it and returning results: data, order, time and errors of each node. Needs no n8n server. A failed run has success false.',
  said: [
    'run my n8n workflow once to see whether it works',
    'test the automation with sample data',
    'execute the workflow and show what each node returns',
  ],
  access: 'write',
  annotations: { title: 'Test workflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  deadlineMs: LONGEST_TIMEOUT_MS + 30_000,
  input: z.strictObject({
    workflowId: workflowName.describe('ID of the workflow to execute'),
    testData: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Test data to use for the execution: {"items": […]}, {"pinned": {"<node>": […]}}, or one item'),
    trigger: quietLimits(z.string().max(500)).optional().describe('Trigger to start with'),
    timeout: z
      .number()
      .int()
      .min(1)
      .max(LONGEST_TIMEOUT_MS)
      .default(DEFAULT_TIMEOUT_MS)
      .describe('Timeout in milliseconds for the execution (default: 60000)'),
  }),
  output: z.object({
    success: z.boolean(),
    executionId: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
    logs: z.array(z.string()).optional(),
    executionTime: z.number().optional(),
    status: z.string(),
  }),

  async run({ workflowId, testData, trigger, timeout }, { services: { workflows, engine, runs, callable }, signal, log }) {
    const input = { ...runInputOf(testData), ...(trigger !== undefined && { trigger }) };
    const loaded = await workflows.load(workflowId);
    const result = await engine.run(loaded.workflow, input, { timeoutMs: timeout, signal, callable });
    await runs.keep(loaded.workflowId, result).catch((error: unknown) => log.warn({ err: error }, 'a run could not be kept'));
    return runReport(result);
  },
});

/** Items of one output that a reply shows; the rest is counted. */
const MOST_ITEMS = 20;
const MOST_CHARACTERS = 100_000;
const MOST_LOGS = 100;

/** A run as test_workflow publishes it: each node's last run, and what the workflow ended with, short enough to be read. */
function runReport(result: RunResult) {
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

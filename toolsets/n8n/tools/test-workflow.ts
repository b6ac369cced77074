import { z } from 'zod';
import { runReport } from '../engine/run-report.ts';
import { workflowName } from '../schema.ts';
import { runInputOf } from '../test-data.ts';
import { tool } from '../tool.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 300_000;

export const testWorkflow = tool({
  name: 'test_workflow',
  description:
    'Tests a workflow by executing it and returning results: the data, order, time and errors of every node. Runs in an embedded n8n engine, without a server; what that cannot run, on the configured instance. A run that fails is a result with success false.',
  access: 'write',
  annotations: { title: 'Test workflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  deadlineMs: LONGEST_TIMEOUT_MS + 30_000,
  input: z.strictObject({
    workflowId: workflowName.describe('ID of the workflow to execute; its name or path does too'),
    testData: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Test data to use for the execution: {"items": [...]} for the trigger, {"pinned": {"<node>": [...]}} for what several nodes return, both together, or any other object as one item of the trigger',
      ),
    trigger: z.string().max(500).optional().describe('Name or ID of the trigger to begin with, where the workflow has several'),
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
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('What every node returned, the node that failed and why, and where the run was'),
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

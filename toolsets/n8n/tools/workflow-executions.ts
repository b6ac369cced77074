import { brief, quietLimits, recordOf } from '@millrace/kernel';
import { z } from 'zod';
import type { KeptRun } from '../engine/run-history.ts';
import type { RemoteExecution } from '../remote/client.ts';
import { workflowName } from '../schema.ts';
import { tool } from '../services.ts';

const executionSummary = brief(
  z.object({
    id: z.string(),
    status: z.string(),
    mode: z.string().nullable(),
    startedAt: z.string().nullable(),
    stoppedAt: z.string().nullable(),
    error: z.string().optional(),
    nodes: z
      .array(
        z.object({
          node: z.string(),
          status: z.string(),
          executionTime: z.number().nullable(),
          items: z.number(),
          sample: z.array(z.unknown()),
          error: z.string().optional(),
        }),
      )
      .optional(),
  }),
);

export const workflowExecutions = tool({
  name: 'workflow_executions',
  description: 'Lists the latest executions of a workflow, on the n8n instance and by test_workflow.',
  said: ['show the last runs of my n8n workflow', 'why did the automation fail last night', 'which executions of the workflow had errors'],
  access: 'read',
  extra: true,
  annotations: { title: 'List executions', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    limit: quietLimits(z.int().min(1, 'limit must be at least 1').max(100)).default(20).describe('Maximum executions'),
    includeData: z.boolean().optional().describe('Include what each node did'),
  }),
  output: z.object({ remoteId: z.string().nullable(), executions: z.array(executionSummary), local: z.array(executionSummary) }),

  async run({ workflowId, limit, includeData = false }, { services: { workflows, deployments, runs }, signal }) {
    const loaded = await workflows.load(workflowId);
    const kept = await runs.list({ workflowId: loaded.workflowId, limit, includeData });
    const local = kept.map(summarizeRun);
    // Without an instance, or before the first deployment, the runs that were made here are all there is.
    if (!deployments.isConfigured || (local.length > 0 && !(await deployments.isDeployed(loaded, signal)))) {
      return { remoteId: null, executions: [], local };
    }
    const { remoteId, executions } = await deployments.executions(workflowId, limit, includeData, signal);
    return { remoteId, executions: executions.map(summarizeExecution), local };
  },
});

const MAX_NODES = 100;
const MAX_SAMPLE = 3;
const MAX_SAMPLE_TEXT = 4_000;

/** An execution as a caller can use it: what each node did, with a few of its items. */
function summarizeExecution(execution: RemoteExecution): z.infer<typeof executionSummary> {
  const { resultData } = execution.data ?? {};
  const failure = resultData?.error?.message;
  return {
    id: String(execution.id),
    status: execution.status ?? (execution.finished ? 'success' : 'unknown'),
    mode: execution.mode ?? null,
    startedAt: execution.startedAt ?? null,
    stoppedAt: execution.stoppedAt ?? null,
    ...(typeof failure === 'string' && { error: failure.slice(0, 500) }),
    ...(resultData?.runData && { nodes: Object.entries(resultData.runData).slice(0, MAX_NODES).map(nodeSummary) }),
  };
}

/** A run that was made here, in the same words. */
function summarizeRun(run: KeptRun): z.infer<typeof executionSummary> {
  const { result } = run;
  return {
    id: run.executionId,
    status: run.status,
    mode: 'test',
    startedAt: new Date(Date.parse(run.at) - run.executionTime).toISOString(),
    stoppedAt: run.at,
    ...(result?.error && { error: result.error.message.slice(0, 500) }),
    ...(result && {
      nodes: result.runs.slice(0, MAX_NODES).map(({ node, status, executionTime, outputs, error }) => ({
        node,
        status,
        executionTime,
        ...did(outputs.flat(), error?.message),
      })),
    }),
  };
}

function nodeSummary([node, runs]: [string, unknown]) {
  const run = recordOf(Array.isArray(runs) ? runs.at(-1) : undefined);
  const { main } = recordOf(run['data']);
  const items: unknown[] = Array.isArray(main) ? main.flatMap((output) => (Array.isArray(output) ? output : [])) : [];
  const { message } = recordOf(run['error']);
  return {
    node,
    status: typeof run['executionStatus'] === 'string' ? run['executionStatus'] : message ? 'error' : 'success',
    executionTime: typeof run['executionTime'] === 'number' ? run['executionTime'] : null,
    ...did(items, message),
  };
}

function did(items: readonly unknown[], error: unknown) {
  const sample = items.slice(0, MAX_SAMPLE).map((item) => short(recordOf(item)['json']));
  return { items: items.length, sample, ...(typeof error === 'string' && { error: error.slice(0, 500) }) };
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_SAMPLE_TEXT ? (value ?? null) : { truncated: true, head: text.slice(0, 500) };
}

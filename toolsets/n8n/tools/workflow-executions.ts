import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { executionSummary, summarizeExecution, summarizeRun } from '../remote/execution-summary.ts';
import { workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

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

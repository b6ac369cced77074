import { z } from 'zod';
import { executionSummary, summarizeExecution } from '../remote/execution-summary.ts';
import { workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

export const workflowExecutions = tool({
  name: 'workflow_executions',
  description: 'Lists the latest executions of a deployed workflow on the configured n8n instance; with includeData, what each node did.',
  access: 'read',
  extra: true,
  annotations: { title: 'List executions', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    limit: z.int().min(1, 'limit must be at least 1').max(100).default(20).describe('Maximum number of executions'),
    includeData: z.boolean().default(false).describe('Whether to say what each node did'),
  }),
  output: z.object({ remoteId: z.string(), executions: z.array(executionSummary) }),

  async run({ workflowId, limit, includeData }, { services: { deployments }, signal }) {
    const { remoteId, executions } = await deployments.executions(workflowId, limit, includeData, signal);
    return { remoteId, executions: executions.map(summarizeExecution) };
  },
});

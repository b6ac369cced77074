import { z } from 'zod';
import { workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

export const workflowDeploy = tool({
  name: 'workflow_deploy',
  description:
    'Creates or updates a workflow on the n8n instance; returns the diff. Refused if it was changed there. A failed activation is rolled back.',
  access: 'write',
  extra: true,
  annotations: { title: 'Deploy workflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    dryRun: z.boolean().optional().describe('Only show what would change'),
    force: z.boolean().optional().describe('Overwrite those changes'),
    activate: z.boolean().optional().describe('Then switch it on or off'),
  }),
  output: z.object({
    success: z.boolean(),
    remoteId: z.string().nullable(),
    url: z.string().nullable(),
    diff: z.array(z.string()),
    warnings: z.array(z.string()),
  }),

  async run({ workflowId, dryRun = false, force = false, activate }, { services: { deployments }, signal }) {
    return { success: true, ...(await deployments.deploy({ workflowId, dryRun, force, activate }, signal)) };
  },
});

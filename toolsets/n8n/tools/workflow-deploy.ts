import { z } from 'zod';
import { workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowDeploy = tool({
  name: 'workflow_deploy',
  description:
    'Creates or updates a workflow on the n8n instance; returns the diff. Refused if it was changed there. A failed activation is rolled back.',
  said: ['deploy the workflow to our n8n server', 'upload my automation to the n8n instance', 'push this workflow file to production'],
  access: 'write',
  extra: true,
  annotations: { title: 'Deploy workflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    dryRun: z.boolean().optional().describe('Only show what would change'),
    force: z.boolean().optional().describe('Overwrite those changes'),
    activate: z.boolean().optional().describe('Then switch it on or off'),
  }),
  acknowledges: true,
  output: z.object({
    remoteId: z.string().nullable(),
    url: z.string().nullable(),
    diff: z.array(z.string()),
    warnings: z.array(z.string()),
  }),

  async run({ workflowId, dryRun = false, force = false, activate }, { services: { deployments }, signal }) {
    return { ...(await deployments.deploy({ workflowId, dryRun, force, activate }, signal)) };
  },
});

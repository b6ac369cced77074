import { z } from 'zod';
import { workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

export const workflowDeploy = tool({
  name: 'workflow_deploy',
  description:
    'Creates or updates a workflow on the configured n8n instance. dryRun says what would change. A workflow that was changed on the instance meanwhile is refused unless force. When activation fails, the instance gets back what it had.',
  access: 'write',
  extra: true,
  annotations: { title: 'Deploy workflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    dryRun: z.boolean().default(false).describe('Only say what would change'),
    force: z.boolean().default(false).describe('Overwrite changes that were made on the instance'),
    activate: z.boolean().optional().describe('Switch the workflow on or off after that; left as it is when not given'),
  }),
  output: z.object({
    success: z.boolean(),
    remoteId: z.string().nullable(),
    url: z.string().nullable(),
    diff: z.array(z.string()),
    warnings: z.array(z.string()),
  }),

  async run({ workflowId, dryRun, force, activate }, { services: { deployments }, signal }) {
    return { success: true, ...(await deployments.deploy({ workflowId, dryRun, force, activate }, signal)) };
  },
});

import { z } from 'zod';
import { workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowActivate = tool({
  name: 'workflow_activate',
  description: 'Switches a deployed workflow on or off on the n8n instance.',
  said: ['switch the deployed workflow on', 'deactivate the n8n workflow about invoices', 'turn this automation off for now'],
  access: 'write',
  extra: true,
  annotations: { title: 'Activate workflow', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    active: z.boolean().describe('On or off'),
  }),
  acknowledges: true,
  output: z.object({ remoteId: z.string(), active: z.boolean() }),

  async run({ workflowId, active }, { services: { deployments }, signal }) {
    return { ...(await deployments.setActive(workflowId, active, signal)) };
  },
});

import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { remarks, warnings, workflowData } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowPull = tool({
  name: 'workflow_pull',
  description: 'Copies a workflow from the n8n instance into its file. workflow_undo reverts it.',
  said: [
    'download the workflow from our n8n server',
    'pull the deployed version into my file',
    'get a copy of the workflow that runs on the instance',
  ],
  access: 'write',
  extra: true,
  annotations: { title: 'Pull workflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    remoteId: quietLimits(z.string().trim().min(1, 'remoteId must not be empty').max(200)).describe('Workflow id on the instance'),
  }),
  acknowledges: true,
  output: z.object({ workflowId: z.string(), path: z.string(), changed: z.boolean(), workflowData, warnings }),

  async run({ remoteId }, { services: { deployments }, signal }) {
    const { workflowId, path, workflow, changed, created } = await deployments.pull(remoteId, signal);
    const notes = changed && !created ? ['The file differed from the instance and was overwritten; workflow_undo brings it back'] : [];
    return { workflowId, path, changed, workflowData: workflow, ...remarks(notes) };
  },
});

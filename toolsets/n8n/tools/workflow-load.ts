import { z } from 'zod';
import { reading, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowLoad = tool({
  name: 'workflow_load',
  description: 'Loads a workflow from a specific filepath, or by its id or name.',
  said: ['open the n8n workflow about invoices', 'load a workflow so that I can edit it', 'show me what is in this workflow file'],
  access: 'read',
  annotations: reading('Load workflow'),
  input: z.strictObject({ workflowIdOrPath: workflowName.describe('The complete filepath to the workflow JSON file, or its id or name') }),
  output: z.object({ workflowId: z.string(), workflowData }),

  async run({ workflowIdOrPath }, { services }) {
    const { workflowId, workflow } = await services.workflows.load(workflowIdOrPath);
    return { workflowId, workflowData: workflow };
  },
});

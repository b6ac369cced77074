import { z } from 'zod';
import { editing, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

export const workflowUndo = tool({
  name: 'workflow_undo',
  description: 'Takes back the last edits of a workflow file that were made with these tools, byte by byte.',
  access: 'write',
  extra: true,
  annotations: editing('Undo edits', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    steps: z.int().min(1, 'steps must be at least 1').max(200).default(1).describe('How many edits to take back'),
  }),
  output: z.object({ success: z.boolean(), undone: z.array(z.string()), workflowId: z.string(), workflowData }),

  async run({ workflowId, steps }, { services: { workflows } }) {
    const { undone, workflow, workflowId: called } = await workflows.undo(workflowId, steps);
    return { success: true, undone, workflowId: called, workflowData: workflow };
  },
});

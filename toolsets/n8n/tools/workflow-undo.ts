import { z } from 'zod';
import { editing, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

export const workflowUndo = tool({
  name: 'workflow_undo',
  description:
    'Takes back the last edits of a workflow file that were made with these tools, byte by byte; undoing the first of all removes the file. With redo, brings back what was undone.',
  access: 'write',
  extra: true,
  annotations: editing('Undo edits', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    steps: z.int().min(1, 'steps must be at least 1').max(200).default(1).describe('How many edits to take back'),
    redo: z.boolean().default(false).describe('Bring back what the last undo took instead'),
  }),
  output: z.object({
    success: z.boolean(),
    undone: z.array(z.string()).optional(),
    redone: z.array(z.string()).optional(),
    workflowId: z.string(),
    workflowData: workflowData.describe('The workflow as it is now, or as it was where its file is gone'),
    removed: z.string().optional().describe('The file that is gone; redo brings it back'),
  }),

  async run({ workflowId, steps, redo }, { services: { workflows } }) {
    const reached = redo ? await workflows.redo(workflowId, steps) : await workflows.undo(workflowId, steps);
    return {
      success: true,
      ...(redo ? { redone: reached.tools } : { undone: reached.tools }),
      workflowId: reached.workflowId,
      workflowData: reached.workflow,
      ...(reached.isRemoved && { removed: reached.path }),
    };
  },
});

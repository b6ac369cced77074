import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { editing, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowUndo = tool({
  name: 'workflow_undo',
  description: 'Undoes the last edits of a workflow file; undoing the first removes it.',
  said: ['undo the last change to my workflow', 'take back what you did to the n8n workflow', 'revert the workflow to how it was before'],
  access: 'write',
  extra: true,
  annotations: editing('Undo edits', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    steps: quietLimits(z.int().min(1, 'steps must be at least 1').max(200)).default(1).describe('Number of edits'),
    redo: z.boolean().optional().describe('Redo instead'),
  }),
  acknowledges: true,
  output: z.object({
    undone: z.array(z.string()).optional(),
    redone: z.array(z.string()).optional(),
    workflowId: z.string(),
    workflowData,
    removed: z.string().optional(),
  }),

  async run({ workflowId, steps, redo }, { services: { workflows } }) {
    const reached = redo ? await workflows.redo(workflowId, steps) : await workflows.undo(workflowId, steps);
    return {
      ...(redo ? { redone: reached.tools } : { undone: reached.tools }),
      workflowId: reached.workflowId,
      workflowData: reached.workflow,
      ...(reached.isRemoved && { removed: reached.path }),
    };
  },
});

import { z } from 'zod';
import { finding } from '../document/workflow/model.ts';
import { repairWorkflow } from '../document/workflow/repair.ts';
import { editing, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowRepair = tool({
  name: 'workflow_repair',
  description: 'Fixes the structure of a workflow file, such as dangling connections; returns the repairs.',
  said: [
    'repair the broken n8n workflow file',
    'mend the connections that point to nothing',
    'my workflow file is damaged, fix its structure',
  ],
  access: 'write',
  extra: true,
  annotations: editing('Repair workflow', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    dryRun: z.boolean().optional().describe('Only show the repairs'),
  }),
  output: z.object({ changed: z.boolean(), repairs: z.array(finding), workflowData }),

  async run({ workflowId, dryRun }, { services: { workflows } }) {
    if (dryRun) {
      const { workflow } = await workflows.load(workflowId);
      const repairs = repairWorkflow(workflow);
      return { changed: repairs.length > 0, repairs, workflowData: workflow };
    }
    const { workflow, result } = await workflows.edit(workflowId, 'workflow_repair', repairWorkflow);
    return { changed: result.length > 0, repairs: result, workflowData: workflow };
  },
});

import { z } from 'zod';
import { editing, finding, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';
import { repairWorkflow } from '../workflow/repair.ts';

export const workflowRepair = tool({
  name: 'workflow_repair',
  description:
    'Mends what is broken in the structure of a workflow file (connections by id or in flat lists, dangling connections, missing or doubled ids and names, bad positions, the old Start node) and says what it did.',
  access: 'write',
  extra: true,
  annotations: editing('Repair workflow', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    dryRun: z.boolean().default(false).describe('Only say what would be repaired'),
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

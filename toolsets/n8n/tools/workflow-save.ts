import { basename, isAbsolute } from 'node:path';
import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { unwrapped } from '../document/workflow/document.ts';
import { idText, type Workflow } from '../document/workflow/model.ts';
import { editing, givenWorkflow, remarks, warnings, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowSave = tool({
  name: 'workflow_save',
  description: 'Saves a workflow to the filesystem. An existing file keeps its formatting.',
  said: ['save the n8n workflow', 'write my changes to the workflow file', 'store this workflow under a new name'],
  access: 'write',
  annotations: editing('Save workflow', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Unique identifier for the workflow'),
    workflowData: givenWorkflow.describe('Complete workflow data to save'),
    filePath: quietLimits(z.string().min(1, 'filePath must not be empty').max(1000)).describe(
      'Filepath where the workflow should be saved',
    ),
  }),
  acknowledges: true,
  output: z.object({ filePath: z.string(), warnings }),

  async run({ workflowId, workflowData: data, filePath }, { services }) {
    const { workflow, notes } = identified(unwrapped(data) as Workflow, workflowId, filePath);
    const { place, created } = await services.workflows.save(filePath, 'workflow_save', workflow);
    const namesakes = created ? await services.workflows.othersWithId(idText(workflow), place.path) : [];
    if (namesakes.length > 0) notes.push(`${namesakes.join(', ')} has the same id: name these workflows by their paths`);
    return { filePath: isAbsolute(filePath) ? place.path : place.shown, ...remarks(notes) };
  },
});

/** The data says what the id is; data without one gets workflowId, unless that is only the workflow's path or name. */
function identified(workflow: Workflow, workflowId: string, filePath: string): { workflow: Workflow; notes: string[] } {
  const calledOtherwise = workflowId.endsWith('.json') || workflowId === workflow.name || workflowId === basename(filePath, '.json');
  if (workflow.id === undefined || workflow.id === null)
    return { workflow: calledOtherwise ? workflow : { ...workflow, id: workflowId }, notes: [] };
  const notes =
    idText(workflow) === workflowId || calledOtherwise
      ? []
      : [`workflowData has the id ${JSON.stringify(workflow.id)}: that is the workflow's id now`];
  return { workflow, notes };
}

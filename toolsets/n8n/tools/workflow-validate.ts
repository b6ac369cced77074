import { Failure } from '@millrace/kernel';
import { z } from 'zod';
import { unwrapped } from '../document/workflow/document.ts';
import { finding, type Workflow } from '../document/workflow/model.ts';
import { givenWorkflow, reading, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const workflowValidate = tool({
  name: 'workflow_validate',
  description:
    'Checks a workflow (workflowId or workflowData) as n8n does, and further. Errors are what n8n refuses or fails at; each has a fix.',
  said: ['check my n8n workflow for mistakes', 'is this workflow file valid', 'what is wrong with my automation before I deploy it'],
  access: 'read',
  annotations: reading('Validate workflow'),
  extra: true,
  input: z.strictObject({
    workflowId: workflowName.optional().describe('Workflow id or name'),
    workflowData: givenWorkflow.optional().describe('Whole workflow to check'),
  }),
  output: z.object({ valid: z.boolean(), errors: z.array(finding), warnings: z.array(finding) }),

  async run({ workflowId, workflowData }, { services: { workflows, validator } }) {
    if ((workflowId === undefined) === (workflowData === undefined)) {
      throw new Failure('invalid_input', 'Give either workflowId or workflowData', {
        details: { field: 'workflowId', constraint: 'one of two' },
      });
    }
    const workflow =
      workflowId === undefined ? (unwrapped(workflowData) as unknown as Workflow) : (await workflows.load(workflowId)).workflow;
    return validator.validate(workflow);
  },
});

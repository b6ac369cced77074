import { Failure } from '@millrace/kernel';
import { z } from 'zod';
import { finding, givenWorkflow, reading, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';
import { unwrapped } from '../workflow/document.ts';
import type { Workflow } from '../workflow/model.ts';

export const workflowValidate = tool({
  name: 'workflow_validate',
  description:
    "Checks a workflow by n8n's own rules and for what n8n lets pass: types, versions, parameters, values, connections, reachability. Give workflowId or workflowData. Errors are what n8n would refuse or fail at; each finding says how to mend it.",
  access: 'read',
  annotations: reading('Validate workflow'),
  extra: true,
  input: z.strictObject({
    workflowId: workflowName.optional().describe('ID, name or path of the workflow to check'),
    workflowData: givenWorkflow.optional().describe('A whole workflow to check, instead of a file'),
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

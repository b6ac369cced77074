import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { addNode, chooseType, unknownParameters } from '../document/workflow/addition.ts';
import { requireSound } from '../document/workflow/connections.ts';
import { idOf } from '../document/workflow/nodes.ts';
import { editing, parameters, position, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const nodeAdd = tool({
  name: 'node_add',
  description: 'Adds a node to an existing workflow. Connect it with connection_create.',
  said: ['add a node to my n8n workflow', 'put an http request into the workflow', 'insert a slack node after the trigger'],
  access: 'write',
  annotations: editing('Add node'),
  input: z.strictObject({
    workflowId: workflowName.describe('ID or path of the workflow to add the node to'),
    nodeType: quietLimits(z.string().trim().min(1, 'nodeType must not be empty').max(200)).describe(
      'Type of node to add (as found through node_search)',
    ),
    position: position.optional().describe('Position of the node in the workflow canvas'),
    parameters: parameters.optional().describe('Parameters for the node'),
  }),
  acknowledges: true,
  output: z.object({ nodeId: z.string(), workflowData: workflowData.optional(), warnings }),

  async run(input, { services: { workflows, catalogue } }) {
    const chosen = chooseType(input.nodeType, catalogue, await catalogue.ready());
    const given = input.parameters ?? {};
    const { workflow, result } = await workflows.edit(input.workflowId, 'node_add', (current) => {
      requireSound(current, input.workflowId);
      return addNode(current, { chosen, position: input.position, parameters: given }, catalogue);
    });
    return { nodeId: idOf(result), workflowData: workflow, ...remarks(unknownParameters(given, chosen.description)) };
  },
});

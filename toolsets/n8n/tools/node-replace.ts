import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { findType, unknownParameters } from '../document/workflow/addition.ts';
import { requireSound } from '../document/workflow/connections.ts';
import { engineMissing } from '../document/workflow/model.ts';
import { findNode, idOf } from '../document/workflow/nodes.ts';
import { replaceNode } from '../document/workflow/replacement.ts';
import { editing, nodeName, parameters, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const nodeReplace = tool({
  name: 'node_replace',
  description: 'Replaces an existing node in a workflow with a new node type. Keeps the parameters and connections that fit.',
  said: ['replace a node in the workflow', 'swap the email node for a slack node', 'use another trigger in this workflow'],
  access: 'write',
  annotations: editing('Replace node', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID or path of the workflow containing the node'),
    targetNodeId: nodeName.describe('ID of the node to replace'),
    newNodeType: quietLimits(z.string().trim().min(1, 'newNodeType must not be empty').max(200)).describe(
      'Type of the new node to replace with (as found through node_search)',
    ),
    parameters: parameters.optional().describe('Parameters for the new node'),
  }),
  acknowledges: true,
  output: z.object({
    nodeId: z.string(),
    workflowData: workflowData.optional(),
    compatibilityReport: z.object({ maintainedConnections: z.array(z.string()), removedConnections: z.array(z.string()) }).optional(),
    warnings,
  }),

  async run(input, { services: { workflows, catalogue } }) {
    const availability = await catalogue.ready();
    if (!availability.available) throw engineMissing('node_replace', availability);
    const description = findType(input.newNodeType, catalogue);
    const given = input.parameters ?? {};
    const { workflow, result } = await workflows.edit(input.workflowId, 'node_replace', (current) => {
      requireSound(current, input.workflowId);
      const node = findNode(current, input.targetNodeId);
      return { node, report: replaceNode(current, node, description, given, catalogue) };
    });
    return {
      nodeId: idOf(result.node),
      workflowData: workflow,
      compatibilityReport: result.report,
      ...remarks(unknownParameters(given, description)),
    };
  },
});

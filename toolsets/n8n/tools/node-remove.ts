import { z } from 'zod';
import { edgeInWords, removeEdges, requireSound } from '../document/workflow/connections.ts';
import { findNode, idOf } from '../document/workflow/nodes.ts';
import { referrersOf } from '../document/workflow/references.ts';
import { editing, nodeName, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const nodeRemove = tool({
  name: 'node_remove',
  description: 'Removes a node with its connections and pinned data.',
  said: ['remove a node from my workflow', 'delete the email step of the automation', 'take the wait node out again'],
  access: 'write',
  extra: true,
  annotations: editing('Remove node', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    nodeId: nodeName.describe('Node id or name'),
  }),
  acknowledges: true,
  output: z.object({
    nodeId: z.string(),
    removedConnections: z.array(z.string()),
    workflowData: workflowData.optional(),
    warnings,
  }),

  async run(input, { services: { workflows } }) {
    const { workflow, result } = await workflows.edit(input.workflowId, 'node_remove', (current) => {
      requireSound(current, input.workflowId);
      const node = findNode(current, input.nodeId);
      current.nodes = current.nodes.filter((other) => other !== node);
      // Another node of the same name keeps what is said by name.
      const isNameFree = current.nodes.every((other) => other.name !== node.name);
      const removed = isNameFree ? removeEdges(current, (edge) => edge.source === node.name || edge.target === node.name) : [];
      if (isNameFree && current.pinData && Object.hasOwn(current.pinData, node.name)) delete current.pinData[node.name];
      if (isNameFree && Object.hasOwn(current.connections, node.name)) delete current.connections[node.name];
      return { node, removed, referrers: isNameFree ? referrersOf(current, node.name) : [] };
    });
    const notes = result.referrers.map((name) => `${name} still refers to ${result.node.name} in an expression`);
    return {
      nodeId: idOf(result.node),
      removedConnections: result.removed.map((edge) => edgeInWords(edge)),
      workflowData: workflow,
      ...remarks(notes),
    };
  },
});

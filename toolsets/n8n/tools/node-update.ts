import { Failure } from '@millrace/kernel';
import { z } from 'zod';
import { editing, nodeName, parameters, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';
import { unknownParameters } from '../workflow/addition.ts';
import { requireSound } from '../workflow/connections.ts';
import { findNode, idOf } from '../workflow/nodes.ts';
import { renameNode } from '../workflow/rename.ts';

export const nodeUpdate = tool({
  name: 'node_update',
  description:
    'Changes a node: the given parameters replace those of the same name (null removes one), name renames it everywhere, expressions included, disabled switches it off or on.',
  access: 'write',
  extra: true,
  annotations: editing('Update node', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    nodeId: nodeName.describe('ID or name of the node'),
    parameters: parameters.optional().describe('Parameters to set'),
    name: z.string().trim().min(1, 'name must not be empty').max(200).optional().describe('New name of the node'),
    disabled: z.boolean().optional().describe('Whether n8n skips the node'),
  }),
  output: z.object({ success: z.boolean(), nodeId: z.string(), workflowData: workflowData.optional(), warnings }),

  async run(input, { services: { workflows, catalogue } }) {
    if (input.parameters === undefined && input.name === undefined && input.disabled === undefined) {
      throw new Failure('invalid_input', 'Nothing to update: give parameters, name or disabled', { details: { field: 'parameters' } });
    }
    await catalogue.ready();
    const { workflow, result: node } = await workflows.edit(input.workflowId, 'node_update', (current) => {
      requireSound(current, input.workflowId);
      const found = findNode(current, input.nodeId);
      if (input.parameters) found.parameters = merged(found.parameters ?? {}, input.parameters);
      if (input.disabled === true) found.disabled = true;
      if (input.disabled === false) delete found.disabled;
      if (input.name !== undefined) renameNode(current, found, input.name);
      return found;
    });
    const given = Object.fromEntries(Object.entries(input.parameters ?? {}).filter(([, value]) => value !== null));
    const notes = unknownParameters(given, catalogue.get(node.type, node.typeVersion));
    return { success: true, nodeId: idOf(node), workflowData: workflow, ...remarks(notes) };
  },
});

function merged(current: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...current, ...given }).filter(([name]) => given[name] !== null || !Object.hasOwn(given, name)),
  );
}

import { Failure } from '@millrace/kernel';
import { z } from 'zod';
import { editing, nodeName, parameters, position, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';
import { unknownParameters } from '../workflow/addition.ts';
import { requireSound } from '../workflow/connections.ts';
import { changeSettings, type NodeSettings, requireVersion, strayConnections } from '../workflow/node-settings.ts';
import { findNode, idOf } from '../workflow/nodes.ts';
import { renameNode } from '../workflow/rename.ts';

const switched = (what: string) => z.boolean().optional().describe(what);

export const nodeUpdate = tool({
  name: 'node_update',
  description:
    'Changes a node: the given parameters replace those of the same name (null removes one), name renames it everywhere, expressions included; the rest are the settings that n8n has for every node.',
  access: 'write',
  extra: true,
  annotations: editing('Update node', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID, name or path of the workflow'),
    nodeId: nodeName.describe('ID or name of the node'),
    parameters: parameters.optional().describe('Parameters to set'),
    name: z.string().trim().min(1, 'name must not be empty').max(200).optional().describe('New name of the node'),
    disabled: switched('Whether n8n skips the node'),
    position: position.optional().describe('Where the node stands on the canvas'),
    onError: z
      .enum(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'])
      .optional()
      .describe('What happens when the node fails; continueErrorOutput gives it an output "error"'),
    retryOnFail: switched('Whether it is tried again when it fails'),
    maxTries: z.int().min(2).max(5).optional().describe('How often it is tried'),
    waitBetweenTries: z.int().min(0).max(5000).optional().describe('Milliseconds between two tries'),
    alwaysOutputData: switched('Whether it gives an empty item where it would give none'),
    executeOnce: switched('Whether it runs for the first item alone'),
    notes: z.string().max(10_000).optional().describe('A note on the node; empty removes it'),
    notesInFlow: switched('Whether the note is shown on the canvas'),
    credentials: z
      .record(z.string(), z.object({ id: z.string().nullable().default(null), name: z.string().min(1).max(200) }).nullable())
      .optional()
      .describe('Credentials of the instance by their type, such as {"slackApi": {"id": "1", "name": "Slack"}}; null removes one'),
    typeVersion: z.number().positive().optional().describe('Version of the node type'),
  }),
  output: z.object({ success: z.boolean(), nodeId: z.string(), workflowData: workflowData.optional(), warnings }),

  async run(input, { services: { workflows, catalogue } }) {
    const { workflowId, nodeId, parameters: given, name, typeVersion, ...settings } = input;
    if (Object.keys(input).length <= 2) {
      throw new Failure('invalid_input', 'Nothing to update: give parameters, name, disabled, onError or another setting', {
        details: { field: 'parameters' },
      });
    }
    await catalogue.ready();
    const { workflow, result } = await workflows.edit(workflowId, 'node_update', (current) => {
      requireSound(current, workflowId);
      const node = findNode(current, nodeId);
      if (typeVersion !== undefined) {
        requireVersion(node, typeVersion, catalogue);
        node.typeVersion = typeVersion;
      }
      if (given) node.parameters = merged(node.parameters ?? {}, given);
      changeSettings(node, settings as NodeSettings);
      if (name !== undefined) renameNode(current, node, name);
      return { node, notes: strayConnections(current, node, catalogue) };
    });
    const { node } = result;
    const set = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
    const notes = [...unknownParameters(set, catalogue.get(node.type, node.typeVersion)), ...result.notes];
    return { success: true, nodeId: idOf(node), workflowData: workflow, ...remarks(notes) };
  },
});

function merged(current: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...current, ...given }).filter(([name]) => given[name] !== null || !Object.hasOwn(given, name)),
  );
}

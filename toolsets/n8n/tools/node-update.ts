import { Failure, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { unknownParameters } from '../document/workflow/addition.ts';
import { requireSound } from '../document/workflow/connections.ts';
import { changeSettings, type NodeSettings, requireVersion, strayConnections } from '../document/workflow/node-settings.ts';
import { findNode, idOf } from '../document/workflow/nodes.ts';
import { renameNode } from '../document/workflow/references.ts';
import { editing, nodeName, parameters, position, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../tool.ts';

const switched = (what: string) => z.boolean().optional().describe(what);

export const nodeUpdate = tool({
  name: 'node_update',
  description: 'Changes a node: parameters (null removes one), its name everywhere, and the options that n8n nodes have.',
  said: [
    'change the settings of a node in my workflow',
    'set the url of the http request node',
    'edit the message that the slack node sends',
  ],
  access: 'write',
  extra: true,
  annotations: editing('Update node', { destructive: true, idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    nodeId: nodeName.describe('Node id or name'),
    parameters: parameters.optional().describe('Parameters to set'),
    name: quietLimits(z.string().trim().min(1, 'name must not be empty').max(200)).optional().describe('New name'),
    disabled: switched('Skip the node'),
    position: position.optional().describe('Position on the canvas'),
    onError: z.enum(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']).optional().describe('What to do on failure'),
    retryOnFail: switched('Retry when it fails'),
    maxTries: z.int().min(2).max(5).optional().describe('Number of tries'),
    waitBetweenTries: z.int().min(0).max(5000).optional().describe('Milliseconds'),
    alwaysOutputData: switched('Output at least an empty item'),
    executeOnce: switched('First item only'),
    notes: quietLimits(z.string().max(10_000)).optional().describe('Empty removes them'),
    notesInFlow: switched('Show the notes'),
    credentials: z
      .record(z.string(), z.object({ id: z.string().nullable().default(null), name: z.string().min(1).max(200) }).nullable())
      .optional()
      .describe('{"<type>": {"id", "name"}}; null removes one'),
    typeVersion: quietLimits(z.number().positive()).optional().describe('Version of the node type'),
  }),
  acknowledges: true,
  output: z.object({ nodeId: z.string(), workflowData: workflowData.optional(), warnings }),

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
    return { nodeId: idOf(node), workflowData: workflow, ...remarks(notes) };
  },
});

function merged(current: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...current, ...given }).filter(([name]) => given[name] !== null || !Object.hasOwn(given, name)),
  );
}

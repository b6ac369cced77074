import { Failure, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { unknownParameters } from '../document/workflow/addition.ts';
import { edgeInWords, edgesOf, requireSound, sameSlot } from '../document/workflow/connections.ts';
import type { NodeCatalogue, Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { findNode, idOf } from '../document/workflow/nodes.ts';
import { renameNode } from '../document/workflow/references.ts';
import { editing, nodeName, parameters, position, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

const switched = (what: string) => z.boolean().optional().describe(what);

const input = z.strictObject({
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
});

/** What n8n keeps of every node, whatever its type. */
type NodeSettings = Omit<z.output<typeof input>, 'workflowId' | 'nodeId' | 'parameters' | 'name' | 'typeVersion'>;

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
  input,
  acknowledges: true,
  output: z.object({ nodeId: z.string(), workflowData: workflowData.optional(), warnings }),

  async run({ workflowId, nodeId, parameters: given, name, typeVersion, ...settings }, { services: { workflows, catalogue } }) {
    if (given === undefined && name === undefined && typeVersion === undefined && Object.keys(settings).length === 0) {
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
      changeSettings(node, settings);
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

/** Sets what is given. What n8n takes for granted is left out of the file, as its editor does. */
function changeSettings(node: WorkflowNode, { position: place, credentials, ...plain }: NodeSettings): void {
  if (place) node.position = [place.x, place.y];
  if (credentials) changeCredentials(node, credentials);
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined) continue;
    if (value === false || value === '' || value === 'stopWorkflow') delete node[name];
    else node[name] = value;
  }
  // The older spelling of the same thing would contradict it.
  if (plain.onError !== undefined) delete node['continueOnFail'];
}

function changeCredentials(node: WorkflowNode, given: NonNullable<NodeSettings['credentials']>): void {
  const kept = Object.entries({ ...node.credentials, ...given }).filter(([, credential]) => credential !== null);
  if (kept.length > 0) node.credentials = Object.fromEntries(kept);
  else delete node.credentials;
}

/** n8n takes a file with a version that it does not have, and then cannot run it. */
function requireVersion(node: WorkflowNode, version: number, catalogue: NodeCatalogue): void {
  const newest = catalogue.newestVersion(node.type);
  if (newest === undefined || catalogue.get(node.type, version)) return;
  throw new Failure('invalid_input', `${node.type} has no version ${version}; the newest is ${newest}`, {
    details: { field: 'typeVersion', newest },
    fix: { instruction: `Use ${newest}`, example: { typeVersion: newest } },
  });
}

/** Connections that leave from an output which the node has no longer. */
function strayConnections(workflow: Workflow, node: WorkflowNode, catalogue: NodeCatalogue): string[] {
  const outputs = catalogue.outputsOf(node);
  if (!outputs || outputs.length === 0) return [];
  return edgesOf(workflow)
    .filter((edge) => edge.source === node.name && !outputs.some((port) => sameSlot(port, edge.output)))
    .map((edge) => `${edgeInWords(edge)} leaves from an output that ${node.name} does not have: remove it with connection_remove`);
}

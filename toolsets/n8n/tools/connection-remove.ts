import { brief, Failure } from '@millrace/kernel';
import { z } from 'zod';
import {
  type Edge,
  edgeInWords,
  edgesOf,
  removeEdges,
  requireSound,
  type Slot,
  sameEdge,
  sameSlot,
} from '../document/workflow/connections.ts';
import type { NodeCatalogue, Workflow, WorkflowNode } from '../document/workflow/model.ts';
import { findNode } from '../document/workflow/nodes.ts';
import { find, portsOf, type Side } from '../document/workflow/ports.ts';
import { editing, nodeName, portName, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';
import { connection, published } from './connection-create.ts';

export const connectionRemove = tool({
  name: 'connection_remove',
  description: 'Removes a connection between two nodes. Name the ports if there are several.',
  said: [
    'disconnect two nodes of the workflow',
    'cut the link between the trigger and the email node',
    'remove the connection to the second branch',
  ],
  access: 'write',
  extra: true,
  annotations: editing('Disconnect nodes', { destructive: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('Workflow id or name'),
    sourceNodeId: nodeName.describe('Source node'),
    targetNodeId: nodeName.describe('Target node'),
    sourceOutput: portName.optional().describe('Its output'),
    targetInput: portName.optional().describe('Its input'),
  }),
  acknowledges: true,
  output: z.object({ connection: brief(connection), workflowData: workflowData.optional() }),

  async run(input, { services: { workflows, catalogue } }) {
    await catalogue.ready();
    const { workflow, result } = await workflows.edit(input.workflowId, 'connection_remove', (current) => {
      requireSound(current, input.workflowId);
      const [source, target] = [findNode(current, input.sourceNodeId), findNode(current, input.targetNodeId)];
      const edge = theOne(current, source, target, input, catalogue);
      removeEdges(current, (other) => sameEdge(other, edge));
      return published(source, target, edge, input);
    });
    return { connection: result, workflowData: workflow };
  },
});

/** The connection that is meant: named ports narrow down what there is between the two. */
function theOne(
  workflow: Workflow,
  source: WorkflowNode,
  target: WorkflowNode,
  named: { sourceOutput?: string | undefined; targetInput?: string | undefined },
  catalogue: NodeCatalogue,
): Edge {
  const between = edgesOf(workflow).filter((edge) => edge.source === source.name && edge.target === target.name);
  const isMeant = (node: WorkflowNode, side: Side, port: string | undefined) => {
    const found = port === undefined ? undefined : find(portsOf(node, side, catalogue), port);
    return (slot: Slot) => port === undefined || (found !== undefined && sameSlot(found, slot));
  };
  const isOutput = isMeant(source, 'output', named.sourceOutput);
  const isInput = isMeant(target, 'input', named.targetInput);
  const matches = between.filter((edge) => isOutput(edge.output) && isInput(edge.input));
  const [edge, another] = matches;
  if (edge && (!another || matches.every((match) => sameEdge(match, edge)))) return edge;
  const connections = between.map((each) => edgeInWords(each));
  if (edge) {
    throw new Failure(
      'conflict',
      `${source.name} and ${target.name} are connected ${matches.length} times: say which by sourceOutput and targetInput`,
      { details: { connections } },
    );
  }
  throw new Failure('not_found', `There is no such connection from ${source.name} to ${target.name}`, { details: { connections } });
}

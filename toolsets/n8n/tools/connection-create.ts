import { z } from 'zod';
import { chooseConnection } from '../document/workflow/choose-connection.ts';
import { addEdge, type Edge, requireSound } from '../document/workflow/connections.ts';
import type { WorkflowNode } from '../document/workflow/model.ts';
import { findNode, idOf } from '../document/workflow/nodes.ts';
import { editing, nodeName, portName, remarks, warnings, workflowData, workflowName } from '../schema.ts';
import { tool } from '../services.ts';

export const connection = z.object({
  sourceNodeId: z.string(),
  targetNodeId: z.string(),
  sourceOutput: z.string(),
  targetInput: z.string(),
  sourceIndex: z.number(),
  targetIndex: z.number(),
});

type Ports = Partial<Record<'sourceOutput' | 'targetInput', string | undefined>>;

/** A connection as it is published; the ports are called what the caller called them. */
export function published(source: WorkflowNode, target: WorkflowNode, edge: Edge, called: Ports): z.output<typeof connection> {
  return {
    sourceNodeId: idOf(source),
    targetNodeId: idOf(target),
    sourceOutput: called.sourceOutput ?? edge.output.type,
    targetInput: called.targetInput ?? edge.input.type,
    sourceIndex: edge.output.index,
    targetIndex: edge.input.index,
  };
}

export const connectionCreate = tool({
  name: 'connection_create',
  description:
    "Creates a connection between two nodes in a workflow. Ports have n8n's names: true, false, a Switch rule, error, ai_tool; main[1] is the second. A model, memory or tool is the source, its agent the target.",
  said: ['connect two nodes in my workflow', 'link the trigger to the email node', 'wire the output of one node to another'],
  access: 'write',
  annotations: editing('Connect nodes', { idempotent: true }),
  input: z.strictObject({
    workflowId: workflowName.describe('ID or path of the workflow to modify'),
    sourceNodeId: nodeName.describe('ID of the source node'),
    targetNodeId: nodeName.describe('ID of the target node'),
    sourceOutput: portName.optional().describe("Output name on source node (default: 'main')"),
    targetInput: portName.optional().describe("Input name on target node (default: 'main')"),
  }),
  acknowledges: true,
  output: z.object({ connection, workflowData: workflowData.optional(), warnings }),

  async run(input, { services: { workflows, catalogue } }) {
    await catalogue.ready();
    const { workflow, result, changed } = await workflows.edit(input.workflowId, 'connection_create', (current) => {
      requireSound(current, input.workflowId);
      const [source, target] = [findNode(current, input.sourceNodeId), findNode(current, input.targetNodeId)];
      const { edge, notes } = chooseConnection(current, { ...input, source, target }, catalogue);
      addEdge(current, edge);
      return { connection: published(source, target, edge, input), notes };
    });
    return {
      connection: result.connection,
      workflowData: workflow,
      ...remarks(changed ? result.notes : [...result.notes, 'The two were connected like this already']),
    };
  },
});

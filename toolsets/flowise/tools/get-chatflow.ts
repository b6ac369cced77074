import { z } from 'zod';
import { readNode, savedFlow } from '../flow/flow.ts';
import { thin } from '../flow/thin.ts';
import { chatflowDetails, chatflowId } from '../schema.ts';
import { tool } from '../services.ts';

export const getChatflow = tool({
  name: 'get_chatflow',
  description: 'Get detailed chatflow information including workflow structure. format thin is short, for editing.',
  said: [
    'show me the details of one chatflow',
    'what nodes does this chatflow have',
    'open the support bot flow',
    'look at how that chatflow is configured',
  ],
  access: 'read',
  annotations: { title: 'Get chatflow', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Unique chatflow identifier'),
    format: z.enum(['full', 'thin']).default('full').describe('Form of flowData'),
  }),
  output: chatflowDetails,

  async run({ chatflow_id, format }, { services, signal }) {
    const { id, name, type, deployed, flowData, createdDate, updatedDate } = await services.flowise.get(chatflow_id, { signal });
    const flow = format === 'thin' ? savedFlow(flowData) : undefined;
    const definitions = flow && (await services.nodes.definitions(flow.nodes.map((node) => readNode(node).name)));
    return {
      id,
      name,
      type,
      deployed,
      flowData: flow && definitions ? JSON.stringify(thin(flow, definitions)) : flowData,
      ...(createdDate && { createdDate }),
      ...(updatedDate && { updatedDate }),
    };
  },
});

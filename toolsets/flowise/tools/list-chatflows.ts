import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { chatflowType, listed, listedChatflow } from '../schema.ts';
import { tool } from '../services.ts';

const DEFAULT_PAGE_SIZE = 50;

export const listChatflows = tool({
  name: 'list_chatflows',
  description: 'List all available Flowise chatflows with their metadata.',
  said: [
    'list the chatflows of flowise',
    'which chatbots do we have in flowise',
    'show me all agents on our flowise server',
    'what flows are deployed',
  ],
  access: 'read',
  annotations: { title: 'List chatflows', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    name: quietLimits(z.string().min(1)).optional().describe('Part of the name'),
    type: chatflowType.optional().describe('Only this type'),
    page: quietLimits(z.int().min(1)).optional().describe('Page, from 1'),
    limit: quietLimits(z.int().min(1).max(1000)).optional().describe('Chatflows per page'),
  }),
  output: z.array(listedChatflow),

  async run({ name, type, page, limit }, { services, signal }) {
    const paged = page !== undefined || limit !== undefined;
    const window = { page: page ?? 1, limit: limit ?? DEFAULT_PAGE_SIZE };
    const narrowed = name !== undefined || type !== undefined;
    const chatflows = await services.flowise.list({ signal }, paged && !narrowed ? window : undefined);
    const wanted = name?.toLowerCase();
    const matching = chatflows.filter(
      (chatflow) =>
        (wanted === undefined || chatflow.name.toLowerCase().includes(wanted)) && (type === undefined || chatflow.type === type),
    );
    const shown = paged && narrowed ? matching.slice((window.page - 1) * window.limit, window.page * window.limit) : matching;
    return shown.map(listed);
  },
});

import { z } from 'zod';
import { chatflowType, listed, listedChatflow } from '../schema.ts';
import { tool } from '../tool.ts';

const DEFAULT_PAGE_SIZE = 50;

export const listChatflows = tool({
  name: 'list_chatflows',
  description:
    'List all available Flowise chatflows with their metadata. Without arguments every chatflow is listed; name, type, page and limit narrow the list. flowData is left out: get_chatflow has it.',
  access: 'read',
  annotations: { title: 'List chatflows', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    name: z.string().min(1).optional().describe('Only chatflows whose name contains this, in any case'),
    type: chatflowType.optional().describe('Only chatflows of this type'),
    page: z.int().min(1).optional().describe('The page to show, from 1'),
    limit: z.int().min(1).max(1000).optional().describe('Chatflows on a page (default 50 when page is given)'),
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

import { z } from 'zod';
import { chatflowId } from '../schema.ts';
import { tool } from '../services.ts';

export const deleteChatflow = tool({
  name: 'delete_chatflow',
  description: 'Permanently delete a chatflow from Flowise, with its chats. restore_chatflow recreates the flow.',
  said: ['delete a chatflow from flowise', 'remove the old chatbot for good', 'get rid of this chatflow'],
  access: 'write',
  annotations: { title: 'Delete chatflow', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({ chatflow_id: chatflowId.describe('Chatflow to delete') }),
  output: z.object({
    message: z.string().describe('Confirmation message'),
    deleted_id: z.string().describe('ID of deleted chatflow'),
  }),

  async run({ chatflow_id }, { services, signal, user }) {
    await services.backups.keep(await services.flowise.get(chatflow_id, { signal }), 'delete', user.id);
    await services.flowise.delete(chatflow_id, { signal });
    return { message: 'Chatflow deleted successfully', deleted_id: chatflow_id };
  },
});

import { z } from 'zod';
import { todoDeletion, userMessage } from '../schema.ts';
import { sayDeleted } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../tool.ts';

export const deleteTodo = tool({
  name: 'delete_todo',
  description: 'Delete one todo. It is archived: update_todo with status "open" restores it.',
  access: 'write',
  annotations: { title: 'Delete todo', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: todoDeletion,
  output: z.object({ deleted_id: z.string(), user_message: userMessage }),

  async run({ id }, { services: { todos }, user, signal }) {
    const { before, after } = await todos.update(user.id, id, { status: 'archived' }, signal);
    return { deleted_id: after.id, user_message: sayDeleted(before, after) };
  },
});

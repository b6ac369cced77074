import { z } from 'zod';
import { todoDeletion } from '../schema.ts';
import { sayDeleted } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../services.ts';

export const deleteTodo = tool({
  name: 'delete_todo',
  description: 'Delete one todo. It is archived: update_todo with status "open" restores it.',
  said: [
    'delete the todo about the dentist',
    'remove buy milk from my list',
    'I no longer need that task, take it off',
    'get rid of this todo',
    'throw the last task away',
  ],
  access: 'write',
  annotations: { title: 'Delete todo', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: todoDeletion,
  output: z.object({ deleted_id: z.string() }),
  phrases: { failed: 'Failed to delete todo', doing: 'deleting that todo', toDo: 'delete that todo' },

  run: ({ id }, { services: { todos }, user, signal }) => todos.update(user.id, id, { status: 'archived' }, signal),

  present: ({ before, after }) => ({ data: { deleted_id: after.id }, words: sayDeleted(before, after) }),
});

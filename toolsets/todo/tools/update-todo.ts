import { z } from 'zod';
import { todo, todoChange, userMessage } from '../schema.ts';
import { sayUpdated } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../tool.ts';

const NO_DATE = /^(none|never|no date)?$/i;

export const updateTodo = tool({
  name: 'update_todo',
  description: 'Change one todo. status "completed" marks it done, "open" restores a deleted one.',
  access: 'write',
  annotations: { title: 'Update todo', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: todoChange,
  output: z.object({ todo, user_message: userMessage }),

  async run({ id, due, ...edit }, { services: { todos, calendar }, user, signal }) {
    const dueAt = due === undefined ? undefined : NO_DATE.test(due) ? null : await calendar.read(due, 'due');
    const { before, after } = await todos.update(user.id, id, { ...edit, dueAt }, signal);
    return { todo: after, user_message: sayUpdated(before, after, calendar) };
  },
});

import { z } from 'zod';
import { newTodo, todo, userMessage } from '../schema.ts';
import { sayAdded } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../tool.ts';

export const createTodo = tool({
  name: 'create_todo',
  description: 'Create a new todo item for the signed-in user.',
  access: 'write',
  annotations: { title: 'Create todo', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: newTodo,
  output: z.object({ todo, user_message: userMessage }),

  async run({ due, ...content }, { services: { todos, calendar }, user, signal }) {
    const dueAt = due ? await calendar.read(due, 'due') : undefined;
    const [created] = await todos.create(user.id, [{ ...content, dueAt }], signal);
    if (!created) throw new Error('a todo was stored but not returned');
    return { todo: created, user_message: sayAdded(created, calendar) };
  },
});

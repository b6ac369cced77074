import { z } from 'zod';
import { newTodo, todo } from '../schema.ts';
import { sayAdded } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../services.ts';

export const createTodo = tool({
  name: 'create_todo',
  description: 'Create a new todo item for the signed-in user.',
  said: [
    'add buy milk to my todo list',
    'put calling the dentist on my list',
    'remember that I have to pay the rent on friday',
    'create a task to renew my passport',
    'I need to do the laundry tomorrow, note it down',
    'new todo, finish the report',
  ],
  access: 'write',
  annotations: { title: 'Create todo', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: newTodo,
  output: z.object({ todo }),
  phrases: { failed: 'Failed to create todo', doing: 'adding that todo', toDo: 'add that todo' },

  async run({ due, ...content }, { services: { todos, calendar }, user, signal }) {
    const dueAt = due ? await calendar.read(due, 'due') : undefined;
    const [created] = await todos.create(user.id, [{ ...content, dueAt }], signal);
    if (!created) throw new Error('a todo was stored but not returned');
    return { todo: created };
  },

  present: (data, { services: { calendar } }) => ({ data, words: sayAdded(data.todo, calendar) }),
});

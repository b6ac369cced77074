import { z } from 'zod';
import { todo, todoChange } from '../schema.ts';
import { sayUpdated } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../services.ts';

const NO_DATE = /^(none|never|no date)?$/i;

export const updateTodo = tool({
  name: 'update_todo',
  description: 'Change one todo. status "completed" marks it done, "open" restores a deleted one.',
  said: [
    'mark my task as done',
    'I have finished the report, tick it off',
    'change the due date of my todo to monday',
    'rename the task about the car',
    'make that todo high priority',
    'reopen the todo I completed by mistake',
  ],
  access: 'write',
  annotations: { title: 'Update todo', readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  deadlineMs: DEADLINE_MS,
  input: todoChange,
  output: z.object({ todo }),
  phrases: { failed: 'Failed to update todo', doing: 'updating that todo', toDo: 'update that todo' },

  async run({ id, due, ...edit }, { services: { todos, calendar }, user, signal }) {
    const dueAt = due === undefined ? undefined : NO_DATE.test(due) ? null : await calendar.read(due, 'due');
    return todos.update(user.id, id, { ...edit, dueAt }, signal);
  },

  present: ({ before, after }, { services: { calendar } }) => ({ data: { todo: after }, words: sayUpdated(before, after, calendar) }),
});

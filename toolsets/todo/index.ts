import type { Clock, Settings, Toolset } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { z } from 'zod';
import { Calendar } from './calendar/calendar.ts';
import type { TodoTables } from './store/migrations.ts';
import { Todos } from './store/todos.ts';
import type { TodoServices } from './tool.ts';
import { createTodo } from './tools/create-todo.ts';
import { createTodos } from './tools/create-todos.ts';
import { deleteTodo } from './tools/delete-todo.ts';
import { readTodos } from './tools/read-todos.ts';
import { updateTodo } from './tools/update-todo.ts';
import { todoWire } from './wire.ts';

export { type TodoTables, todoMigrations } from './store/migrations.ts';

export interface TodoOptions {
  store: Store<TodoTables>;
  clock: Clock;
  /** Where "friday 5pm" is meant: an IANA name, the server's own time zone when not given. */
  timeZone?: string | undefined;
}

export const todoSettings = {
  schema: z.strictObject({
    timeZone: z
      .string()
      .refine(isTimeZone, { error: 'Not a time zone; use a name such as Europe/Berlin' })
      .optional()
      .describe('The time zone that due dates are meant in, such as Europe/Berlin; the one of the machine when not set'),
  }),
  environment: { timeZone: 'MILLRACE_TIME_ZONE' },
} satisfies Settings;

export function todoToolset({ store, clock, timeZone }: TodoOptions): Toolset<TodoServices> {
  return {
    name: 'todo',
    title: 'Todos',
    instructions:
      'Todos belong to the signed-in user. Find a todo with read_todos before you change it, and pass its id on. user_message is a sentence to tell the person.',
    tools: [createTodo, readTodos, updateTodo, deleteTodo, createTodos],
    wire: todoWire,
    services: { todos: new Todos(store, clock), calendar: new Calendar(clock, timeZone) },
    async checks() {
      const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
      return [{ name: 'Todo time zone', state: 'ok', detail: zone }];
    },
  };
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

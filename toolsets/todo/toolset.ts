import type { Clock, Toolset } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { Calendar } from './calendar/calendar.ts';
import type { TodoTables } from './migrations.ts';
import type { TodoServices } from './services.ts';
import { Todos } from './store/todos.ts';
import { createTodo } from './tools/create-todo.ts';
import { createTodos } from './tools/create-todos.ts';
import { deleteTodo } from './tools/delete-todo.ts';
import { readTodos } from './tools/read-todos.ts';
import { updateTodo } from './tools/update-todo.ts';
import { todoWire } from './wire.ts';

export interface TodoOptions {
  store: Store<TodoTables>;
  clock: Clock;
  /** Where "friday 5pm" is meant: an IANA name, the server's own time zone when not given. */
  timeZone?: string | undefined;
}

export function todoToolset({ store, clock, timeZone }: TodoOptions): Toolset<TodoServices> {
  const calendar = new Calendar(clock, timeZone);
  return {
    name: 'todo',
    title: 'Todos',
    instructions:
      'Todos belong to the signed-in user. Find a todo with read_todos before you change it, and pass its id on. user_message is a sentence to tell the person.',
    tools: [createTodo, readTodos, updateTodo, deleteTodo, createTodos],
    wire: todoWire,
    services: { todos: new Todos(store, clock), calendar },
    whatThereIs: 'Say "show my todos" to see what is there.',
    get timeZone() {
      return calendar.timeZone;
    },
    checks: async () => [{ name: 'Todo time zone', state: 'ok', detail: calendar.timeZone }],
  };
}

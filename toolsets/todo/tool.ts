import { toolsOf } from '@millrace/kernel';
import type { Calendar } from './calendar/calendar.ts';
import type { Todos } from './store/todos.ts';

export interface TodoServices {
  todos: Todos;
  calendar: Calendar;
}

export const tool = toolsOf<TodoServices>();

/** The contract's: a call that takes longer is stopped. */
export const DEADLINE_MS = 5_000;

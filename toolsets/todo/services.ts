import type { ToolDefinition } from '@millrace/kernel';
import type { z } from 'zod';
import type { Calendar } from './calendar/calendar.ts';
import type { Todos } from './store/todos.ts';

export interface TodoServices {
  todos: Todos;
  calendar: Calendar;
}

/** What a tool does, for the sentences about a call that failed. */
interface Phrases {
  /** Published: "Failed to create todo". */
  failed: string;
  /** "I'm having trouble adding that todo." */
  doing: string;
  /** "I couldn't add that todo." */
  toDo: string;
}

export type TodoTool<Input extends z.ZodObject, Output extends z.ZodType, Result> = ToolDefinition<TodoServices, Input, Output, Result> &
  Required<Pick<ToolDefinition<TodoServices, Input, Output, Result>, 'present'>> & { phrases: Phrases };

/** A tool whose reply speaks, also when it fails. */
export function tool<Input extends z.ZodObject, Output extends z.ZodType, Result>(
  definition: TodoTool<Input, Output, Result>,
): TodoTool<Input, Output, Result> {
  return definition;
}

/** The contract's: a call that takes longer is stopped. */
export const DEADLINE_MS = 5_000;

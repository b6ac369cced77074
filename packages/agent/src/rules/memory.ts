import type { Prompt } from '../chat-model.ts';
import type { Change, Filter, NewTodo, Priority, Status } from './intents.ts';

/** A todo as a tool returns it. */
export interface Todo {
  id: string;
  title: string;
  description?: string;
  status: Status;
  priority: Priority;
  due_at?: string;
  tags?: string[];
  created_at?: string;
}

export interface PlannedCall {
  tool: string;
  parameters: Record<string, unknown>;
}

/** A question that waits for its answer. */
export type Pending =
  | { ask: 'confirm'; change: Change; todos: Todo[] }
  | { ask: 'which'; change: Change; todos: Todo[] }
  | { ask: 'what'; todos: Todo[] }
  | { ask: 'create'; todos: NewTodo[] }
  | { ask: 'title'; rest: Omit<NewTodo, 'title'> };

/** What the conversation was last about. It is stored with the answers, so a conversation continues after a restart. */
export interface Memory {
  /** The numbered list that was shown last, in its order: numbers mean its entries. */
  list: Todo[];
  /** The query of that list, for "more". */
  shown?: { filter: Filter; total: number; about: string } | undefined;
  /** Read after that list without being shown with numbers: "them", but never "number 2". */
  counted?: Todo[] | undefined;
  /** The todos that the last answer was about. */
  focus: Todo[];
  pending?: Pending;
  /** The calls that undo what was done, latest last. */
  undo: PlannedCall[][];
  /** What the last message did, and whether a tool failed. */
  last?: { did: string; text: string; failed: boolean; change?: Change };
}

export const EMPTY_MEMORY: Memory = { list: [], focus: [], undo: [] };

/** The todos that "them" may mean: the last ones read, shown or not. */
export function lastRead({ counted, list }: Memory): Todo[] {
  return counted ?? list;
}

const MOST_LISTED = 1000;
const MOST_IN_FOCUS = 100;
const MOST_UNDONE = 10;

/** Limited in size, and without long texts. */
export function kept(memory: Memory): Memory {
  return {
    ...memory,
    list: memory.list.slice(0, MOST_LISTED).map(withoutDescription),
    focus: memory.focus.slice(0, MOST_IN_FOCUS).map(withoutDescription),
    ...(memory.counted && { counted: memory.counted.slice(0, MOST_IN_FOCUS).map(withoutDescription) }),
    undo: memory.undo.slice(-MOST_UNDONE),
  };
}

function withoutDescription({ id, title, status, priority, due_at, tags, created_at }: Todo): Todo {
  return { id, title, status, priority, ...(due_at && { due_at }), ...(tags && { tags }), ...(created_at && { created_at }) };
}

export function toMetadata(memory: Memory): Record<string, never> {
  return { memory: kept(memory) } as never;
}

/** What is known from the messages so far: the last answer's memory, and what tools answered since. */
export function memoryIn(messages: Prompt): Memory {
  let memory = EMPTY_MEMORY;
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const part of message.content) {
        const { memory: remembered } = (part as { providerOptions?: { millrace?: { memory?: Memory } } }).providerOptions?.millrace ?? {};
        if (remembered) memory = remembered;
      }
    } else if (message.role === 'tool') {
      for (const part of message.content)
        if (part.type === 'tool-result') memory = afterResult(memory, (part.output as { value?: unknown }).value);
    }
  }
  return memory;
}

/** For answers of another model, or interrupted ones: what its tools returned was talked about, but perhaps not shown with numbers. */
function afterResult(memory: Memory, value: unknown): Memory {
  const { success, todo, todos } = (value ?? {}) as { success?: unknown; todo?: Todo; todos?: Todo[] };
  if (success !== true) return memory;
  const { pending: _pending, ...rest } = memory;
  if (isTodo(todo)) return { ...rest, focus: [todo] };
  if (Array.isArray(todos) && todos.every(isTodo))
    return { ...rest, list: [], shown: undefined, counted: todos, focus: todos.length === 1 ? todos : [] };
  return memory;
}

function isTodo(value: unknown): value is Todo {
  const { id, title, status } = (value ?? {}) as Partial<Todo>;
  return typeof id === 'string' && typeof title === 'string' && typeof status === 'string';
}

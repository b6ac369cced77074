import { brief, Failure, inputJsonSchema, type JsonSchema } from '@millrace/kernel';
import { z } from 'zod';
import type { Calendar } from '../calendar/calendar.ts';
import { newTodo, todo } from '../schema.ts';
import { sayAddedMany } from '../sentences.ts';
import { DEADLINE_MS, tool } from '../services.ts';
import type { TodoContent } from '../store/todos.ts';

const MAX_BATCH = 100;
/** As create_todo takes them, and described there. */
const itemSchema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(newTodo.shape).map(([name, argument]) => [name, withoutWords(inputJsonSchema(argument))])),
  required: ['title'],
};

const failed = brief(z.object({ index: z.int(), error: z.string() }));
type Failed = z.output<typeof failed>;

export const createTodos = tool({
  name: 'create_todos',
  description: `Create up to ${MAX_BATCH} todos at once. Returns them, and in failed those that were wrong.`,
  said: [
    'add these three tasks to my list',
    'create several todos at once',
    'put milk, bread and eggs on my todo list as separate items',
    'make todos out of this list',
  ],
  access: 'write',
  annotations: { title: 'Create several todos', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  extra: true,
  deadlineMs: DEADLINE_MS,
  input: z.strictObject({
    // Each one is checked by itself, so that one mistake does not refuse them all.
    todos: z
      .array(z.unknown().meta(itemSchema), { error: (issue) => (issue.input === undefined ? undefined : 'todos must be a list') })
      .min(1, { error: 'todos cannot be empty' })
      .max(MAX_BATCH, { error: `todos can have at most ${MAX_BATCH} entries` })
      .describe('Each as for create_todo'),
  }),
  output: z.object({
    todos: z.array(todo),
    count: z.int(),
    failed: z.array(failed),
  }),
  phrases: { failed: 'Failed to create todos', doing: 'adding those todos', toDo: 'add those todos' },

  async run(input, { services: { todos, calendar }, user, signal }) {
    const wanted: TodoContent[] = [];
    const refused: Failed[] = [];
    for (const [index, item] of input.todos.entries()) {
      const read = await readItem(item, calendar);
      if (typeof read === 'string') refused.push({ index, error: read });
      else wanted.push(read);
    }
    if (wanted.length === 0) {
      throw new Failure('invalid_input', `None of the todos could be created. The first: ${refused[0]?.error}`, {
        details: { field: 'todos', failed: refused, constraint: 'items' },
      });
    }
    const created = await todos.create(user.id, wanted, signal);
    return { todos: created, count: created.length, failed: refused };
  },

  present: (data) => ({ data, words: sayAddedMany(data.todos, data.failed.length) }),
});

async function readItem(item: unknown, calendar: Calendar): Promise<TodoContent | string> {
  const parsed = newTodo.safeParse(item);
  if (!parsed.success) return wordsFor(parsed.error.issues[0]);
  const { due, ...content } = parsed.data;
  try {
    return { ...content, dueAt: due ? await calendar.read(due, 'due') : undefined };
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_input') return error.message;
    throw error;
  }
}

function wordsFor(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'Not a todo';
  if (issue.code === 'unrecognized_keys') return `Unknown argument "${issue.keys[0]?.slice(0, 100)}"`;
  if (issue.path.length === 0) return 'Not a todo: an object with a title is needed';
  return issue.message.startsWith('Invalid') ? `${issue.path.join('.')} is required` : issue.message;
}

function withoutWords({ description: _words, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

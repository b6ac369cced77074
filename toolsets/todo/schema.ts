import { quietLimits } from '@millrace/kernel';
import { z } from 'zod';

const MAX_TITLE = 255;
const MAX_DESCRIPTION = 10_000;
const MAX_TAG = 50;
const MAX_TAGS = 20;
const MAX_SEARCH = 200;
const MAX_DATE_WORDS = 100;

const STATUSES = ['open', 'completed', 'archived'] as const;
const PRIORITIES = ['low', 'medium', 'high'] as const;

export type Status = (typeof STATUSES)[number];
export type Priority = (typeof PRIORITIES)[number];

/** Text that every database can keep: no half characters, and the null character is refused. */
const text = (name: string) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? undefined : `${name} must be text`) })
    .overwrite((value) => value.toWellFormed())
    .refine((value) => !value.includes('\0'), { error: `${name} cannot contain the null character` });

/** Characters as people count them, not the units that they are stored in. */
const atMost = (characters: number) => (value: string) => value.length <= characters || [...value].length <= characters;

const title = text('Title')
  .trim()
  .refine((value) => value !== '', { error: 'Title cannot be empty', abort: true, params: { constraint: 'minLength' } })
  .refine(atMost(MAX_TITLE), { error: `Title can have at most ${MAX_TITLE} characters`, params: { constraint: 'maxLength' } })
  .meta({ minLength: 1, maxLength: MAX_TITLE });

const description = text('Description').refine(atMost(MAX_DESCRIPTION), {
  error: `Description can have at most ${MAX_DESCRIPTION} characters`,
  params: { constraint: 'maxLength' },
});

const status = z.enum(STATUSES, { error: 'Status must be open, completed or archived' });
const priority = z.enum(PRIORITIES, { error: 'Priority must be low, medium or high' });

const tag = text('A tag')
  .trim()
  .toLowerCase()
  .refine((value) => value !== '' && [...value].length <= MAX_TAG, { error: `A tag has 1 to ${MAX_TAG} characters` });

const tags = quietLimits(
  z.array(tag, { error: 'Tags must be a list of words' }).max(MAX_TAGS, { error: `A todo can have at most ${MAX_TAGS} tags` }),
).overwrite((list) => [...new Set(list)]);

const dateWords = quietLimits(
  text('A date')
    .trim()
    .max(MAX_DATE_WORDS, { error: `A date has at most ${MAX_DATE_WORDS} characters` }),
);

const wholeNumber = (name: string, max: number) =>
  quietLimits(
    z
      .int({ error: `${name} must be a whole number` })
      .min(0, { error: `${name} cannot be negative` })
      .max(max, { error: `${name} can be at most ${max}` }),
  );

const id = z.guid({ error: (issue) => (issue.input === undefined ? undefined : 'id must be a UUID') }).toLowerCase();

export const newTodo = z.strictObject({
  title: title.describe('Todo title (max 255 chars)'),
  description: description.optional().describe('Todo description'),
  priority: priority.default('medium').describe('Priority level'),
  due: dateWords.optional().describe('Due date: "friday 5pm", "in 3 days" or ISO'),
  tags: tags.optional().describe('Words to group todos by'),
});

export const todoFilter = z.strictObject({
  status: status.optional().describe('Filter by status'),
  limit: wholeNumber('limit', 1_000_000).default(100).describe('Max results to return'),
  offset: wholeNumber('offset', 1_000_000_000).default(0).describe('Result offset for pagination'),
  search: quietLimits(
    text('Search')
      .trim()
      .max(MAX_SEARCH, { error: `Search can have at most ${MAX_SEARCH} characters` }),
  )
    .optional()
    .describe('Words it contains'),
  priority: priority.optional().describe('Filter by priority'),
  tags: tags.optional().describe('All of these tags'),
  due: z
    .enum(['overdue', 'today', 'week', 'any', 'none'], { error: 'due must be overdue, today, week, any or none' })
    .optional()
    .describe('week: next 7 days; any or none: has a due date or not'),
  due_before: dateWords.optional().describe('Due by then'),
  due_after: dateWords.optional().describe('Due after that'),
  sort: z
    .enum(['newest', 'oldest', 'due', 'priority', 'updated'], { error: 'sort must be newest, oldest, due, priority or updated' })
    .default('newest')
    .describe('Order'),
});

const CHANGEABLE = ['title', 'description', 'status', 'priority', 'due', 'tags'] as const;

export const todoChange = z
  .strictObject({
    id: id.describe('Todo ID to update'),
    title: title.optional().describe('New todo title'),
    description: description.optional().describe('New todo description'),
    status: status.optional().describe('New status'),
    priority: priority.optional().describe('New priority'),
    due: dateWords.optional().describe('New due date; "none" removes it'),
    tags: tags.optional().describe('All its new tags'),
  })
  .refine((change) => CHANGEABLE.some((field) => change[field] !== undefined), {
    error: 'Nothing to update',
    params: { constraint: 'nothingToUpdate' },
  });

export const todoDeletion = z.strictObject({ id: id.describe('Todo ID to delete') });

export const todo = z.object({
  id: z.string(),
  user_id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  status: z.enum(STATUSES),
  priority: z.enum(PRIORITIES),
  due_at: z.string().optional(),
  tags: z.array(z.string()).optional(),
  created_at: z.string(),
  updated_at: z.string(),
});

export type Todo = z.output<typeof todo>;
export type TodoFilter = z.output<typeof todoFilter>;

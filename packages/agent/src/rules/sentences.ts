import { clip } from '@millrace/kernel';
import type { Change, Small } from './intents.ts';
import { type Now, sayDue } from './language/calendar.ts';
import type { Todo } from './memory.ts';

const MAX_QUOTED = 80;
const MOST_NAMED = 8;

/** A title for display: on one line, without control characters, and not too long. It is data, whatever it says. */
export function quoted(title: string): string {
  return `"${clip(title.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), MAX_QUOTED)}"`;
}

export function joined(list: readonly string[]): string {
  return list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
}

export function named(todos: readonly { title: string }[]): string {
  const shown = todos.slice(0, MOST_NAMED).map(({ title }) => quoted(title));
  const more = todos.length - shown.length;
  return joined(more > 0 ? [...shown, `${more} more`] : shown);
}

/** One line of a list. */
export function line(todo: Todo, place: number, now: Now): string {
  const title = quoted(todo.title).slice(1, -1);
  const overdue = todo.status === 'open' && todo.due_at !== undefined && new Date(todo.due_at) < now.instant;
  const facts = [
    ...(todo.status === 'completed' ? ['done'] : todo.status === 'archived' ? ['deleted'] : []),
    ...(todo.priority === 'medium' ? [] : [`${todo.priority} priority`]),
    ...(todo.due_at === undefined ? [] : [`${overdue ? 'overdue since' : 'due'} ${sayDue(todo.due_at, now)}`]),
    ...(todo.tags ?? []).map((tag) => `#${tag}`),
  ];
  return `${place}. ${title}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

export function lines(todos: readonly Todo[], now: Now, from = 1): string {
  return todos.map((todo, index) => line(todo, from + index, now)).join('\n');
}

const DOING: Record<Change['kind'], string> = {
  complete: 'mark as done',
  reopen: 'reopen',
  archive: 'archive',
  delete: 'delete',
  restore: 'bring back',
  edit: 'change',
};

const DID: Record<Change['kind'], (names: string) => string> = {
  complete: (names) => `Marked ${names} as done.`,
  reopen: (names) => `Reopened ${names}.`,
  archive: (names) => `Archived ${names}.`,
  delete: (names) => `Deleted ${names}. Say "undo" if you want them back.`,
  restore: (names) => `Brought back ${names}.`,
  edit: (names) => `Changed ${names}.`,
};

export function didChange(change: Change, todos: readonly { title: string }[]): string {
  return DID[change.kind](named(todos));
}

/** The number is that of all; at most `shown` of them are named. */
export function askConfirm(change: Change, todos: readonly Todo[], now: Now, shown = todos.length): string {
  const verb = DOING[change.kind];
  if (todos.length === 1) {
    const [todo] = todos as [Todo];
    return change.kind === 'complete' ? `Should I mark ${quoted(todo.title)} as done?` : `Should I ${verb} ${quoted(todo.title)}?`;
  }
  const what = change.kind === 'complete' ? `mark these ${todos.length} as done` : `${verb} these ${todos.length}`;
  const more = todos.length > shown ? `\n(and ${todos.length - shown} more)` : '';
  return `Should I ${what}?\n${lines(todos.slice(0, shown), now)}${more}`;
}

export function askWhich(change: Change, todos: readonly Todo[], now: Now): string {
  return `Which one should I ${DOING[change.kind]}?\n${lines(todos, now)}`;
}

const EXAMPLES = `- add buy milk and call mom tomorrow at 5pm
- what's due this week?
- mark the first one as done
- move the dentist to friday
- delete the oldest todo
- undo`;

const WORDS: Record<Small, string> = {
  greeting: 'Hello! What should I do? For example: "show my todos", or "remind me to call mom tomorrow".',
  well: 'Fine, thank you. What should I do with your todos?',
  thanks: "You're welcome.",
  bye: 'Goodbye. Everything is saved.',
  okay: 'OK.',
  sorry: 'No problem. Say "undo" to take back the last change.',
  who: 'I am the chat of Millrace. Right now I work without a language model, by rules, and manage your todos. Say "help" for examples.',
  help: `I manage your todos. You can say, for example:\n${EXAMPLES}`,
  'how-delete': `Just say it. Nothing was changed. For example:\n${EXAMPLES}`,
  correct: 'Say "undo" to take back the last change, or tell me what to change, for example: rename it to "…".',
  'cannot-redo': "I can't repeat that by myself. Please say again what you want.",
};

export function smallTalk(which: Small): string {
  return WORDS[which];
}

export const CANNOT =
  'I can\'t help with that. Without a language model I only manage todos. Nothing was changed. Say "help" for examples, or configure a model (models.provider) for more.';

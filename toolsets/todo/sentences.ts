import { clip } from '@millrace/kernel';
import type { Calendar } from './calendar/calendar.ts';
import type { Todo } from './schema.ts';

const MAX_QUOTED = 80;
const MAX_NAMED = 5;

/** Sentences worth reading aloud, one for each thing that can be done. */
export function sayAdded(todo: Todo, calendar: Calendar): string {
  const priority = todo.priority === 'medium' ? '' : ` with ${todo.priority} priority`;
  return `Added ${quoted(todo)}${priority}${due(todo, calendar)}.`;
}

export function sayAddedMany(todos: readonly Todo[], failed: number): string {
  const missed = failed === 0 ? '' : ` ${failed === 1 ? 'One could' : `${failed} could`} not be added.`;
  return `Added ${named(todos)}.${missed}`;
}

export function sayList(todos: readonly Todo[], total: number, what: string, calendar: Calendar): string {
  if (total === 0) return `You have no ${what}todos.`;
  if (todos.length === 0) return `There are no more: you have ${many(total, what)}.`;
  const late = todos.filter((todo) => isOverdue(todo, calendar)).length;
  const overdue = late === 0 ? '' : ` ${late === 1 ? 'One is' : `${late} are`} overdue.`;
  const shown = todos.length === total ? '' : `. Here ${todos.length === 1 ? 'is one' : `are ${todos.length}`} of them`;
  if (todos.length > MAX_NAMED) return `You have ${many(total, what)}${shown}. First ${named(todos.slice(0, 3))}.${overdue}`;
  const list = todos.map((todo) => quoted(todo) + due(todo, calendar));
  return `You have ${many(total, what)}${shown}: ${joined(list)}.${overdue}`;
}

export function sayUpdated(before: Todo, after: Todo, calendar: Calendar): string {
  if (before === after) return `${quoted(after)} is already like that.`;
  const changes = [
    ...(before.title === after.title ? [] : [`it was called ${quoted(before)}`]),
    ...(before.description === after.description ? [] : ['its description is new']),
    ...(before.priority === after.priority ? [] : [`its priority is now ${after.priority}`]),
    ...(before.due_at === after.due_at ? [] : [after.due_at ? `it is due ${calendar.say(new Date(after.due_at))}` : 'it is no longer due']),
    ...(String(before.tags) === String(after.tags) ? [] : [after.tags ? `it is tagged ${joined(after.tags)}` : 'it has no tags']),
  ];
  const details = changes.length === 0 ? '' : `: ${joined(changes)}`;
  if (before.status === after.status) return `Updated ${quoted(after)}${details}.`;
  if (after.status === 'completed') return `Marked ${quoted(after)} as done${details}.`;
  if (after.status === 'archived') return `Archived ${quoted(after)}${details}.`;
  return `${before.status === 'archived' ? 'Brought back' : 'Reopened'} ${quoted(after)}${details}.`;
}

export function sayDeleted(before: Todo, after: Todo): string {
  if (before === after) return `${quoted(after)} was already deleted.`;
  return `Deleted ${quoted(after)}. Say so if you want it back.`;
}

function isOverdue(todo: Todo, calendar: Calendar): boolean {
  return todo.status === 'open' && todo.due_at !== undefined && new Date(todo.due_at) < calendar.now();
}

function due(todo: Todo, calendar: Calendar): string {
  return todo.due_at === undefined ? '' : `, due ${calendar.say(new Date(todo.due_at))}`;
}

function many(count: number, what: string): string {
  return count === 1 ? `one ${what}todo` : `${count} ${what}todos`;
}

function named(todos: readonly Todo[]): string {
  const list = todos.slice(0, MAX_NAMED).map(quoted);
  const rest = todos.length - list.length;
  return joined(rest === 0 ? list : [...list, `${rest} more`]);
}

function joined(list: readonly string[]): string {
  return list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
}

function quoted({ title }: Todo): string {
  return `"${clip(title.replaceAll(/\s+/g, ' '), MAX_QUOTED)}"`;
}

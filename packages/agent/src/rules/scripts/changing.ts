import { type Found, find, load } from '../finding.ts';
import { grounded } from '../grounding.ts';
import type { Change, Edit, IntentOf, Order, Priority, Reference } from '../intents.ts';
import { iso, wallOf } from '../language/calendar.ts';
import { plusUnits } from '../language/days.ts';
import { capitalised } from '../language/text.ts';
import type { Pending, PlannedCall, Todo } from '../memory.ts';
import { type CallResult, callTools, failure, numbered, type Said, type Scene, type Script, said } from '../script.ts';
import { askConfirm, askWhich, didChange, named, quoted } from '../sentences.ts';
import { create } from './creating.ts';

const MOST_OFFERED = 20;
/** More than this are changed only after a question, even if nothing would be lost. */
const MOST_AT_ONCE = 10;

/** An order to change todos: find them, ask when in doubt, do it. */
export function* change(scene: Scene, order: Order): Script<Said> {
  const intent = yield* bestReading(scene, order);
  const { change: wanted, target, doubtful, otherwise, exactly } = intent;
  const found = yield* find(scene, target, wanted);
  if (intent.fallback && !hasWords(found, wanted)) return yield* change(scene, intent.fallback);
  const other = found.kind === 'none' || (exactly && !(found.kind === 'todos' && found.exact));
  if (other && otherwise?.clear) return yield* create(scene, { kind: 'create', todos: otherwise.todos, repeats: false });
  if (found.kind === 'none' && found.name !== '' && !otherwise && target.by === 'name' && !target.exact) {
    const close = yield* nearest(scene, found.name, wanted);
    if (close) return close;
  }
  if (found.kind !== 'todos') return notFound(scene, found, intent);
  const { todos, sure, chosen, missing } = found;
  const still = todos.filter(({ status }) => status !== OUTCOME[wanted.kind]);
  if (still.length === 0) return said(scene, already(wanted, todos), { focus: todos });
  if (wanted.kind === 'edit' && Object.keys(wanted.edit).length === 0) {
    return said(scene, `What should I change about ${named(still)}?`, {
      pending: { ask: 'what', todos: still },
      focus: still,
    });
  }
  const inDoubt = doubtful && !(wanted.kind === 'reopen' && still.every(({ status }) => status === 'completed'));
  const many = still.length > 1 && (takesAway(wanted) || (!chosen && (isEverything(target) || still.length > MOST_AT_ONCE)));
  const unheard = missing.length > 0 ? `I found no todo about ${named(missing.map((title) => ({ title })))}.` : '';
  if (many || !sure || inDoubt || (unheard && takesAway(wanted))) {
    if (wanted.kind === 'reopen' && doubtful && still.every((todo) => todo.status === 'open'))
      return said(scene, 'OK, it stays open.', { focus: todos });
    const pending: Pending = { ask: 'confirm', change: wanted, todos: still };
    const question = askConfirm(wanted, still, scene.now, MOST_OFFERED);
    const shown = still.length > 1 ? numbered(still.slice(0, MOST_OFFERED)) : {};
    return said(scene, [unheard, question].filter(Boolean).join(' '), { ...shown, pending, focus: still });
  }
  const done = yield* perform(scene, wanted, still);
  return unheard ? { ...done, text: `${done.text} ${unheard}` } : done;
}

/** "everything", without any filter. */
function isEverything(target: Reference): boolean {
  return target.by === 'all' && !target.shown && Object.keys(target.filter).length === 0;
}

/** Whether the words to replace are in the title. */
function hasWords(found: Found, wanted: Change): boolean {
  const from = wanted.kind === 'edit' ? (wanted.edit.replace?.from ?? '') : '';
  return found.kind === 'todos' && found.todos.every(({ title }) => title.toLowerCase().includes(from.toLowerCase()));
}

/** The reading that names a todo exactly, or the simplest one. */
function* bestReading(scene: Scene, order: Order): Script<Order> {
  for (const reading of order.readings ?? []) {
    const found = yield* find(scene, reading.target, reading.change);
    if (found.kind === 'todos' && found.exact) return { ...order, ...reading };
  }
  return order;
}

/** The status that a change leads to. */
const OUTCOME = {
  complete: 'completed',
  reopen: 'open',
  archive: 'archived',
  delete: 'archived',
  restore: 'open',
  edit: undefined,
} as const;

function already({ kind }: Change, todos: readonly Todo[]): string {
  const are = todos.length === 1 ? 'is' : 'are';
  switch (kind) {
    case 'complete':
      return `${named(todos)} ${are} already done.`;
    case 'archive':
    case 'delete':
      return `${named(todos)} ${todos.length === 1 ? 'was' : 'were'} already deleted.`;
    default:
      return `${named(todos)} ${are} open. Nothing to change.`;
  }
}

function notFound(scene: Scene, found: Exclude<Found, { kind: 'todos' }>, { change: wanted, target, otherwise }: IntentOf<'change'>): Said {
  switch (found.kind) {
    case 'several':
    case 'unclear':
      return which(scene, wanted, found.todos.slice(0, MOST_OFFERED));
    case 'beyond':
      return said(scene, found.length === 1 ? 'The list has only one entry.' : `The list has only ${found.length} entries.`);
    case 'none': {
      if (otherwise)
        return said(scene, `I found no todo like that. Should I add ${named(otherwise.todos)}?`, {
          pending: { ask: 'create', todos: otherwise.todos },
        });
      if (found.name !== '')
        return said(
          scene,
          `I found no ${wanted.kind === 'restore' ? 'deleted ' : ''}todo about ${quoted(found.name)}, so I changed nothing. Say "show my todos" to see them all.`,
        );
      return said(scene, emptySet(wanted, target.by === 'all'));
    }
  }
}

function emptySet({ kind }: Change, all: boolean): string {
  if (kind === 'restore') return 'There are no deleted todos to bring back.';
  if (kind === 'reopen') return 'There are no done todos to reopen.';
  return all ? 'There are no such todos. Nothing to change.' : 'You have no open todos. Nothing to change.';
}

/** Applies the change to all of them at once. */
export function* perform(scene: Scene, wanted: Change, todos: readonly Todo[]): Script<Said> {
  const current = needsDescription(wanted) ? yield* fresh(scene, todos) : todos;
  const calls = current.map((todo) => callFor(wanted, todo, scene));
  const results = yield* callTools(scene, calls);
  const outcome = current.map((todo, index) => ({ todo, call: calls[index] as PlannedCall, result: results[index] as CallResult }));
  const done = outcome.filter(({ result }) => result.ok);
  const failed = outcome.filter(({ result }) => !result.ok);
  const after = done.map(
    ({ todo, call, result }) =>
      (result.value.todo as Todo | undefined) ?? { ...todo, status: call.tool === 'delete_todo' ? ('archived' as const) : todo.status },
  );
  refresh(scene, after);
  const text = [
    done.length === 0 ? '' : done.length === 1 ? oneDone(wanted, done[0] as (typeof done)[number]) : didChange(wanted, after),
    ...new Set(failed.map(({ result }) => failure(result))),
  ];
  const undo = done.map(({ todo, call }) => inverse(todo, call));
  const reply = said(scene, text.filter(Boolean).join(' '), {
    focus: after.length > 0 ? after : [...todos],
    list: updated(scene.memory.list, after),
    counted: scene.memory.counted && updated(scene.memory.counted, after),
    ...(undo.length > 0 && { undo: [...scene.memory.undo, undo] }),
  });
  return failed.length > 0 ? { ...reply, failed: true } : reply;
}

function oneDone(wanted: Change, { todo, result }: { todo: Todo; result: CallResult }): string {
  const message = result.value.user_message;
  if (wanted.kind === 'delete') return `Deleted ${quoted(todo.title)}. Say "undo" if you want it back.`;
  return typeof message === 'string' ? message : didChange(wanted, [todo]);
}

function needsDescription(wanted: Change): boolean {
  return wanted.kind === 'edit' && (wanted.edit.note !== undefined || wanted.edit.description !== undefined);
}

/** The todos with all their fields. */
function* fresh(scene: Scene, todos: readonly Todo[]): Script<Todo[]> {
  const known = [...scene.loaded.values()].flat();
  if (todos.every((todo) => known.some((other) => other.id === todo.id)))
    return todos.map((todo) => known.find((other) => other.id === todo.id) ?? todo);
  const all = yield* load(scene, {});
  return todos.map((todo) => all.find((other) => other.id === todo.id) ?? todo);
}

function updated(todos: readonly Todo[], changed: readonly Todo[]): Todo[] {
  return todos.map((todo) => changed.find((other) => other.id === todo.id) ?? todo);
}

function refresh(scene: Scene, changed: readonly Todo[]): void {
  for (const [key, todos] of scene.loaded) {
    const { status } = JSON.parse(key) as { status?: string };
    scene.loaded.set(
      key,
      updated(todos, changed).filter((todo) => (status === undefined ? todo.status !== 'archived' : todo.status === status)),
    );
  }
}

function callFor(wanted: Change, todo: Todo, scene: Scene): PlannedCall {
  const { id } = todo;
  if (wanted.kind === 'delete') return { tool: 'delete_todo', parameters: { id } };
  const change = wanted.kind === 'edit' ? fieldsOf(wanted.edit, todo, scene) : { status: OUTCOME[wanted.kind] };
  return { tool: 'update_todo', parameters: { id, ...change } };
}

const STEPS: readonly Priority[] = ['low', 'medium', 'high'];

function fieldsOf(edit: Edit, todo: Todo, scene: Scene): Record<string, unknown> {
  const { description, note, priority, priorityStep, addTags, removeTags } = edit;
  const due = dueFor(edit, todo, scene);
  const title = edit.replace ? withWords(todo.title, edit.replace) : edit.title;
  const tags = todo.tags ?? [];
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(note !== undefined && { description: todo.description ? `${todo.description}\n${note}` : note }),
    ...(priority && { priority }),
    ...(priorityStep && { priority: STEPS[Math.min(2, Math.max(0, STEPS.indexOf(todo.priority) + priorityStep))] }),
    ...(due !== undefined && { due }),
    ...(addTags && { tags: [...new Set([...tags, ...addTags])] }),
    ...(removeTags && { tags: removeTags.includes('*') ? [] : tags.filter((tag) => !removeTags.includes(tag)) }),
  };
}

/** Replaces words in a title; if the old words are not in it, the new words are the title. */
function withWords(title: string, { from, to }: { from: string; to: string }): string {
  const at = title.toLowerCase().indexOf(from.toLowerCase());
  return at < 0 ? capitalised(to) : capitalised(`${title.slice(0, at)}${to}${title.slice(at + from.length)}`);
}

const MINUTE_MS = 60_000;

function dueFor({ due, time, shift }: Edit, todo: Todo, { now }: Scene): string | undefined {
  if (time && todo.due_at !== undefined) {
    const wall = wallOf(new Date(todo.due_at), now.timeZone);
    // "make it 7:30" keeps the evening of the current due date.
    const evening = time.halfUnsaid && wall.hour > 12 && !(wall.hour === 23 && wall.minute === 59);
    return iso(wall, evening ? { ...time, hour: time.hour + 12 } : time);
  }
  if (!shift) return due;
  const base = todo.due_at === undefined ? now.instant : new Date(todo.due_at);
  if (/^(?:min|h)/.test(shift.unit))
    return new Date(base.getTime() + shift.amount * MINUTE_MS * (shift.unit.startsWith('h') ? 60 : 1)).toISOString();
  const wall = wallOf(base, now.timeZone);
  const hasTime = todo.due_at !== undefined && !(wall.hour === 23 && wall.minute === 59);
  return iso(plusUnits(wall, shift.amount, shift.unit), hasTime ? wall : undefined);
}

/** The call that undoes a change. */
function inverse(before: Todo, { tool, parameters }: PlannedCall): PlannedCall {
  const { id, ...changed } = parameters;
  if (tool === 'delete_todo') return { tool: 'update_todo', parameters: { id, status: before.status } };
  const previous: Record<string, unknown> = {};
  for (const field of Object.keys(changed)) {
    if (field === 'due') previous.due = before.due_at ?? 'none';
    else if (field === 'tags') previous.tags = before.tags ?? [];
    else if (field === 'description') previous.description = before.description ?? '';
    else previous[field] = before[field as keyof Todo];
  }
  return { tool: 'update_todo', parameters: { id, ...previous } };
}

/** Which of these should be changed? */
function which(scene: Scene, change: Change, todos: Todo[]): Said {
  return said(scene, askWhich(change, todos, scene.now), { ...numbered(todos), pending: { ask: 'which', change, todos } });
}

function* openTodos(scene: Scene): Script<Todo[]> {
  return (yield* load(scene, {})).filter((todo) => todo.status === 'open');
}

/** A change of a todo that was not named exactly: done if it is sure, otherwise asked. */
function* propose(scene: Scene, change: Change, todos: Todo[], sure: boolean): Script<Said> {
  if (todos.length > 1) return which(scene, change, todos);
  if (sure) return yield* perform(scene, change, todos);
  return said(scene, askConfirm(change, todos, scene.now), { pending: { ask: 'confirm', change, todos }, focus: todos });
}

/** A remark that matches no rule, about existing todos: "flights are booked, yay". Undefined if it says nothing about them. */
export function* remark(scene: Scene, words: string): Script<Said | undefined> {
  if (/\?\s*$/.test(words)) return undefined;
  const found = grounded(words, yield* openTodos(scene), scene.hearing);
  if (!found || (!found.change && !found.denied)) return undefined;
  const { todos, change: told, sure } = found;
  if (!told) return said(scene, `OK, ${named(todos)} ${todos.length === 1 ? 'stays' : 'stay'} open.`, { focus: todos });
  return yield* propose(scene, told, todos, sure && told.kind !== 'delete');
}

/** An order for a todo whose name fits only partly: done if every word is explained and nothing is deleted, otherwise asked. */
function* nearest(scene: Scene, words: string, wanted: Change): Script<Said | undefined> {
  if (wanted.kind === 'restore') return undefined;
  const status = wanted.kind === 'reopen' ? 'completed' : 'open';
  const candidates = (yield* load(scene, {})).filter((todo) => todo.status === status);
  const found = grounded(words, candidates, scene.hearing);
  return found && (yield* propose(scene, wanted, found.todos, found.sure && !takesAway(wanted)));
}

/** The todos that were mentioned, for a later "it". */
export function* talkedAbout(scene: Scene, words: string): Script<Todo[]> {
  return grounded(words, yield* openTodos(scene), scene.hearing)?.todos ?? [];
}

function takesAway({ kind }: Change): boolean {
  return kind === 'delete' || kind === 'archive';
}

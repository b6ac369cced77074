import { find, load } from '../finding.ts';
import type { Filter, IntentOf } from '../intents.ts';
import { sayDue } from '../language/calendar.ts';
import type { Todo } from '../memory.ts';
import { callTool, failure, numbered, type Said, type Scene, type Script, said, todosIn } from '../script.ts';
import { askWhich, lines, quoted } from '../sentences.ts';

const PAGE = 20;

export function* read(scene: Scene, { filter, answer, about }: IntentOf<'read'>): Script<Said> {
  if (answer === 'next') return yield* next(scene);
  const result = yield* callTool(scene, 'read_todos', { ...filter, limit: PAGE });
  if (!result.ok) return { ...said(scene, failure(result)), failed: true };
  const todos = todosIn(result.value);
  const total = Number(result.value.total ?? todos.length);
  const head = headline(filter, about, total);
  if (total === 0 || answer === 'count')
    return said(scene, total === 0 ? nothing(filter, about) : `${head}.`, { counted: todos, focus: todos.length === 1 ? todos : [] });
  return said(scene, `${head}:\n${lines(todos, scene.now)}${rest(total - todos.length)}`, numbered(todos, { filter, total, about }));
}

export function* more(scene: Scene): Script<Said> {
  const { shown, list } = scene.memory;
  if (!shown || list.length >= shown.total)
    return said(scene, shown ? 'That was all of them.' : 'What should I show? Say "show my todos", for example.');
  const result = yield* callTool(scene, 'read_todos', { ...shown.filter, limit: PAGE, offset: list.length });
  if (!result.ok) return { ...said(scene, failure(result)), failed: true };
  const todos = todosIn(result.value);
  if (todos.length === 0) return said(scene, 'That was all of them.');
  const text = `${lines(todos, scene.now, list.length + 1)}${rest(shown.total - list.length - todos.length)}`;
  return said(scene, text, numbered([...list, ...todos], shown));
}

function rest(more: number): string {
  return more > 0 ? `\n…and ${more} more. Say "more" to see them.` : '';
}

function kindOf(filter: Filter): string {
  return [
    ...(filter.due === 'overdue' ? ['overdue '] : []),
    ...(filter.status === 'archived' ? ['deleted '] : filter.status && filter.due !== 'overdue' ? [`${filter.status} `] : []),
    ...(filter.priority ? [`${filter.priority}-priority `] : []),
  ].join('');
}

const WHEN: Partial<Record<NonNullable<Filter['due']>, string>> = {
  today: ' due today',
  week: ' due in the next seven days',
  none: ' without a due date',
  any: ' with a due date',
};

function details({ due, due_before, due_after, tags }: Filter, about: string): string {
  const when = (due && WHEN[due]) ?? (due_before || due_after ? ' due then' : '');
  const tagged = tags ? ` tagged ${tags.map((tag) => `#${tag}`).join(' ')}` : '';
  return `${tagged}${about ? ` about ${quoted(about)}` : ''}${when}`;
}

function headline(filter: Filter, about: string, total: number): string {
  return `You have ${total === 1 ? 'one' : total} ${kindOf(filter)}${total === 1 ? 'todo' : 'todos'}${details(filter, about)}`;
}

function nothing(filter: Filter, about: string): string {
  return `You have no ${kindOf(filter)}todos${details(filter, about)}.`;
}

/** The most urgent todos: overdue first, then by priority, then by date. */
function* next(scene: Scene): Script<Said> {
  const todos = yield* load(scene, { status: 'open', sort: 'due', limit: 100 });
  if (todos.length === 0) return said(scene, 'You have no open todos. Enjoy your day!', { counted: [], focus: [] });
  const ranks = { high: 0, medium: 1, low: 2 };
  const late = (todo: Todo) => (todo.due_at !== undefined && new Date(todo.due_at) < scene.now.instant ? 0 : 1);
  const sorted = todos.toSorted(
    (a, b) => late(a) - late(b) || ranks[a.priority] - ranks[b.priority] || ((a.due_at ?? '9') < (b.due_at ?? '9') ? -1 : 1),
  );
  const top = sorted.slice(0, 3);
  return said(scene, `${top.length === 1 ? 'This is next' : 'I would start with these'}:\n${lines(top, scene.now)}`, numbered(top));
}

/** A question about one todo. */
export function* about(scene: Scene, { target, question }: IntentOf<'about'>): Script<Said> {
  const found = yield* find(scene, target, { kind: 'edit', edit: {} });
  if (found.kind === 'none')
    return said(scene, found.name === '' ? 'You have no open todos.' : `I found no todo about ${quoted(found.name)}.`);
  if (found.kind === 'several' || found.kind === 'unclear')
    return said(
      scene,
      `Which one do you mean?\n${askWhich({ kind: 'edit', edit: {} }, found.todos, scene.now).split('\n').slice(1).join('\n')}`,
      numbered(found.todos),
    );
  if (found.kind !== 'todos') return said(scene, 'I\'m not sure which todo you mean. Say "show my todos" to see them.');
  const text = found.todos
    .slice(0, PAGE)
    .map((todo) => fact(todo, question, scene))
    .join('\n');
  return said(scene, text, { focus: found.todos });
}

function fact(todo: Todo, question: IntentOf<'about'>['question'], { now }: Scene): string {
  const title = quoted(todo.title);
  const state = todo.status === 'completed' ? 'done' : todo.status === 'archived' ? 'deleted' : 'open';
  const due = todo.due_at === undefined ? 'it has no due date' : `it is due ${sayDue(todo.due_at, now)}`;
  if (question === 'due')
    return todo.due_at === undefined
      ? `${title} has no due date.`
      : `${title} is due ${sayDue(todo.due_at, now)}${todo.status === 'completed' ? ', and it is done' : ''}.`;
  if (question === 'priority') return `${title} has ${todo.priority} priority.`;
  if (question === 'done') return todo.status === 'completed' ? `Yes, ${title} is done.` : `${title} is ${state}; ${due}.`;
  const tags = todo.tags?.length ? `, tagged ${todo.tags.map((tag) => `#${tag}`).join(' ')}` : '';
  const note = todo.description ? `\nNote: ${quoted(todo.description)}` : '';
  return `${title} is ${state}, with ${todo.priority} priority${tags}; ${due}.${note}`;
}

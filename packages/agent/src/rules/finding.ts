import type { Change, Filter, Reference, Status } from './intents.ts';
import { aboutTopic, bestMatch, contentStems, isTitled } from './matching.ts';
import { lastRead, type Todo } from './memory.ts';
import { callTool, type Scene, type Script, todosIn } from './script.ts';

/** Which todos a reference means. */
export type Found =
  /** `chosen`: each one was named or pointed at; otherwise they just fit a description. */
  | { kind: 'todos'; todos: Todo[]; sure: boolean; chosen: boolean; missing: string[]; exact?: boolean }
  | { kind: 'several'; todos: Todo[] }
  | { kind: 'none'; name: string }
  | { kind: 'unclear'; todos: Todo[] }
  | { kind: 'beyond'; length: number };

/** Todos that are meant for certain; `chosen` unless they just fit a description. */
function those(todos: Todo[], chosen = true): Found {
  return { kind: 'todos', todos, sure: true, chosen, missing: [] };
}

export class ReadFailed extends Error {}

const MOST_READ = 10_000;

/** Reads todos, once per turn for the same filter. */
export function* load(scene: Scene, filter: Filter): Script<Todo[]> {
  const key = JSON.stringify(filter);
  const known = scene.loaded.get(key);
  if (known) return known;
  const { ok, value } = yield* callTool(scene, 'read_todos', { ...filter, limit: filter.limit ?? MOST_READ });
  if (!ok) throw new ReadFailed(String(value.tell_the_person ?? value.user_message ?? ''));
  const todos = todosIn(value);
  scene.loaded.set(key, todos);
  return todos;
}

const PREFERRED: Record<Change['kind'], Status> = {
  complete: 'open',
  reopen: 'completed',
  archive: 'open',
  delete: 'open',
  restore: 'archived',
  edit: 'open',
};

export function* find(scene: Scene, reference: Reference, change: Change): Script<Found> {
  switch (reference.by) {
    case 'name':
      return yield* byName(scene, reference.name, change, reference.exact ?? false);
    case 'topic':
      return yield* byTopic(scene, reference, change);
    case 'place':
      return (yield* byTitles(scene, reference.titles, change)) ?? (yield* byPlace(scene, reference.places, change));
    case 'age':
      return yield* byAge(scene, reference, change);
    case 'focus':
      return yield* byFocus(scene, reference.many, change);
    case 'all':
      return yield* byAll(scene, reference, change);
    case 'several':
      return yield* severalOf(scene, reference, change);
    case 'any':
      return yield* withoutList(scene, change);
    case 'nothing':
      return yield* byFocus(scene, false, change);
  }
}

function* candidates(scene: Scene, change: Change): Script<Todo[]> {
  return yield* load(scene, change.kind === 'restore' ? { status: 'archived', sort: 'updated' } : {});
}

function* byName(scene: Scene, name: string, change: Change, exact: boolean): Script<Found> {
  const known = yield* candidates(scene, change);
  const all = known.length < MOST_READ ? known : merged(known, yield* searched(scene, name, change));
  let match = bestMatch(name, all);
  if (!match && change.kind === 'restore') {
    // "put milk back" may also mean one that is done.
    const current = yield* load(scene, {});
    match = bestMatch(
      name,
      current.filter((todo) => todo.status === 'completed'),
    );
  }
  if (!match || (exact && match.fit === 'part')) return { kind: 'none', name };
  const todos = preferred(match.todos, change);
  // "the groceries" are all that are tagged so.
  if (todos.length > 1 && todos.every((todo) => isTagged(todo, name))) return those(todos, false);
  if (todos.length > 1) return { kind: 'several', todos };
  const sure =
    match.fit === 'exact' || match.fit === 'all' || (match.fit === 'nearly' && change.kind !== 'delete' && change.kind !== 'archive');
  return { kind: 'todos', todos, sure, chosen: true, missing: [], exact: match.fit === 'exact' };
}

function isTagged(todo: Todo, name: string): boolean {
  const wanted = contentStems(name);
  const tags = (todo.tags ?? []).flatMap(contentStems);
  return wanted.length > 0 && wanted.every((word) => tags.includes(word));
}

/** Among very many todos, those with the most distinctive word of a name. */
function* searched(scene: Scene, name: string, change: Change): Script<Todo[]> {
  const [word] = contentStems(name).sort((a, b) => b.length - a.length);
  if (word === undefined) return [];
  return yield* load(scene, { search: word, ...(change.kind === 'restore' && { status: 'archived' as const }) });
}

function merged(a: readonly Todo[], b: readonly Todo[]): Todo[] {
  return [...new Map([...a, ...b].map((todo) => [todo.id, todo])).values()];
}

function* byTopic(scene: Scene, { topic, filter }: { topic: string; filter?: Filter }, change: Change): Script<Found> {
  const read = { ...filter, ...statusFor(change, filter) };
  const all = yield* load(scene, read);
  const todos = aboutTopic(topic, all);
  if (todos.length > 0) return those(todos, false);
  return yield* byName(scene, topic, change, false);
}

/** Only those that the change applies to: a done todo is not completed again. */
function statusFor(change: Change, filter: Filter | undefined): Filter {
  if (filter?.status) return {};
  if (change.kind === 'complete') return { status: 'open' };
  if (change.kind === 'reopen') return { status: 'completed' };
  return change.kind === 'restore' ? { status: 'archived' } : {};
}

/** Todos that are called just that: "task 137" is not number 137 if there is one of that title. */
function* byTitles(scene: Scene, titles: readonly string[] = [], change: Change): Script<Found | undefined> {
  if (titles.length === 0) return undefined;
  const all = yield* candidates(scene, change);
  const sets = titles.map((title) =>
    preferred(
      all.filter((todo) => isTitled(todo, title)),
      change,
    ),
  );
  const several = sets.find((todos) => todos.length > 1);
  if (sets.some((todos) => todos.length === 0)) return undefined;
  return several ? { kind: 'several', todos: several } : those(sets.flat());
}

/** Those with the status that the change usually applies to, if there are any. */
function preferred(todos: Todo[], { kind }: Change): Todo[] {
  const wanted = todos.filter(({ status }) => status === PREFERRED[kind]);
  return wanted.length > 0 ? wanted : todos;
}

function* byPlace(scene: Scene, places: readonly number[], change: Change): Script<Found> {
  const { list, focus, last, counted } = scene.memory;
  const lastOnly = places.length === 1 && places[0] === -1;
  if (lastOnly && ((list.length === 0 && !counted) || last?.did === 'create'))
    return yield* byAge(scene, { which: 'newest', count: 1, shown: false }, change);
  const shown = list.length > 0 ? list : focus.length > 1 ? focus : undefined;
  if (!shown) return yield* withoutList(scene, change);
  const numbered = places.some((place) => place > shown.length) ? yield* listedInAll(scene, shown) : shown;
  const indexes = [...new Set(places.map((place) => (place < 0 ? numbered.length + place : place - 1)))];
  const todos = indexes.map((index) => numbered[index]);
  if (todos.some((todo) => todo === undefined)) return { kind: 'beyond', length: numbered.length };
  return those(todos as Todo[]);
}

/** The list of which only the beginning was shown, unless it has changed since: then its numbers mean nothing. */
function* listedInAll(scene: Scene, beginning: Todo[]): Script<Todo[]> {
  const { shown, list } = scene.memory;
  if (!shown || beginning !== list || shown.total <= list.length) return beginning;
  const all = yield* load(scene, shown.filter);
  return beginning.every(({ id }, index) => all[index]?.id === id) ? all : beginning;
}

/** Nothing was shown that could be pointed at: only a single todo is clear. */
function* withoutList(scene: Scene, change: Change): Script<Found> {
  const status = change.kind === 'reopen' ? 'completed' : change.kind === 'restore' ? 'archived' : 'open';
  const todos = yield* load(scene, { status });
  if (todos.length === 0) return { kind: 'none', name: '' };
  return todos.length === 1 ? those(todos) : { kind: 'unclear', todos };
}

function* byAge(
  scene: Scene,
  { which, count, shown }: { which: 'oldest' | 'newest'; count: number; shown: boolean },
  change: Change,
): Script<Found> {
  const listed = lastRead(scene.memory);
  if (shown && listed.length > 0) return those(byAgeIn(listed, which, count));
  const status = statusFor(change, undefined);
  const todos = yield* load(scene, { ...status, sort: which, limit: Math.max(20, count) });
  const [first] = todos;
  if (!first) return { kind: 'none', name: '' };
  const open = todos.filter((todo) => todo.status === 'open');
  const best = todos.slice(0, count);
  // An even older done todo may or may not be meant.
  if (
    change.kind !== 'restore' &&
    open.length > 0 &&
    best.some((todo) => todo.status !== 'open') &&
    (change.kind === 'delete' || change.kind === 'archive')
  ) {
    const [oldestOpen] = open as [Todo];
    return { kind: 'several', todos: [oldestOpen, ...best.filter((todo) => todo.id !== oldestOpen.id)].slice(0, 5) };
  }
  const pool = change.kind === 'edit' && open.length > 0 ? open : todos;
  return those(pool.slice(0, count));
}

/** The oldest or newest of these. */
export function byAgeIn(todos: readonly Todo[], which: 'oldest' | 'newest', count: number): Todo[] {
  const sorted = todos.toSorted((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1));
  return which === 'oldest' ? sorted.slice(0, count) : sorted.slice(-count);
}

function* byFocus(scene: Scene, many: boolean, change: Change): Script<Found> {
  const { focus } = scene.memory;
  const list = lastRead(scene.memory);
  if (many) {
    if (focus.length > 1) return those(focus);
    if (list.length > 1) return those(list, list.length === 2);
  }
  if (focus.length === 1) return those(focus);
  if (focus.length > 1) return { kind: 'several', todos: focus };
  if (list.length === 1) return those(list);
  if (list.length > 1) return { kind: 'unclear', todos: list };
  return yield* withoutList(scene, change);
}

function* byAll(scene: Scene, { filter, shown, one, except }: Extract<Reference, { by: 'all' }>, change: Change): Script<Found> {
  const { focus } = scene.memory;
  const all = shown ? (focus.length > 1 ? focus : lastRead(scene.memory)) : yield* load(scene, { ...filter, ...statusFor(change, filter) });
  if (one && all.length > 1) return { kind: 'several', todos: all };
  if (!except) return all.length === 0 ? { kind: 'none', name: '' } : those(all, false);
  const kept = yield* find(scene, except, change);
  if (kept.kind !== 'todos' && kept.kind !== 'several') return kept;
  const ids = new Set(kept.todos.map((todo) => todo.id));
  const topic = except.by === 'name' ? aboutTopic(except.name, all) : [];
  for (const todo of topic) ids.add(todo.id);
  const todos = all.filter((todo) => !ids.has(todo.id));
  return todos.length === 0 ? { kind: 'none', name: '' } : those(todos, false);
}

/** "milk and bread": one todo of that name, or one for each. */
function* severalOf(scene: Scene, { parts, whole }: Extract<Reference, { by: 'several' }>, change: Change): Script<Found> {
  const together = bestMatch(
    whole,
    (yield* candidates(scene, change)).filter((todo) => / and |,|&/.test(todo.title)),
  );
  if (together && (together.fit === 'exact' || together.fit === 'all')) return yield* byName(scene, whole, change, false);
  const todos: Todo[] = [];
  const missing: string[] = [];
  let sure = true;
  let chosen = true;
  for (const part of parts) {
    const found = yield* find(scene, part, change);
    if (found.kind === 'todos') {
      todos.push(...found.todos.filter((todo) => !todos.some((other) => other.id === todo.id)));
      sure &&= found.sure;
      chosen &&= found.chosen;
    } else if (found.kind === 'none') missing.push(part.by === 'name' ? part.name : found.name);
    else return found;
  }
  if (todos.length === 0) return { kind: 'none', name: whole };
  return { kind: 'todos', todos, sure, chosen, missing };
}

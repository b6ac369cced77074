import type { IntentOf, NewTodo } from '../intents.ts';
import type { Todo } from '../memory.ts';
import { type CallResult, callTool, callTools, failure, type Said, type Scene, type Script, said, todosIn } from '../script.ts';
import { joined, named, quoted } from '../sentences.ts';

const MOST_AT_ONCE = 500;
const LONGEST_DESCRIPTION = 10_000;

export function* create(scene: Scene, { todos, repeats, untitled }: IntentOf<'create'>): Script<Said> {
  if (untitled) return said(scene, 'What should the todo say?', { pending: { ask: 'title', rest: untitled } });
  if (todos.length > MOST_AT_ONCE)
    return said(scene, `That would be ${todos.length} todos. I can add up to ${MOST_AT_ONCE} at once. Please send fewer at a time.`);
  if (todos.some(({ description = '' }) => [...description].length > LONGEST_DESCRIPTION))
    return said(scene, `That is too long: a todo can hold ${LONGEST_DESCRIPTION} characters. Please send it in smaller parts.`);
  const results = yield* callTools(
    scene,
    todos.map((todo) => ({ tool: 'create_todo', parameters: parametersOf(todo) })),
  );
  const outcome: { wanted: NewTodo; result: CallResult }[] = [];
  for (const [index, wanted] of todos.entries())
    outcome.push({ wanted, result: yield* settled(scene, wanted, results[index] as CallResult) });
  return told(scene, outcome, repeats);
}

/** A call that may or may not have happened: check whether the todo exists, and add it only if it does not. */
function* settled(scene: Scene, wanted: NewTodo, result: CallResult): Script<CallResult> {
  if (result.value.outcome !== 'unknown') return result;
  const { ok, value } = yield* callTool(scene, 'read_todos', { search: wanted.title.slice(0, 200), sort: 'newest', limit: 20 });
  const begun = String(result.value.started_at ?? '');
  const there = todosIn(value).find((todo) => todo.title === wanted.title && (todo.created_at ?? '') >= begun);
  if (there) return { ok: true, value: { todo: there, user_message: `Added ${quoted(there.title)}.` } };
  if (!ok) return { ok: false, value };
  return yield* callTool(scene, 'create_todo', parametersOf(wanted));
}

function parametersOf({ unused: _unused, ...parameters }: NewTodo): Record<string, unknown> {
  return parameters;
}

function told(scene: Scene, outcome: { wanted: NewTodo; result: CallResult }[], repeats: boolean): Said {
  const added = outcome.filter(({ result }) => result.ok).map(({ result }) => result.value.todo as Todo);
  const failed = outcome.filter(({ result }) => !result.ok);
  const unused = outcome.flatMap(({ wanted, result }) => (result.ok && wanted.unused ? [quoted(wanted.unused)] : []));
  const [first] = outcome;
  const message = first?.result.value.user_message;
  const text = [
    added.length === 0 ? '' : added.length === 1 && typeof message === 'string' && first?.result.ok ? message : `Added ${named(added)}.`,
    ...new Set(failed.map(({ result }) => failure(result))),
    failed.length > 0 && added.length > 0 ? `Not added: ${joined(failed.map(({ wanted }) => quoted(wanted.title)))}.` : '',
    unused.length > 0 ? `I didn't understand ${joined(unused)}, so I left ${unused.length === 1 ? 'it' : 'them'} out.` : '',
    repeats && added.length > 0 ? "I can't repeat todos, so I added it once." : '',
  ];
  for (const [key, todos] of scene.loaded) scene.loaded.set(key, [...added, ...todos]);
  const undo = added.map(({ id }) => ({ tool: 'delete_todo', parameters: { id } }));
  const reply = said(scene, text.filter(Boolean).join(' '), {
    focus: added,
    ...(undo.length > 0 && { undo: [...scene.memory.undo, undo] }),
  });
  return failed.length > 0 ? { ...reply, failed: true } : reply;
}

export function maybeCreate(scene: Scene, { todos, reason }: IntentOf<'maybe-create'>): Said {
  const question = `Should I add ${named(todos)} to your todos?`;
  return said(scene, reason === 'assistant' ? `I can't do that myself. ${question}` : question, { pending: { ask: 'create', todos } });
}

import { byAgeIn } from '../finding.ts';
import { creation } from '../language/create.ts';
import { bareChange, editIn } from '../language/edits/edit.ts';
import { takeFilter } from '../language/filters.ts';
import { referenceIn } from '../language/references.ts';
import { isNo, isYes } from '../language/talk.ts';
import { detailsIn, newTodo } from '../language/titles.ts';
import { clauseMeaning, isRemark, plainClause } from '../language/understand.ts';
import { aboutTopic, bestMatch } from '../matching.ts';
import type { Pending, Todo } from '../memory.ts';
import { type Said, type Scene, type Script, said } from '../script.ts';
import { askWhich } from '../sentences.ts';
import { perform } from './changing.ts';
import { create } from './creating.ts';

const NOTHING = 'OK, nothing was changed.';

/** The reply to an answer to our question; undefined if the message was not an answer. */
export function* answer(scene: Scene, pending: Pending, text: string): Script<Said | undefined> {
  if (pending.ask !== 'title' && isNo(text)) return said(scene, NOTHING);
  switch (pending.ask) {
    case 'confirm':
      return yield* confirmed(scene, pending, text);
    case 'which':
      return yield* chosen(scene, pending, text);
    case 'create':
      return yield* agreed(scene, pending, text);
    case 'title':
      return yield* titled(scene, pending, text);
    case 'what':
      return yield* specified(scene, pending, text);
  }
}

function* confirmed(scene: Scene, { change, todos }: Extract<Pending, { ask: 'confirm' }>, text: string): Script<Said | undefined> {
  if (isYes(text)) return yield* perform(scene, change, todos);
  const answered = text.replace(/^(?:(?:actually|oh|hmm+|um+|well|wait|sorry|please)[,. ]+)+/i, '');
  const only = /^(?:yes,? |no,? |ok,? )?(?:only|just) (.+)$/i.exec(answered)?.[1];
  const except =
    /^(?:yes,? |no,? |ok,? )?(?:(?:do |delete |remove |mark )?(?:all|everything|them all|them|all of them|the others),? ?)?(?:except(?: for)?|but not|but keep|not|without|keep|leave) (.+)$/i.exec(
      answered,
    )?.[1];
  const words = only ?? except;
  if (words === undefined) return undefined;
  const picked = pick(scene, words, todos);
  if (picked.length === 0) return undefined;
  const wanted = only !== undefined ? picked : todos.filter((todo) => !picked.some((other) => other.id === todo.id));
  return wanted.length === 0 ? said(scene, NOTHING) : yield* perform(scene, change, wanted);
}

function* chosen(scene: Scene, { change, todos }: Extract<Pending, { ask: 'which' }>, text: string): Script<Said | undefined> {
  const words = plainClause(text)
    .replace(/^(?:no,? |i mean(?:t)?,? |it's |only |just |yes,? )+/i, '')
    .replace(/ (?:please|one please)$/i, '');
  if (/^(?:both|all|all of (?:them|those|these)|everything|every one|each|them all|both of (?:them|those))$/i.test(words))
    return yield* perform(scene, change, todos);
  if (isYes(words)) return said(scene, askWhich(change, todos, scene.now), { pending: { ask: 'which', change, todos } });
  const exact = /^(?:add|create|remind|new|also)\b/i.test(words) ? undefined : bestMatch(words, todos);
  if (exact?.fit === 'exact' && exact.todos.length === 1) return yield* perform(scene, change, exact.todos);
  const meaning = clauseMeaning(words, scene.hearing);
  const again = meaning.kind === 'change' && meaning.change.kind === change.kind ? meaning.target : undefined;
  if (!isRemark(meaning) && !again && !isPlace(scene, words)) return undefined;
  const picked = again?.by === 'name' ? pick(scene, again.name, todos) : pick(scene, words, todos);
  return picked.length === 0 ? undefined : yield* perform(scene, change, picked);
}

function isPlace(scene: Scene, words: string): boolean {
  const { by } = referenceIn(words, scene.hearing);
  return by === 'place' || by === 'age' || by === 'focus';
}

/** The offered todos that the person points at. */
function pick(scene: Scene, words: string, todos: readonly Todo[]): Todo[] {
  const reference = referenceIn(words, scene.hearing);
  if (reference.by === 'place') {
    return reference.places.flatMap((place) => todos[place < 0 ? todos.length + place : place - 1] ?? []);
  }
  if (reference.by === 'age') return byAgeIn(todos, reference.which, reference.count);
  if (reference.by === 'several') return reference.parts.flatMap((part) => (part.by === 'name' ? pick(scene, part.name, todos) : []));
  const { filter } = takeFilter(words, scene.now);
  const filtered = todos.filter(
    (todo) => (!filter.status || todo.status === filter.status) && (!filter.priority || todo.priority === filter.priority),
  );
  if ((filter.status || filter.priority) && filtered.length === 1) return filtered;
  if (reference.by === 'topic') return aboutTopic(reference.topic, todos);
  if (reference.by !== 'name') return [];
  const match = bestMatch(reference.name, todos);
  return match && match.todos.length === 1 ? match.todos : [];
}

function* agreed(scene: Scene, { todos }: Extract<Pending, { ask: 'create' }>, text: string): Script<Said | undefined> {
  if (
    isYes(text) ||
    /^(?:yes|yeah|sure|ok|okay|please)?,? ?(?:add|create|do) (?:it|them|that|those|so|both|all)(?: please)?$/i.test(text)
  ) {
    return yield* create(scene, { kind: 'create', todos, repeats: false });
  }
  const more = /^(?:yes|yeah|yep|sure|ok|okay|please)[,.! ]+(?:add it |and |but |make it |put it )?(.+)$/i.exec(text)?.[1];
  const change = more === undefined ? undefined : bareChange(more, scene.hearing);
  if (!change) return undefined;
  const details = { ...(change.due && { due: change.due }), ...(change.priority && { priority: change.priority }) };
  return yield* create(scene, { kind: 'create', todos: todos.map((todo) => ({ ...todo, ...details })), repeats: false });
}

function* titled(scene: Scene, { rest }: Extract<Pending, { ask: 'title' }>, text: string): Script<Said | undefined> {
  if (isNo(text) || /^(?:nothing|never ?mind|cancel|forget it)[.!]*$/i.test(text)) return said(scene, NOTHING);
  const meaning = clauseMeaning(text, scene.hearing);
  if (meaning.kind === 'change' || meaning.kind === 'read' || meaning.kind === 'undo' || meaning.kind === 'about') return undefined;
  if (meaning.kind === 'create') return yield* create(scene, { ...meaning, todos: meaning.todos.map((todo) => ({ ...rest, ...todo })) });
  const intent = creation(text, scene.hearing);
  if (intent.todos.length === 0) return undefined;
  return yield* create(scene, { ...intent, todos: intent.todos.map((todo) => ({ ...rest, ...todo })) });
}

function* specified(scene: Scene, { todos }: Extract<Pending, { ask: 'what' }>, text: string): Script<Said | undefined> {
  const typed = bareChange(plainClause(text), scene.hearing);
  if (typed) return yield* perform(scene, { kind: 'edit', edit: typed }, todos);
  const meaning = clauseMeaning(text, scene.hearing);
  if (!isRemark(meaning) && meaning.kind !== 'create') return undefined;
  const worded = /^(?:the )?(?:title|name|text)(?: to| should be| is|:)? (.+)$/i.exec(text)?.[1];
  const edit = worded === undefined ? editIn(`change it's ${text}`, scene.hearing) : undefined;
  if (edit?.kind === 'change') return yield* perform(scene, edit.change, todos);
  return yield* perform(scene, { kind: 'edit', edit: { title: newTodo(detailsIn(worded ?? text, scene.hearing)).title } }, todos);
}

import { load } from '../finding.ts';
import { grounded } from '../grounding.ts';
import type { Change } from '../intents.ts';
import type { Scene, Script } from '../script.ts';
import { askConfirm, askWhich, named } from '../sentences.ts';
import { perform } from './changing.ts';
import { type Said, said } from './reply.ts';

/** A remark that matches no rule, about existing todos: "flights are booked, yay". Undefined if it says nothing about them. */
export function* remark(scene: Scene, words: string): Script<Said | undefined> {
  if (/\?\s*$/.test(words)) return undefined;
  const open = (yield* load(scene, {})).filter((todo) => todo.status === 'open');
  const found = grounded(words, open, scene.hearing);
  if (!found || (!found.change && !found.denied)) return undefined;
  const { todos, change, sure } = found;
  if (!change) return said(scene, `OK, ${named(todos)} ${todos.length === 1 ? 'stays' : 'stay'} open.`, { focus: todos });
  if (todos.length > 1)
    return said(scene, askWhich(change, todos, scene.now), { pending: { ask: 'which', change, todos }, list: todos, focus: [] });
  if (sure && change.kind !== 'delete') return yield* perform(scene, change, todos);
  return said(scene, askConfirm(change, todos, scene.now), { pending: { ask: 'confirm', change, todos }, focus: todos });
}

/** An order for a todo whose name fits only partly: done if every word is explained and nothing is deleted, otherwise asked. */
export function* nearest(scene: Scene, words: string, change: Change): Script<Said | undefined> {
  const status = change.kind === 'reopen' ? 'completed' : 'open';
  if (change.kind === 'restore') return undefined;
  const found = grounded(
    words,
    (yield* load(scene, {})).filter((todo) => todo.status === status),
    scene.hearing,
  );
  if (!found) return undefined;
  const { todos, sure } = found;
  if (todos.length > 1)
    return said(scene, askWhich(change, todos, scene.now), { pending: { ask: 'which', change, todos }, list: todos, focus: [] });
  if (sure && change.kind !== 'delete' && change.kind !== 'archive') return yield* perform(scene, change, todos);
  return said(scene, askConfirm(change, todos, scene.now), { pending: { ask: 'confirm', change, todos }, focus: todos });
}

/** The todos that were mentioned, for a later "it". */
export function* talkedAbout(scene: Scene, words: string): Script<Scene['memory']['focus']> {
  const open = (yield* load(scene, {})).filter((todo) => todo.status === 'open');
  return grounded(words, open, scene.hearing)?.todos ?? [];
}

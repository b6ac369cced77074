import type { User } from '@millrace/kernel';
import { HOUSE, type Phrasing } from './phrasings.ts';
import type { Stage, StageTodo } from './stage.ts';

/** A todo in the words of the phrasings. */
function facts(todo: StageTodo): string[] {
  return [
    ...(todo.priority === 'medium' ? [] : [todo.priority]),
    ...(todo.due_at === undefined ? [] : [`due ${shortDate(todo.due_at)}`]),
    ...(todo.tags ?? []).map((tag) => `#${tag}`),
    ...(todo.description ? [`note ${todo.description}`] : []),
  ];
}

function shortDate(dueAt: string): string {
  return dueAt.endsWith('T23:59:59.000Z') ? dueAt.slice(0, 10) : dueAt.slice(0, 16);
}

const STATUS: Record<StageTodo['status'], string> = { open: 'open', completed: 'done', archived: 'gone' };

/** What changed between two looks at the todos, as effects. */
export function effectsBetween(before: readonly StageTodo[], after: readonly StageTodo[]): string[] {
  return after.flatMap((todo) => {
    const old = before.find(({ id }) => id === todo.id);
    const became = (from: StageTodo['status']) => (todo.status === from ? [] : [`${STATUS[todo.status]}: ${old?.title ?? todo.title}`]);
    if (!old) {
      const undone = todo.status === 'archived';
      return [
        ...(undone ? [] : [[`+${todo.title}`, ...facts(todo)].join(' | ')]),
        ...(undone ? [`added and gone: ${todo.title}`] : became('open')),
      ];
    }
    const changes = [
      ...(old.title === todo.title ? [] : [`title ${todo.title}`]),
      ...(old.priority === todo.priority ? [] : [todo.priority]),
      ...(old.due_at === todo.due_at ? [] : [todo.due_at === undefined ? 'no due' : `due ${shortDate(todo.due_at)}`]),
      ...(String(old.tags ?? []) === String(todo.tags ?? [])
        ? []
        : todo.tags
          ? todo.tags.filter((tag) => !old.tags?.includes(tag)).map((tag) => `#${tag}`)
          : ['#']),
      ...((old.description ?? '') === (todo.description ?? '') ? [] : [`note ${todo.description ?? ''}`]),
    ];
    return [...became(old.status), ...(changes.length > 0 ? [[old.title, ...changes].join(' | ')] : [])];
  });
}

/** Effects that mean the same are written the same; what was added and taken away again is nothing. */
export function comparable(effects: readonly string[]): string[] {
  return effects
    .filter((effect) => !effect.startsWith('added and gone: '))
    .filter((effect, _, all) => !(effect.startsWith('+') && all.includes(`gone: ${effect.slice(1)}`)))
    .filter((effect, _, all) => !(effect.startsWith('gone: ') && all.includes(`+${effect.slice(6)}`)))
    .map((effect) =>
      effect
        .split(' | ')
        .sort((a, b) => Number(b.startsWith('+')) - Number(a.startsWith('+')))
        .join(' | '),
    )
    .map(sortFacts)
    .sort();
}

function sortFacts(effect: string): string {
  const [head = '', ...facts] = effect.split(' | ');
  return [head, ...facts.sort()].join(' | ');
}

export interface Outcome {
  effects: string[];
  replies: string[];
  statuses: string[];
}

/** Says it as somebody who has just moved into the house, and looks at the todos afterwards. */
export async function outcomeOf([say]: Phrasing, scene: Stage, as: User, house: readonly object[] = HOUSE): Promise<Outcome> {
  await scene.addFor(as, ...(house as Record<string, unknown>[]));
  const before = await scene.todos(as);
  const replies: string[] = [];
  const statuses: string[] = [];
  for (const text of [say].flat()) {
    const { reply, status } = await scene.say(text, as);
    replies.push(reply);
    statuses.push(status);
  }
  return { effects: effectsBetween(before, await scene.todos(as)), replies, statuses };
}

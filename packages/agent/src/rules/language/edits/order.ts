import type { Edit, Order, Priority } from '../../intents.ts';
import { dueOf, wholeMoment } from '../dates.ts';
import type { Moment } from '../days.ts';
import type { Hearing } from '../listening.ts';
import { referenceIn } from '../references.ts';
import { capitalised } from '../text.ts';
import { detailsIn, newTodo } from '../titles.ts';

export function priorityNamed(words: string): Priority | undefined {
  const text = words.trim().toLowerCase();
  if (
    /^(?:a |an |the )?(?:very |really |super |most )?(?:high|highest|top|urgent|critical|important|p1)(?:[- ]?(?:priority|prio|importance|one))?$/.test(
      text,
    )
  )
    return 'high';
  if (/^(?:a |the )?(?:very )?(?:low|lowest|minor|unimportant|p3)(?:[- ]?(?:priority|prio|importance))?$/.test(text)) return 'low';
  return /^(?:a |the )?(?:medium|normal|regular|default|mid|p2)(?:[- ]?(?:priority|prio|importance))?$/.test(text) ? 'medium' : undefined;
}

/** The order to change a todo. */
export function edit(said: string, change: Edit, hearing: Hearing, more: { doubtful?: true } = {}): Order {
  return { kind: 'change', change: { kind: 'edit', edit: change }, target: referenceIn(said, hearing), ...more };
}

/** A time without a day keeps the day of the current due date. */
export function dueChange(moment: Moment, hearing: Hearing): Edit {
  const due = dueOf(moment, hearing.now);
  return moment.day === undefined && moment.instant === undefined && moment.time
    ? { due, time: { ...moment.time, ...(moment.halfUnsaid && { halfUnsaid: true }) } }
    : { due };
}

export function tagsIn(words: string): string[] {
  return words
    .split(/, ?| and | & /)
    .map((tag) =>
      tag
        .trim()
        .replace(/^#|^(?:an?|the) /i, '')
        .replace(/ (?:tag|label|list|category)$/i, '')
        .toLowerCase(),
    )
    .filter((tag) => tag !== '' && tag.length <= 50);
}

/** Words as they should appear in a todo. */
export const value = (words: string, { quotes }: Hearing) =>
  capitalised(
    quotes
      .show(words.replace(/[.!]+$/, '').replace(/ (?:instead|please|now)$/i, ''))
      .replace(/^["']|["']$/g, '')
      .trim(),
  );

/** Words after "to": a date, a priority, or a new title. */
export function typedChange(words: string, hearing: Hearing, mayBeTitle: boolean): Edit | undefined {
  const text = words
    .replace(/[.!]+$/, '')
    .replace(/ (?:instead|please)$/i, '')
    .trim();
  const priority = priorityNamed(text);
  if (priority) return { priority };
  const moment = wholeMoment(text.replace(/^(?:be )?(?:due )?(?:on |by |for )?/i, ''), hearing.now) ?? wholeMoment(text, hearing.now);
  if (moment) return dueChange(moment, hearing);
  return mayBeTitle && text !== '' ? { title: value(text, hearing) } : undefined;
}

/** Where a name could end: "go to the gym to go swimming". */
const ENDS = / (?:to|into|as|with) /gi;

export function renamed(target: string, words: string, hearing: Hearing): Order {
  const plain = edit(target, { title: value(words, hearing) }, hearing);
  const readings = [...words.matchAll(ENDS)].slice(0, 5).map((end) => {
    const title = value(words.slice(end.index + end[0].length), hearing);
    const { change, target: longer } = edit(`${target} to ${words.slice(0, end.index)}`, { title }, hearing);
    return { change, target: longer };
  });
  return readings.length > 0 ? { ...plain, readings } : plain;
}

/** "…, not 10:30", "… instead of monday": the old value. */
function withoutContrast(date: string, { now }: Hearing): string {
  const [, kept = '', old = ''] = /^(.+?),? (?:and not|not|instead of|rather than) (.+)$/i.exec(date) ?? [];
  return old !== '' && (/^\d{1,2}$/.test(old) || wholeMoment(old.replace(/^(?:at|on|the) /i, ''), now)) ? kept : date;
}

/** A new date for a todo; undefined if the words are not a date. */
export function moved(target: string, date: string, hearing: Hearing, orNew = false): Order | undefined {
  const words = withoutContrast(date.replace(/[.!]+$/, ''), hearing).replace(/ (?:instead|please|then|now|from now on)$/i, '');
  const moment =
    wholeMoment(words, hearing.now) ??
    wholeMoment(words.replace(/^(?:due|on|by|at|for|until) /i, ''), hearing.now) ??
    (/^\d/.test(words) ? wholeMoment(`at ${words}`, hearing.now) : undefined);
  if (!moment) return undefined;
  const intent = edit(target.replace(/,? now$/i, ''), dueChange(moment, hearing), hearing);
  if (!orNew) return intent;
  return { ...intent, otherwise: { todos: [{ ...newTodo(detailsIn(target, hearing)), due: dueOf(moment, hearing.now) }], clear: false } };
}

import { comingWeekday, type Day, iso, lastOfMonth, type Now, plusDays, plusMonths, today, weekdayOf } from './calendar.ts';
import { wholeMoment } from './dates.ts';
import { COUNT, countOf, plusUnits } from './days.ts';

/** The days that a question is about, for filters: from the end of one day to the end of another. */
export interface DayRange {
  due?: 'today' | 'week';
  due_after?: string;
  due_before?: string;
}

/** "tomorrow", "next week", "by friday", "in the next 3 days". */
export function dayRange(words: string, now: Now): DayRange | undefined {
  const text = words
    .trim()
    .toLowerCase()
    .replace(/^(?:due |for |on |in )+(?=\S)/, '');
  const from = today(now);
  const between = (first: Day, last: Day): DayRange => ({ due_after: iso(plusDays(first, -1)), due_before: iso(last) });
  if (/^(?:today|tonight|this (?:morning|afternoon|evening))$/.test(text)) return { due: 'today' };
  if (/^(?:this week|(?:the )?week|the next (?:week|7 days|seven days)|the coming week|within (?:a|the) week|next 7 days)$/.test(text))
    return { due: 'week' };
  if (/^next week$/.test(text)) {
    const monday = comingWeekday(from, 1);
    return between(monday, plusDays(monday, 6));
  }
  if (/^(?:this|the) month$/.test(text)) return between(from, lastOfMonth(from));
  if (/^next month$/.test(text)) {
    const first = { ...plusMonths({ ...from, day: 1 }, 1) };
    return between(first, lastOfMonth(first));
  }
  if (/^(?:this|the|next) weekend$/.test(text)) {
    const saturday = weekdayOf(from) === 6 ? from : comingWeekday(from, 6);
    return between(saturday, plusDays(saturday, 1));
  }
  const ahead = new RegExp(`^the next (${COUNT}) (days|weeks|months)$`).exec(text);
  if (ahead) return between(from, plusUnits(from, countOf(ahead[1] as string), ahead[2] as string));
  const until = /^(?:by|before|until|till|up to) (.+)$/.exec(text);
  const day = wholeMoment(until?.[1] ?? text, now)?.day;
  if (!day) return undefined;
  if (!until) return between(day, day);
  return { due_before: iso(text.startsWith('before') ? plusDays(day, -1) : day) };
}

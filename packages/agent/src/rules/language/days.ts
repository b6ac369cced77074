import {
  comingWeekday,
  DAYS_A_WEEK,
  type Day,
  isBefore,
  isRealDay,
  lastOfMonth,
  monthNamed,
  type Now,
  plusDays,
  plusMonths,
  type Time,
  weekdayNamed,
  weekdayOf,
  weekdayOfNextWeek,
} from './calendar.ts';

/** A day, a time of day, or both. */
export interface Moment {
  day?: Day;
  time?: Time;
  /** For "at 8": morning or evening is unknown. */
  halfUnsaid?: boolean;
  /** For "in 20 minutes": an exact instant. */
  instant?: Date;
}

export const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
export const SHORT_WEEKDAY = '(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\\.?';
export const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
export const PART = '(?:morning|afternoon|evening|night)';
export const COUNT = '(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|(?:a )?couple of|(?:a )?few|half an)';
const UNIT = '(?:minutes?|mins?|m|hours?|hrs?|h|days?|weeks?|months?|years?)';
const NAMED = `(?:(?:${WEEKDAY}|${SHORT_WEEKDAY}),? )?`;
const HOLIDAYS: Record<string, [month: number, day: number]> = {
  "new year's day": [1, 1],
  "valentine's day": [2, 14],
  "valentine's": [2, 14],
  "st patrick's day": [3, 17],
  halloween: [10, 31],
  'christmas eve': [12, 24],
  'christmas day': [12, 25],
  'boxing day': [12, 26],
  "new year's eve": [12, 31],
  christmas: [12, 25],
  xmas: [12, 25],
};

/** Days, each with its reading; the longer ones come first. */
export const DAYS: [string, (words: string, from: Day, now: Now) => Moment | undefined][] = [
  ['(?:the )?day after tomorrow', (_, from) => ({ day: plusDays(from, 2) })],
  [`(?:${COUNT} weeks? (?:from |on )?)(?:today|tomorrow|now|${WEEKDAY})|(?:today|tomorrow|${WEEKDAY}) week(?![- ]?end)`, weeksFrom],
  [`(?:the )?${WEEKDAY} after next`, (words, from) => weeksFrom(`a week from ${words.replace(/^the /, '')}`, from)],
  ['(?:the )?week after next', (_, from) => ({ day: plusDays(from, 2 * DAYS_A_WEEK) })],
  [`(?:in|within|over) (?:the next )?${COUNT} ?${UNIT}|${COUNT} ${UNIT} from now`, fromNow],
  [`(?:later )?(?:today|tonight|tomorrow|tmrw|tmr)(?: (?:in the )?${PART})?|this ${PART}`, relativeDay],
  ['(?:the )?(?:end of (?:the |this )?(?:business )?(?:day)|eod|close of business|cob)', (_, from) => ({ day: from })],
  ['(?:the )?(?:end of (?:the |this )?(?:work )?week|eow)|(?:later )?this week', endOfWeek],
  ['(?:the )?end of next week', (_, from) => ({ day: weekdayOfNextWeek(weekdayOf(from) === 0 ? plusDays(from, 1) : from, 5) })],
  ['(?:the )?(?:end of (?:the |this )?month|eom)|(?:later )?this month', (_, from) => ({ day: lastOfMonth(from) })],
  ['(?:the )?end of next month', (_, from) => ({ day: lastOfMonth(plusMonths(from, 1)) })],
  ['(?:the )?end of (?:the |this )?year', (_, from) => ({ day: { year: from.year, month: 12, day: 31 } })],
  ['(?:at )?(?:the )?(?:start|beginning) of (?:next|the) week', (_, from) => ({ day: comingWeekday(from, 1) })],
  [`(?:the )?(?:start|beginning|middle|end) of ${MONTH}|mid[- ]${MONTH}`, partOfMonth],
  ['(?:the )?(?:start|beginning) of next month', (_, from) => ({ day: { ...plusMonths(from, 1), day: 1 } })],
  ['(?:the )?\\d{1,2}(?:st|nd|rd|th) of next month|next month on the \\d{1,2}(?:st|nd|rd|th)', dayOfNextMonth],
  ['(?:early |sometime )?next week', (_, from) => ({ day: plusDays(from, DAYS_A_WEEK) })],
  ['next month', (_, from) => ({ day: plusMonths(from, 1) })],
  ['next year', (_, from) => ({ day: plusMonths(from, 12) })],
  ['(?:this|the|over the|at the|on the|on|at) weekend', (_, from) => ({ day: weekdayOf(from) === 6 ? from : comingWeekday(from, 6) })],
  ['next weekend', (_, from) => ({ day: weekdayOfNextWeek(from, 6) })],
  [`${NAMED}(?:the )?${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?(?!\\d)`, monthDay],
  [`${NAMED}(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? \\d{4})?(?![a-z\\d])`, monthDay],
  [`${NAMED}the \\d{1,2}(?:st|nd|rd|th)(?! of)(?: of (?:the|this) month)?`, dayOfMonth],
  [`(?:next |this coming |this |the coming |coming )?${WEEKDAY}(?: next week)?(?:,? (?:in the )?${PART})?`, weekday],
  [`(?:next |this coming |this |(?<=\\b(?:on|by|due|until|till|before|for) ))${SHORT_WEEKDAY}(?: ${PART})?(?![a-z])`, weekday],
  [`(?:mon|tues?|weds?|thurs?|fri)(?: ${PART}|(?= (?:at )?\\d)|(?=[.,!]*$))|(?:sat|sun)(?: ${PART}|(?= (?:at )?\\d))`, weekday],
  ['\\d{4}[-/]\\d{2}[-/]\\d{2}', isoDay],
  ['\\d{1,2}/\\d{1,2}(?:/(?:\\d{4}|\\d{2}))?(?![\\d/])', slashDay],
  ['\\d{1,2}\\.\\d{1,2}\\.(?:\\d{4}|\\d{2})?(?!\\d)', dottedDay],
  [`(?<=\\b(?:by|on|before|until|till|due|for) )(?:${Object.keys(HOLIDAYS).join('|')})(?! \\w)`, holiday],
];

const PART_HOURS: Record<string, number> = { morning: 9, afternoon: 15, evening: 19, night: 21 };

export function partTime(words: string): Time | undefined {
  const part = /morning|afternoon|evening|night/.exec(words)?.[0];
  return part === undefined ? undefined : { hour: PART_HOURS[part] as number, minute: 0 };
}

function withPart(day: Day, words: string): Moment {
  const time = partTime(words);
  return time ? { day, time } : { day };
}

function relativeDay(words: string, from: Day): Moment {
  return withPart(/tomorrow|tmrw|tmr/.test(words) ? plusDays(from, 1) : from, words);
}

export function weekday(words: string, from: Day): Moment | undefined {
  const name = new RegExp(`${WEEKDAY}|\\b${SHORT_WEEKDAY}(?![a-z])`, 'i').exec(words.trim())?.[0];
  const wanted = name === undefined ? undefined : weekdayNamed(name);
  if (wanted === undefined) return undefined;
  const day = /^next |next week/i.test(words.trim()) ? weekdayOfNextWeek(from, wanted) : comingWeekday(from, wanted);
  return withPart(day, words.replace(name as string, ''));
}

function monthDay(words: string, from: Day): Moment | undefined {
  const month = monthNamed(new RegExp(`\\b${MONTH}(?![a-z])`, 'i').exec(words)?.[0] ?? '');
  const numbers = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [day, year] = numbers;
  if (month === undefined || day === undefined) return undefined;
  return onCalendar({ year: year ?? from.year, month, day }, from, year === undefined);
}

function isoDay(words: string): Moment | undefined {
  const [year = 0, month = 0, day = 0] = words.split(/[-/]/).map(Number);
  return isRealDay({ year, month, day }) ? { day: { year, month, day } } : undefined;
}

/** Month first, unless that is impossible. */
function slashDay(words: string, from: Day): Moment | undefined {
  const [first = 0, second = 0, given] = words.split('/').map(Number);
  const year = given === undefined ? from.year : given < 100 ? 2000 + given : given;
  const [month, day] = first > 12 ? [second, first] : [first, second];
  return onCalendar({ year, month, day }, from, given === undefined);
}

export function dayOfMonth(words: string, from: Day): Moment | undefined {
  const day = Number(/\d+/.exec(words)?.[0]);
  const here = { ...from, day };
  if (isRealDay(here) && !isBefore(here, from)) return { day: here };
  const there = { ...plusMonths({ ...from, day: 1 }, 1), day };
  return isRealDay(there) ? { day: there } : undefined;
}

/** Day first, as usual with dots. */
function dottedDay(words: string, from: Day): Moment | undefined {
  const [day = 0, month = 0, given] = words.split('.').filter(Boolean).map(Number);
  const year = given === undefined ? from.year : given < 100 ? 2000 + given : given;
  return onCalendar({ year, month, day }, from, given === undefined);
}

function holiday(words: string, from: Day): Moment | undefined {
  const [month, day] = HOLIDAYS[words.toLowerCase()] ?? [0, 0];
  return onCalendar({ year: from.year, month, day }, from, true);
}

const MIDDLE = 15;

function partOfMonth(words: string, from: Day): Moment | undefined {
  const month = monthNamed(words.trim().split(/[- ]/).at(-1) ?? '');
  if (month === undefined) return undefined;
  const first = { year: from.year + (month < from.month ? 1 : 0), month, day: 1 };
  return { day: /end/i.test(words) ? lastOfMonth(first) : /mid/i.test(words) ? { ...first, day: MIDDLE } : first };
}

function dayOfNextMonth(words: string, from: Day): Moment | undefined {
  const there = { ...plusMonths({ ...from, day: 1 }, 1), day: Number(/\d+/.exec(words)?.[0]) };
  return isRealDay(there) ? { day: there } : undefined;
}

function onCalendar(day: Day, from: Day, mayBeNextYear: boolean): Moment | undefined {
  if (!isRealDay(day)) return undefined;
  return { day: mayBeNextYear && isBefore(day, from) ? { ...day, year: day.year + 1 } : day };
}

const NUMBERS = 'one two three four five six seven eight nine ten'.split(' ');
const COUNTS = new Map([
  ...NUMBERS.map((word, index): [string, number] => [word, index + 1]),
  ...Object.entries({ 'half an': 0.5, a: 1, an: 1, 'a couple of': 2, 'couple of': 2, 'a few': 3, few: 3 }),
]);
const MINUTE_MS = 60_000;

export function countOf(words: string): number {
  return COUNTS.get(words.toLowerCase()) ?? Number(words);
}

function fromNow(words: string, from: Day, { instant }: Now): Moment | undefined {
  const [, count = '', unit = ''] = new RegExp(`(?:(?:in|within|over) (?:the next )?)?(${COUNT}) ?(${UNIT})`, 'i').exec(words) ?? [];
  const amount = countOf(count);
  if (/^m(?:in|$)/.test(unit)) return { instant: new Date(instant.getTime() + amount * MINUTE_MS) };
  if (/^h/.test(unit)) return { instant: new Date(instant.getTime() + amount * 60 * MINUTE_MS) };
  return { day: plusUnits(from, amount, unit) };
}

export function plusUnits(day: Day, amount: number, unit: string): Day {
  if (unit.startsWith('d')) return plusDays(day, Math.round(amount));
  if (unit.startsWith('w')) return plusDays(day, Math.round(amount * DAYS_A_WEEK));
  return plusMonths(day, Math.round(amount) * (unit.startsWith('y') ? 12 : 1));
}

function weeksFrom(words: string, from: Day): Moment | undefined {
  const [, count = 'a', start = ''] =
    new RegExp(`(${COUNT}) weeks? (?:from |on )?(\\w+)`, 'i').exec(words) ?? /^()(\w+)/.exec(words.trim()) ?? [];
  const weekdayNumber = weekdayNamed(start);
  const begin = /tomorrow/.test(start)
    ? plusDays(from, 1)
    : /day$/.test(start) && start !== 'today' && weekdayNumber !== undefined
      ? comingWeekday(from, weekdayNumber)
      : from;
  return { day: plusDays(begin, countOf(count || 'a') * DAYS_A_WEEK) };
}

const FRIDAY = 5;

function endOfWeek(_: string, from: Day): Moment {
  const current = weekdayOf(from);
  return { day: current === FRIDAY || current === 6 || current === 0 ? from : comingWeekday(from, FRIDAY) };
}

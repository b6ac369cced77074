import {
  comingWeekday,
  DAYS_A_WEEK,
  type Day,
  isBefore,
  iso,
  isRealDay,
  lastOfMonth,
  monthNamed,
  type Now,
  plusDays,
  plusMonths,
  type Time,
  today,
  wallOf,
  weekdayNamed,
  weekdayOf,
  weekdayOfNextWeek,
} from './calendar.ts';

/** A day, a time of day, or both. */
export interface Moment {
  day?: Day;
  time?: Time;
  /** For "in 20 minutes": an exact instant. */
  instant?: Date;
}

const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const SHORT_WEEKDAY = '(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\\.?';
const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const PART = '(?:morning|afternoon|evening|night)';
export const COUNT = '(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few|half an)';
const UNIT = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)';

/** Days, each with its reading; the longer ones come first. */
const DAYS: [string, (words: string, from: Day, now: Now) => Moment | undefined][] = [
  ['(?:the )?day after tomorrow', (_, from) => ({ day: plusDays(from, 2) })],
  [`(?:${COUNT} weeks? from )(?:today|tomorrow|now|${WEEKDAY})`, weeksFrom],
  [`(?:in|within) (?:the next )?${COUNT} ${UNIT}|${COUNT} ${UNIT} from now`, fromNow],
  [`(?:later )?(?:today|tonight|tomorrow|tmrw|tmr)(?: (?:in the )?${PART})?|this ${PART}`, relativeDay],
  ['(?:the )?(?:end of (?:the |this )?(?:business )?(?:day)|eod|close of business|cob)', (_, from) => ({ day: from })],
  ['(?:the )?(?:end of (?:the |this )?(?:work )?week|eow)|(?:later )?this week', endOfWeek],
  ['(?:the )?end of next week', (_, from) => ({ day: weekdayOfNextWeek(weekdayOf(from) === 0 ? plusDays(from, 1) : from, 5) })],
  ['(?:the )?(?:end of (?:the |this )?month|eom)|(?:later )?this month', (_, from) => ({ day: lastOfMonth(from) })],
  ['(?:the )?end of next month', (_, from) => ({ day: lastOfMonth(plusMonths(from, 1)) })],
  ['(?:the )?end of (?:the |this )?year', (_, from) => ({ day: { year: from.year, month: 12, day: 31 } })],
  ['(?:early |sometime )?next week', (_, from) => ({ day: plusDays(from, DAYS_A_WEEK) })],
  ['next month', (_, from) => ({ day: plusMonths(from, 1) })],
  ['next year', (_, from) => ({ day: plusMonths(from, 12) })],
  ['(?:this|the|over the|at the|on the) weekend', (_, from) => ({ day: weekdayOf(from) === 6 ? from : comingWeekday(from, 6) })],
  ['next weekend', (_, from) => ({ day: weekdayOfNextWeek(from, 6) })],
  [`(?:a week on |${WEEKDAY} week)`, () => undefined],
  [`(?:next |this coming |this |the coming |coming )?${WEEKDAY}(?: next week)?(?:,? (?:in the )?${PART})?`, weekday],
  [`(?:next |this coming |this |(?<=\\b(?:on|by|due|until|till|before|for) ))${SHORT_WEEKDAY}(?![a-z])`, weekday],
  [`${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?(?!\\d)`, monthDay],
  [`(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? \\d{4})?(?![a-z\\d])`, monthDay],
  ['\\d{4}-\\d{2}-\\d{2}', isoDay],
  ['\\d{1,2}/\\d{1,2}(?:/(?:\\d{4}|\\d{2}))?(?![\\d/])', slashDay],
  ['the \\d{1,2}(?:st|nd|rd|th)(?! of)(?: of (?:the|this) month)?', dayOfMonth],
];

const CLOCK =
  "\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.?|p\\.m\\.?)(?![a-z])|\\d{1,2}:\\d{2}(?!\\d)|noon|midnight|midday|\\d{1,2} o'?clock|lunch ?time";
const TIME = `(?:(?:at |by |around |before |@ ?|about )*(?:${CLOCK})|(?:at|by|around|@) ?\\d{1,2}(?![\\d:/.%a-z-])(?: in the ${PART})?)(?: in the ${PART}| tonight(?! ))?|in the ${PART}`;
const LEAD =
  "(?:@ ?|(?:which is |that is |is |it's |its )?due(?: date)?(?: is| on| by| at| for|:)? |by |on |at |before |for |until |till |around |first thing |no later than |not later than |starting |sometime |from )*";
const ANY_DAY = DAYS.map(([pattern]) => `(?:${pattern})`).join('|');
const PHRASE = `${LEAD}(?:(?:${ANY_DAY})(?:,? (?:${TIME}))?|(?:${TIME})(?:,? (?:on |by )?(?:${ANY_DAY}))?)`;

const phrases = () => new RegExp(`(?<![\\w'/#.-])(?:${PHRASE})(?![\\w/])`, 'gi');
const wholePhrase = new RegExp(`^(?:${PHRASE})$`, 'i');
const REPEATS =
  /\b(?:every|each) (?:other )?(?:day|week|month|year|morning|afternoon|evening|night|weekday|weekend|hour|\d+|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|\b(?:daily|weekly|monthly|yearly|annually|biweekly)\b/i;

export interface TakenDate {
  /** The text without the date. */
  rest: string;
  moment?: Moment;
  repeats: boolean;
}

/** Finds when something is due inside a sentence, and takes it out. Dates that belong to the thing itself stay. */
export function takeDate(text: string, now: Now): TakenDate {
  if (REPEATS.test(text)) return { rest: text, repeats: true };
  const found = [...text.matchAll(phrases())].filter((match) => isDue(match, text));
  const [leading] = found.filter((match) => match.index === 0);
  const chosen = leading ?? found.findLast((match) => endsText(match, text)) ?? found[0];
  if (!chosen) return { rest: text, repeats: false };
  const moment = readMoment(chosen[0], now);
  if (!moment) return { rest: text, repeats: false };
  const before = text.slice(0, chosen.index).trimEnd();
  const after = text.slice(chosen.index + chosen[0].length).trimStart();
  return {
    rest: [before, after]
      .filter(Boolean)
      .join(' ')
      .replace(/ ([,.;:!?])/g, '$1'),
    moment,
    repeats: false,
  };
}

function endsText(match: RegExpExecArray, text: string): boolean {
  return /^[\s,.!?;)]*$/.test(text.slice(match.index + match[0].length));
}

const NAMED_DAY = new RegExp(`^(?:for )?(?:${WEEKDAY}|${MONTH} \\d{1,2})$`, 'i');
const BARE_SLASH = /^\d{1,2}\/\d{1,2}$/;

/** "the Friday report", "Monday's meeting", "friday or saturday" and "1/2 cup" are not when something is due. */
function isDue(match: RegExpExecArray, text: string): boolean {
  const before = text.slice(0, match.index);
  const after = text.slice(match.index + match[0].length);
  if (/^['’]s\b/.test(after)) return false;
  if (new RegExp(`^ (?:or|and|to|-|through) (?:${PHRASE})`, 'i').test(after)) return false;
  if (new RegExp(`(?:${PHRASE}) (?:or|and|to|-|through) $`, 'i').test(before)) return false;
  const [words] = match;
  if (/\b(?:last|previous|every|each|since|between|from|about|'s)\s$/i.test(before) && !/^(?:by|due|on) /i.test(words)) return false;
  const followed =
    /^ [a-z0-9"⟦]/i.test(after) &&
    !/^ (?:to|and|about|with|for|at|in|so|because|but|please|or|then|on|by|regarding|via|using|from)\b/i.test(after);
  if (BARE_SLASH.test(words) || /^the \d+(?:st|nd|rd|th)$/i.test(words)) return !followed;
  if (NAMED_DAY.test(words) && followed) return match.index === 0 && !/^\w+ \w+$/.test(text);
  if (/\b(?:the|my|our|your|his|her|their|a)\s$/i.test(before) && !/^the /i.test(words)) return false;
  return !(followed && /^(?:for|at|by|around) (?:\d|the )/i.test(words) && !/[ap]\.?m|:|o'?clock/i.test(words));
}

/** The moment that a text names and nothing else: "monday at 9", "to next week". */
export function wholeMoment(text: string, now: Now): Moment | undefined {
  const words = text
    .trim()
    .replace(/^(?:to|till|until|for|on|by|the) (?=\S)/i, '')
    .replace(/[.!?]+$/, '');
  if (wholePhrase.test(words)) return readMoment(words, now);
  const plain = text.trim().replace(/[.!?]+$/, '');
  if (wholePhrase.test(plain)) return readMoment(plain, now);
  if (new RegExp(`^${SHORT_WEEKDAY}$`, 'i').test(words)) return weekday(words, today(now));
  const ordinal = /^(?:the )?(\d{1,2})(?:st|nd|rd|th)$/i.exec(words);
  return ordinal ? dayOfMonth(`the ${ordinal[1]}th`, today(now)) : undefined;
}

/** As the tools take it: a day, a day with a time, or an instant. A time alone is the next such time. */
export function dueOf({ day, time, instant }: Moment, now: Now): string {
  if (instant) return instant.toISOString();
  if (day) return iso(day, time);
  const wall = wallOf(now.instant, now.timeZone);
  const passed = time !== undefined && (time.hour < wall.hour || (time.hour === wall.hour && time.minute <= wall.minute));
  return iso(passed ? plusDays(today(now), 1) : today(now), time);
}

function readMoment(words: string, now: Now): Moment | undefined {
  const text = words.trim().toLowerCase();
  const from = today(now);
  for (const [pattern, read] of DAYS) {
    const match = new RegExp(`(?<![\\w])(?:${pattern})(?![\\w/])`, 'i').exec(text);
    if (!match) continue;
    const moment = read(match[0], from, now);
    if (!moment) return undefined;
    const around = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
    const time = readTime(around, /morning/.test(match[0]) ? 'am' : /afternoon|evening|night/.test(match[0]) ? 'pm' : undefined);
    return time ? { ...moment, time } : moment;
  }
  const time = readTime(text, undefined) ?? partTime(text);
  return time && (/tonight/.test(text) ? { day: from, time } : { time });
}

const LATEST_PLAUSIBLE_EVENING = 6;

/** "5pm", "17:00", "at 5": an hour from 1 to 6 that nobody calls morning is in the afternoon. */
function readTime(text: string, half: 'am' | 'pm' | undefined): Time | undefined {
  if (/\b(?:noon|midday|lunch ?time)\b/.test(text)) return { hour: 12, minute: 0 };
  if (/\bmidnight\b/.test(text)) return { hour: 23, minute: 59 };
  const match = /(?<![\d/-])(\d{1,2})(?::(\d{2}))?(?: ?(am|pm|a\.m|p\.m))?/.exec(text);
  if (!match) return undefined;
  let hour = Number(match[1]);
  const minute = Number(match[2] ?? 0);
  const said = match[3]?.replace('.', '').slice(0, 1);
  const part = /in the morning/.test(text) ? 'a' : /in the (?:afternoon|evening|night)|tonight/.test(text) ? 'p' : undefined;
  const meant = said ?? part ?? (half === undefined ? undefined : half[0]);
  if (meant === 'p' && hour < 12) hour += 12;
  else if (meant === 'a' && hour === 12) hour = 0;
  else if (meant === undefined && match[2] === undefined && hour >= 1 && hour <= LATEST_PLAUSIBLE_EVENING) hour += 12;
  return hour < 24 && minute < 60 ? { hour, minute } : undefined;
}

const PART_HOURS: Record<string, number> = { morning: 9, afternoon: 15, evening: 19, night: 21 };

function partTime(words: string): Time | undefined {
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

function weekday(words: string, from: Day): Moment | undefined {
  const name = new RegExp(`${WEEKDAY}|${SHORT_WEEKDAY}$`, 'i').exec(words.trim())?.[0];
  const wanted = name === undefined ? undefined : weekdayNamed(name);
  if (wanted === undefined) return undefined;
  const day = /^next |next week/i.test(words.trim()) ? weekdayOfNextWeek(from, wanted) : comingWeekday(from, wanted);
  return withPart(day, words.replace(name as string, ''));
}

function monthDay(words: string, from: Day): Moment | undefined {
  const month = monthNamed(/[a-z]{3,}/i.exec(words.replace(/\d+(?:st|nd|rd|th)/gi, '').replace(/\b(?:the|of)\b/gi, ''))?.[0] ?? '');
  const numbers = [...words.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const [day, year] = numbers;
  if (month === undefined || day === undefined) return undefined;
  return onCalendar({ year: year ?? from.year, month, day }, from, year === undefined);
}

function isoDay(words: string): Moment | undefined {
  const [year = 0, month = 0, day = 0] = words.split('-').map(Number);
  return isRealDay({ year, month, day }) ? { day: { year, month, day } } : undefined;
}

/** Month first, unless that cannot be. */
function slashDay(words: string, from: Day): Moment | undefined {
  const [first = 0, second = 0, given] = words.split('/').map(Number);
  const year = given === undefined ? from.year : given < 100 ? 2000 + given : given;
  const [month, day] = first > 12 ? [second, first] : [first, second];
  return onCalendar({ year, month, day }, from, given === undefined);
}

function dayOfMonth(words: string, from: Day): Moment | undefined {
  const day = Number(/\d+/.exec(words)?.[0]);
  const here = { ...from, day };
  if (isRealDay(here) && !isBefore(here, from)) return { day: here };
  const there = { ...plusMonths({ ...from, day: 1 }, 1), day };
  return isRealDay(there) ? { day: there } : undefined;
}

function onCalendar(day: Day, from: Day, mayBeNextYear: boolean): Moment | undefined {
  if (!isRealDay(day)) return undefined;
  return { day: mayBeNextYear && isBefore(day, from) ? { ...day, year: day.year + 1 } : day };
}

const COUNTS: Record<string, number> = {
  'half an': 0.5,
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  'a couple of': 2,
  'a few': 3,
};
const MINUTE_MS = 60_000;

export function countOf(words: string): number {
  return COUNTS[words.toLowerCase()] ?? Number(words);
}

function fromNow(words: string, from: Day, { instant }: Now): Moment | undefined {
  const [, count = '', unit = ''] = new RegExp(`(?:(?:in|within) (?:the next )?)?(${COUNT}) (${UNIT})`, 'i').exec(words) ?? [];
  const amount = countOf(count);
  if (/^min/.test(unit)) return { instant: new Date(instant.getTime() + amount * MINUTE_MS) };
  if (/^h/.test(unit)) return { instant: new Date(instant.getTime() + amount * 60 * MINUTE_MS) };
  return { day: plusUnits(from, amount, unit) };
}

export function plusUnits(day: Day, amount: number, unit: string): Day {
  if (unit.startsWith('d')) return plusDays(day, Math.round(amount));
  if (unit.startsWith('w')) return plusDays(day, Math.round(amount * DAYS_A_WEEK));
  return plusMonths(day, Math.round(amount) * (unit.startsWith('y') ? 12 : 1));
}

function weeksFrom(words: string, from: Day): Moment | undefined {
  const [, count = '', start = ''] = new RegExp(`(${COUNT}) weeks? from (\\w+)`, 'i').exec(words) ?? [];
  const weekdayNumber = weekdayNamed(start);
  const begin = /tomorrow/.test(start)
    ? plusDays(from, 1)
    : /day$/.test(start) && start !== 'today' && weekdayNumber !== undefined
      ? comingWeekday(from, weekdayNumber)
      : from;
  return { day: plusDays(begin, countOf(count) * DAYS_A_WEEK) };
}

const FRIDAY = 5;

function endOfWeek(_: string, from: Day): Moment {
  const current = weekdayOf(from);
  return { day: current === FRIDAY || current === 6 || current === 0 ? from : comingWeekday(from, FRIDAY) };
}

import { isBefore, iso, type Now, plusDays, type Time, today, wallOf } from './calendar.ts';
import { DAYS, dayOfMonth, MONTH, type Moment, PART, partTime, SHORT_WEEKDAY, WEEKDAY, weekday } from './days.ts';

const CLOCK = "\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.?|p\\.m\\.?)(?![a-z])|\\d{1,2}:\\d{2}(?!\\d)|noon|midnight|midday|\\d{1,2} o'?clock";
const SPAN =
  '(?:from |between )?\\d{1,2}(?::\\d{2})?(?:am|pm)? ?(?:-|to|and|until) ?\\d{1,2}(?::\\d{2})?(?:am|pm)|(?:from|between) \\d{1,2}(?::\\d{2})? (?:to|and|until) \\d{1,2}(?::\\d{2})?';
const TIME = `(?:${SPAN})|(?:(?:at |by |around |before |@ ?|about )*(?:${CLOCK})|(?:at|by|around|before|until|till|@) ?\\d{1,2}(?![\\d:/.%a-z-])(?: in the ${PART})?)(?: in the ${PART}| tonight(?! ))?|in the ${PART}|(?:at|by|before|around) lunch(?: ?time)?(?! with)|lunchtime`;
const LEAD =
  "(?:@ ?|(?:which is |that is |is |it's |its )?due(?: date)?(?: is| on| by| at| for|:)? |by |on |at |before |for |until |till |around |first thing |no later than |not later than |starting |sometime |from )*";
const ANY_DAY = DAYS.map(([pattern]) => `(?:${pattern})`).join('|');
const PHRASE = `${LEAD}(?:(?:${ANY_DAY})(?:,? (?:${TIME})|,? first thing)?|(?:${TIME})(?:,? (?:on |by )?(?:${ANY_DAY}))?)`;

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

/** The moment that a text consists of: "monday at 9", "to next week". */
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

/** As the tools accept it: a day, a day with a time, or an instant. A time alone is the next such time. */
export function dueOf({ day, time, halfUnsaid, instant }: Moment, now: Now): string {
  if (instant) return instant.toISOString();
  const from = today(now);
  if (day && (time === undefined || !halfUnsaid || isBefore(from, day))) return iso(day, time);
  const wall = wallOf(now.instant, now.timeZone);
  const passed = ({ hour, minute }: Time) => hour < wall.hour || (hour === wall.hour && minute <= wall.minute);
  const later = time && halfUnsaid && passed(time) ? { ...time, hour: time.hour + 12 } : time;
  if (day) return iso(day, later);
  if (later && !passed(later)) return iso(from, later);
  return iso(time === undefined ? from : plusDays(from, 1), time);
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
    return time ? { ...moment, ...time } : moment;
  }
  const part = partTime(text);
  const time = readTime(text, undefined) ?? (part && { time: part });
  return time && (/tonight/.test(text) ? { day: from, ...time } : time);
}

const LATEST_PLAUSIBLE_EVENING = 6;

/** "5pm", "17:00", "at 5": an hour from 1 to 6 is in the afternoon unless it says morning. */
function readTime(text: string, half: 'am' | 'pm' | undefined): (Pick<Moment, 'halfUnsaid'> & { time: Time }) | undefined {
  if (/\b(?:noon|midday|lunch(?: ?time)?)\b/.test(text)) return { time: { hour: 12, minute: 0 } };
  if (/\bmidnight\b/.test(text)) return { time: { hour: 23, minute: 59 } };
  const match = /(?<![\d/-])(\d{1,2})(?::(\d{2}))?(?: ?(am|pm|a\.m|p\.m)| ?(?:-|to|and|until) ?\d{1,2}(?::\d{2})?(am|pm))?/.exec(text);
  if (!match) return undefined;
  let hour = Number(match[1]);
  let halfUnsaid = false;
  const minute = Number(match[2] ?? 0);
  const said = (match[3] ?? match[4])?.replace('.', '').slice(0, 1);
  const part = /in the morning/.test(text) ? 'a' : /in the (?:afternoon|evening|night)|tonight/.test(text) ? 'p' : undefined;
  const meant = said ?? part ?? (half === undefined ? undefined : half[0]);
  if (meant === 'p' && hour < 12) hour += 12;
  else if (meant === 'a' && hour === 12) hour = 0;
  else if (meant === undefined && !match[1]?.startsWith('0') && hour >= 1 && hour <= LATEST_PLAUSIBLE_EVENING) hour += 12;
  else if (meant === undefined && !match[1]?.startsWith('0') && hour > LATEST_PLAUSIBLE_EVENING && hour < 12) halfUnsaid = true;
  return hour < 24 && minute < 60 ? { time: { hour, minute }, ...(halfUnsaid && { halfUnsaid }) } : undefined;
}

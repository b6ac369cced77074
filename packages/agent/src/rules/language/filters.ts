import type { Filter, Priority } from '../intents.ts';
import { comingWeekday, type Day, iso, lastOfMonth, type Now, plusDays, plusMonths, today, weekdayOf } from './calendar.ts';
import { wholeMoment } from './dates.ts';
import { COUNT, countOf, plusUnits } from './days.ts';
import { EMPTY_WORDS, wordsOf } from './text.ts';

interface Found {
  filter: Filter;
  /** What is left of the text. */
  rest: string;
}

const PRIORITIES: [RegExp, Priority][] = [
  [
    /\b(?:(?:high|top|highest|urgent|critical)(?:est)?[- ]priority|priority:? (?:is )?(?:high|1)|high prio|most (?:urgent|important)|(?<!not )(?:urgent|important|critical)|priorities)\b/i,
    'high',
  ],
  [/\b(?:(?:low|lowest)[- ]priority|priority:? (?:is )?low|unimportant|not (?:urgent|important)|least important)\b/i, 'low'],
  [/\b(?:(?:medium|normal|mid)[- ]priority|priority:? (?:is )?(?:medium|normal))\b/i, 'medium'],
];

const STATUSES: [RegExp, NonNullable<Filter['status']>][] = [
  [
    /\b(?:not (?:yet )?(?:been )?(?:done|finished|completed?)|haven't (?:i )?(?:been )?(?:done|finished|completed)(?: yet)?|un(?:done|finished|completed)|incomplete|open|pending|outstanding|remaining|active|left(?: over)?|still (?:have )?to do|to be done|current)\b/i,
    'open',
  ],
  [/\b(?:completed?|done|finished|ticked(?: off)?|checked(?: off)?|crossed(?: off)?|closed|accomplished)\b/i, 'completed'],
  [/\b(?:archived?|deleted|removed|trashed|(?:in (?:the|my) )?(?:trash|archive))\b/i, 'archived'],
];

const DUE: [RegExp, NonNullable<Filter['due']>][] = [
  [/\b(?:overdue|past due|past (?:their|its) (?:due date|deadline)|late|missed|behind(?: on)?|should have (?:been )?done)\b/i, 'overdue'],
  [/\b(?:without|with no|have no|has no|no|missing|lacking) (?:a |any )?(?:due dates?|deadlines?|dates?)\b/i, 'none'],
  [/\b(?:with|that have|have) (?:a |any )?(?:due dates?|deadlines?)\b|\bscheduled\b/i, 'any'],
];

const DAY =
  '(?:due |for |on |by |before |until |till |in )*(?:today|tonight|tomorrow|this (?:week|month|weekend|morning|afternoon|evening)|next (?:week|month|weekend|7 days)|the (?:weekend|week|month|coming week)|the next (?:\\w+ )?(?:days|weeks|week|months)|within (?:a|the) week|(?:next |this |this coming )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|the day after tomorrow|\\d{4}-\\d{2}-\\d{2}|the \\d{1,2}(?:st|nd|rd|th)|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec) \\d{1,2}(?:st|nd|rd|th)?)';
const DAYS = new RegExp(`\\b(?:${DAY})(?:'s)?(?![\\w-])`, 'i');

const TAGS =
  /(?:\b(?:tagged|labell?ed|with (?:the )?(?:tags?|labels?)|under (?:the )?(?:tags?|labels?)|in (?:the )?category)(?: (?:with|as))? #?|#)([\p{L}\p{N}][\p{L}\p{N}_-]*)/iu;
const TOPIC =
  /\b(?:(?:that (?:are )?|which (?:are )?)?(?:about|regarding|concerning|related to|relating to|to do with|(?:that )?(?:contain|mention|include|match)(?:s|ing|es)?|with the words?|having to do with|involving|for|on|with)) (?!me\b|my list\b|the list\b|it\b)(?:the words? |my |the |a )?(.+)$/i;

const SORTS: [RegExp, NonNullable<Filter['sort']>][] = [
  [/\b(?:oldest|earliest)(?: (?:ones?|todos?|tasks?))? first\b|\bby age\b/i, 'oldest'],
  [/\b(?:newest|latest|most recent)(?: (?:ones?|todos?|tasks?))? first\b/i, 'newest'],
  [/\b(?:sorted |ordered |sort |order )?by (?:due date|deadline|date|when they(?:'re| are) due|due)\b/i, 'due'],
  [/\b(?:sorted |ordered |sort |order )?by (?:priority|importance|urgency)\b|\b(?:most important|highest priority) first\b/i, 'priority'],
];

/** Extracts the filters of a list from a text. */
export function takeFilter(text: string, now: Now): Found {
  const filter: Filter = {};
  let rest = ` ${text} `;
  const take = (pattern: RegExp) => {
    const match = pattern.exec(rest);
    if (match) rest = `${rest.slice(0, match.index)} ${rest.slice(match.index + match[0].length)}`;
    return match;
  };
  for (const [pattern, sort] of SORTS) if (filter.sort === undefined && take(pattern)) filter.sort = sort;
  for (const [pattern, due] of DUE) if (filter.due === undefined && take(pattern)) filter.due = due;
  for (const [pattern, priority] of PRIORITIES) if (filter.priority === undefined && take(pattern)) filter.priority = priority;
  const tag = take(TAGS);
  if (tag?.[1]) filter.tags = [tag[1].toLowerCase()];
  const day = take(DAYS);
  if (day) Object.assign(filter, dayRange(day[0].trim().replace(/'s$/, ''), now));
  for (const [pattern, status] of STATUSES) if (filter.status === undefined && take(pattern)) filter.status = status;
  return { filter, rest: rest.replaceAll(/\s+/g, ' ').trim() };
}

/** The days that a question is about, for filters: from the end of one day to the end of another. */
interface DayRange {
  due?: 'today' | 'week';
  due_after?: string;
  due_before?: string;
}

/** "tomorrow", "next week", "by friday", "in the next 3 days". */
function dayRange(words: string, now: Now): DayRange | undefined {
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

const NO_TOPIC =
  /^(?:now|today|me|myself|again|first|there|left|else|then|anyway|right|currently|at the moment|moment|far|due|my plate|plate|agenda|schedule|horizon|board|life|day|deck|docket|coming|up|upcoming)$/i;

/** The topic of a question: what follows "about", or the words that nothing else explains. */
export function topicOf(text: string): string | undefined {
  const said = TOPIC.exec(` ${text}`)?.[1];
  const words = wordsOf(said ?? text).filter((word) => !EMPTY_WORDS.has(word) && !NO_TOPIC.test(word) && !SHOWING.has(word));
  return words.length === 0 ? undefined : words.join(' ');
}

const SHOWING = new Set(
  `show list display see view give get print read pull bring open tell fetch check what what's whats which is are do does did have has how many much when any anything something everything everyone there let
  look find search lookup filter want like know remind can could would todo-list got gotta going look looks like planned pending upcoming scheduled due who's whose status overview summary agenda quick full entire whole
  complete current latest here plate think should were was been number count total exactly`
    .trim()
    .split(/\s+/),
);

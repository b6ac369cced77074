const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = ['twenty', 'thirty', 'forty', 'fifty'];
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth'.split(
    ' ',
  );
const NUMBER = `(?:(?:${TENS.join('|')})(?:[ -](?:${ONES.slice(1, 10).join('|')}))?|${ONES.slice(1).toReversed().join('|')})`;
const ORDINAL = `(?:(?:twenty|thirty)[ -](?:${ORDINALS.slice(1, 10).join('|')})|thirtieth|${ORDINALS.slice(1).toReversed().join('|')})`;
const HOUR = `(?:\\d{1,2}|${ONES.slice(1, 13).toReversed().join('|')})`;
const MINUTES = `(?:o[h']? (?:${ONES.slice(1, 10).join('|')})|${NUMBER})`;
const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)';
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const PART = '(?:in the (?:morning|afternoon|evening|night)|tonight)';
const DAY = `(?:today|tonight|tomorrow|(?:this |next |this coming )?${WEEKDAY})`;
const CLOSE = '(?:end of (?:the )?(?:business |working )?day|eod|cob|close of (?:business|play)|end of play)';
const LEAD = '(?:at|by|around|about|before|until|till|after|from|for)';

function numberOf(words: string): number {
  const text = words.toLowerCase().replace(/^o[h']? /, '');
  if (/^\d/.test(text)) return Number(text);
  const [ten = '', one = ''] = text.split(/[ -]/);
  const tens = TENS.indexOf(ten);
  return tens < 0 ? Math.max(0, ONES.indexOf(ten)) : (tens + 2) * 10 + Math.max(0, ONES.indexOf(one));
}

function ordinalOf(words: string): number {
  const [ten = '', one = ''] = words.toLowerCase().split(/[ -]/);
  if (one !== '') return (TENS.indexOf(ten) + 2) * 10 + ORDINALS.indexOf(one);
  return ten === 'thirtieth' ? 30 : ORDINALS.indexOf(ten);
}

/** "23rd" for "twenty third". */
function nth(words: string): string {
  const day = ordinalOf(words);
  const ending = day > 10 && day < 14 ? undefined : ['st', 'nd', 'rd'][(day % 10) - 1];
  return `${day}${ending ?? 'th'}`;
}

const clock = (hour: number, minute: number) => `${((hour + 11) % 12) + 1}:${String(minute).padStart(2, '0')}`;

type Rewriting = [pattern: string, write: (...words: string[]) => string];

/** Spoken or abbreviated dates and times, each with its written form. */
const REWRITINGS: Rewriting[] = [
  [`\\bhalf past (${HOUR})\\b`, (_, hour = '') => clock(numberOf(hour), 30)],
  [`\\b(?:a )?quarter (?:past|after) (${HOUR})\\b`, (_, hour = '') => clock(numberOf(hour), 15)],
  [`\\b(?:a )?quarter (?:to|before|of|till) (${HOUR})\\b`, (_, hour = '') => clock(numberOf(hour) - 1, 45)],
  [`\\b(${NUMBER}|\\d{1,2}) (?:minutes )?past (${HOUR})\\b`, (_, minute = '', hour = '') => clock(numberOf(hour), numberOf(minute))],
  [
    `\\b(${LEAD} )(${NUMBER}|\\d{1,2}) (?:minutes )?to (${HOUR})\\b(?! )`,
    (_, lead = '', minute = '', hour = '') => `${lead}${clock(numberOf(hour) - 1, 60 - numberOf(minute))}`,
  ],
  [`\\b(${LEAD} )half (${HOUR})\\b`, (_, lead = '', hour = '') => `${lead}${clock(numberOf(hour), 30)}`],
  ['\\b(\\d{1,2})[.h](\\d{2}) ?(am|pm)\\b', (_, hour = '', minute = '', half = '') => `${hour}:${minute}${half}`],
  [`\\b(${LEAD} )(\\d{1,2})[.h](\\d{2})\\b(?![.\\d%])`, (_, lead = '', hour = '', minute = '') => `${lead}${hour}:${minute}`],
  [`\\b(${LEAD} )([01]?\\d|2[0-3])([0-5]\\d) ?(?:hours|hrs|h)\\b`, (_, lead = '', hour = '', minute = '') => `${lead}${hour}:${minute}`],
  [`\\b(${LEAD} )(\\d{1,2})h\\b`, (_, lead = '', hour = '') => `${lead}${hour}:00`],
  ['\\b(\\d{1,2}(?::\\d{2})?) ?([ap])\\.? ?m\\b\\.?', (_, time = '', half = '') => `${time}${half}m`],
  [
    `\\b(${HOUR})(?: (${MINUTES}))? ?([ap])\\.? ?m\\b\\.?`,
    (_, hour = '', minute, half = '') => `${numberOf(hour)}${minute ? `:${String(numberOf(minute)).padStart(2, '0')}` : ''}${half}m`,
  ],
  [`\\b(${HOUR}) o'? ?clock\\b`, (_, hour = '') => `${numberOf(hour)} o'clock`],
  [`\\b(${HOUR}) (?=${PART})`, (_, hour = '') => `${numberOf(hour)} `],
  [
    `\\b((?:at|by|around) )(${ONES.slice(1, 13).join('|')}) (${MINUTES})\\b(?! [a-z]*(?:min|hour|day|week|month))`,
    (_, lead = '', hour = '', minute = '') => `${lead}${clock(numberOf(hour), numberOf(minute))}`,
  ],
  [
    `\\b((?:at|by|around) )(${ONES.slice(1, 13).toReversed().join('|')})\\b(?=$|[.,!?]| (?:on|to|and|in|${DAY})\\b)`,
    (_, lead = '', hour = '') => `${lead}${numberOf(hour)}`,
  ],
  ['\\b(\\d{1,2}(?::\\d{2})?(?:am|pm)?) ?-?ish\\b', (_, time = '') => time],
  // how long from now
  ['\\b(?:an|one|1) hour and a half\\b|\\b(?:one|1) and a half hours\\b', () => '90 minutes'],
  [`\\b(${NUMBER}|\\d{1,2}) (?:and a half hours|hours and a half)\\b`, (_, hours = '') => `${numberOf(hours) * 60 + 30} minutes`],
  ['\\b(\\d{1,2})\\.5 hours?\\b', (_, hours = '') => `${Number(hours) * 60 + 30} minutes`],
  ['\\bthree[- ]quarters of an hour\\b', () => '45 minutes'],
  ['\\ba fortnight\\b', () => '2 weeks'],
  [
    `\\b((?:in|within|by|for) )(${NUMBER}) (?=minutes?|mins?|hours?|hrs?|days?|weeks?|months?)`,
    (_, lead = '', count = '') => `${lead}${numberOf(count)} `,
  ],
  ["\\b(days?|weeks?|months?|years?)'? time\\b|\\b(day|week|month|year)'s time\\b", (_, unit, other) => unit ?? other ?? ''],
  ['\\bfrom today\\b', () => 'from now'],
  // which day
  [`\\b(${ORDINAL}) (of (?:${MONTH}|this month|the month|next month))\\b`, (_, day = '', month = '') => `${nth(day)} ${month}`],
  [`\\b(${MONTH}) (?:the )?(${ORDINAL})\\b`, (_, month = '', day = '') => `${month} ${ordinalOf(day)}`],
  [
    `\\b((?:on|by|due|until|till|before|for|to) the )(${ORDINAL})\\b(?=$|[.,!?]| at\\b| in the\\b)`,
    (_, lead = '', day = '') => `${lead}${nth(day)}`,
  ],
  [`\\b(the )((?:twenty|thirty)[ -](?:${ORDINALS.slice(1, 10).join('|')})|thirtieth)\\b`, (_, lead = '', day = '') => `${lead}${nth(day)}`],
  [`\\b(?:${CLOSE}),? (?:on )?(${DAY})\\b`, (_, day = '') => day],
  [`\\b(${DAY}),? (?:by |at |before )?(?:the )?(?:${CLOSE})\\b`, (_, day = '') => day],
];

const COMPILED = REWRITINGS.map(([pattern, write]) => [new RegExp(pattern, 'gi'), write] as const);

/** Dates and times as they are written: "half past three" is "3:30", "the first of february" is "the 1st of february". */
export function writtenTimes(text: string): string {
  return COMPILED.reduce(
    (words, [pattern, write]) => words.replaceAll(pattern, (...found: unknown[]) => write(...(found as string[]))),
    text,
  );
}

import type { Reference } from '../intents.ts';
import type { Now } from './calendar.ts';
import { takeFilter } from './filters.ts';
import type { Hearing } from './listening.ts';
import { PAIRS, type Quotes } from './text.ts';

const NOUN = '(?:todos?|tasks?|items?|reminders?|ones?|entry|entries|things?|chores?|errands?)';
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh', 'twelfth'];
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ORDINAL = `(?:${ORDINALS.join('|')}|\\d{1,3}(?:st|nd|rd|th)|last|final|bottom|top|(?:second|next)[- ]to[- ]last|penultimate)`;
const COUNT = `(?:\\d{1,3}|${NUMBERS.join('|')}|couple|few)`;
const ON_LIST = '(?: (?:on|in|from|of|off) (?:the|my|that|this)(?: \\w+)? ?(?:list|ones|todos|tasks)?)?';

const ANY =
  /^(?:something|anything|one|an?|any|some|another(?: one)?|an? (?:todo|task|item|reminder|few|couple|thing)|(?:one|some|any|a few|two|three)(?: of (?:them|those|these|my (?:todos|tasks)))?(?: (?:todos?|tasks?|items?|reminders?|things?))?|todos|tasks)$/i;
const ONE =
  /^(?:it|that|this|that one|this one|the one|the same(?: one| thing)?|the latter|(?:that|this|the|said) (?:todo|task|item|reminder|thing|entry)|that last one|it all)$/i;
const MANY =
  /^(?:them|those|these|they|both|both (?:of )?(?:them|those|these|todos|tasks)|(?:those|these) (?:todos|tasks|items|ones|two|three|four|\d+)|the (?:two|three|todos|tasks|ones)|all (?:of )?(?:them|those|these)|them all|those all|all (?:two|three|four|five))$/i;
const ALL =
  /^(?:all|everything|every ?thing|all of it|the lot|the whole lot|the (?:whole|entire|full) (?:todo )?list|(?:all )?(?:of )?my (?:whole |entire )?(?:todo )?list|the (?:todo )?list|(?:all|every)(?: single)?(?: of)?(?: the| my| these)? ?(?:todos?|tasks?|items?|things?|ones?|reminders?)(?: (?:on|in|from) (?:my|the) (?:todo )?list)?|my (?:todos|tasks|items)|everything (?:on|in|from) (?:my|the) (?:todo )?list)$/i;
const NEWEST =
  /^(?:the |my )?(?:(?:newest|latest|most recent|last added|most recently added|last created|youngest)(?: (?:todo|task|item|one|reminder|entry|addition))?|(?:(?:last|latest) )?(?:todo|task|item|one|thing|reminder)? ?(?:that )?(?:i|you|we)(?:'ve| have)? (?:just |last |only )?(?:added|created|made|put in|entered)(?: last| just now| most recently)?|what i (?:just|last) added)$/i;
const OLDEST =
  /^(?:the |my )?(?:oldest|earliest)(?: (?:todo|task|item|one|reminder|entry))?(?: (?:on|in|from|of) (?:my|the) (?:todo )?list)?$|^the first (?:todo|task|item|one|thing) (?:that )?i(?:'ve| have)? (?:ever )?(?:added|created|made)$/i;

/** Which todos are meant. */
export function referenceIn(text: string, hearing: Hearing): Reference {
  const { quotes, now } = hearing;
  const words = text
    .trim()
    .replace(/^[,:;-]+|[.,;:!?]+$/g, '')
    .trim();
  if (words === '') return { by: 'nothing' };
  if (ANY.test(words)) return { by: 'any' };
  const quoted = quotes.only(
    words.replace(new RegExp(`^(?:the |my )?(?:${NOUN} )?(?:called |named |titled |saying )?(?=⟦)|(?<=⟧) ${NOUN}$`, 'gi'), ''),
  );
  if (quoted !== undefined) return { by: 'name', name: quoted, exact: true };
  return (
    pronoun(words) ??
    byPlace(words) ??
    byAge(words) ??
    byAll(words, hearing) ??
    theOne(words, now) ??
    severalIn(words, hearing) ??
    byName(words, quotes)
  );
}

function pronoun(words: string): Reference | undefined {
  if (ONE.test(words)) return { by: 'focus', many: false };
  return MANY.test(words) ? { by: 'focus', many: true } : undefined;
}

const PLACE = new RegExp(`^(?:the )?(?:very )?(${ORDINAL})(?: ${NOUN})?${ON_LIST}$`, 'i');
const PLACES = new RegExp(
  `^(?:the )?(?:very )?(first|last|top|bottom) (${COUNT})(?: of (?:them|those|these))?(?: ${NOUN})?${ON_LIST}$`,
  'i',
);
const NUMBERED = /^(?:the )?(?:(?:number|num|no\.?|nr\.?|item|task|todo|#|entry|option|one) ?)?#?(\d{1,3})\.?$/i;
const NUMBER_WORD = new RegExp(`^(?:number|item|task|todo|no\\.?) (${NUMBERS.join('|')})$`, 'i');
const MAYBE_TITLE = /^(?!(?:num|number|no|nr|one|option) )\p{L}+ \d{1,3}$/iu;
const AND = /,? (?:and|&|plus) |, ?/;
const RANGE = /^(?:numbers? |items? |tasks? |todos? |#)?(\d{1,3}) ?(?:-|to|through|thru|until) ?#?(\d{1,3})$/i;

function byPlace(words: string): Reference | undefined {
  const range = RANGE.exec(words);
  if (range) return { by: 'place', places: span(Number(range[1]), Number(range[2])) };
  const several = PLACES.exec(words);
  if (several) {
    const count = numberOf(several[2] as string);
    return { by: 'place', places: /first|top/i.test(several[1] as string) ? span(1, count) : span(-count, -1) };
  }
  const parts = words.replace(/^(?:both )?(?:the )?(?:numbers?|items?|tasks?|todos?|ones?) (?=#?\d)/i, '').split(AND);
  const places = parts.map(placeOf);
  if (!places.every((place) => place !== undefined)) return undefined;
  const titles = words.split(AND);
  return { by: 'place', places, ...(titles.every((title) => MAYBE_TITLE.test(title)) && { titles }) };
}

function placeOf(words: string): number | undefined {
  const number = NUMBERED.exec(words.trim())?.[1];
  if (number !== undefined) return Number(number) || undefined;
  const word = NUMBER_WORD.exec(words.trim())?.[1];
  if (word !== undefined) return numberOf(word);
  const ordinal = PLACE.exec(words.trim())?.[1]?.toLowerCase();
  if (ordinal === undefined) return undefined;
  if (/^(?:last|final|bottom)$/.test(ordinal)) return -1;
  if (ordinal === 'top') return 1;
  if (/to[- ]last|penultimate/.test(ordinal)) return -2;
  const place = ORDINALS.indexOf(ordinal);
  return place < 0 ? Number.parseInt(ordinal, 10) : place + 1;
}

function numberOf(words: string): number {
  const place = NUMBERS.indexOf(words.toLowerCase());
  if (place >= 0) return place + 1;
  return words === 'couple' ? 2 : words === 'few' ? 3 : Number(words);
}

function span(from: number, to: number): number[] {
  return Array.from({ length: Math.min(100, Math.max(0, to - from + 1)) }, (_, index) => from + index);
}

const AGE_COUNT = new RegExp(
  `^(?:the |my )?(${COUNT}) (oldest|newest|latest|most recent)(?: ${NOUN})?$|^(?:the |my )?(oldest|newest|latest|most recent) (${COUNT})(?: ${NOUN})?$`,
  'i',
);

function byAge(words: string): Reference | undefined {
  const counted = AGE_COUNT.exec(words);
  if (counted) {
    const which = (counted[2] ?? counted[3]) as string;
    return {
      by: 'age',
      which: /oldest/i.test(which) ? 'oldest' : 'newest',
      count: numberOf((counted[1] ?? counted[4]) as string),
      shown: false,
    };
  }
  const shown = / of (?:them|those|these|the list)$/i.test(words);
  const plain = words.replace(/ of (?:them|those|these|the list)$/i, '');
  if (NEWEST.test(plain)) return { by: 'age', which: 'newest', count: 1, shown };
  return OLDEST.test(plain) ? { by: 'age', which: 'oldest', count: 1, shown } : undefined;
}

const STATE =
  /^(?:(?:the|my|all|any) )*(?:completed|finished|done|overdue|archived|deleted|high[- ]priority|low[- ]priority|urgent)(?: stuff)?$/i;
const EXCEPT = /^(.+?),? (?:except(?: for)?|but(?: not)?|besides|apart from|other than|excluding|save for) (.+)$/i;
const SET = new RegExp(
  `^(?:all |every(?: single)? |everything |any ?thing |any )?(?:of )?(?:the |my |those |these )*(.*?) ?(?:${NOUN}|stuff|list)$`,
  'i',
);

function byAll(words: string, hearing: Hearing): Reference | undefined {
  const except = EXCEPT.exec(words);
  if (except) {
    const all = byAll(except[1] as string, hearing) ?? pronoun(except[1] as string);
    if (all?.by === 'all') return { ...all, except: referenceIn(except[2] as string, hearing) };
    if (all?.by === 'focus' && all.many) return { by: 'all', filter: {}, shown: true, except: referenceIn(except[2] as string, hearing) };
  }
  if (ALL.test(words)) return { by: 'all', filter: {}, shown: false };
  if (STATE.test(words)) return { by: 'all', filter: takeFilter(words, hearing.now).filter, shown: false };
  const plural = /(?:todos|tasks|items|ones|things|reminders|entries|chores|errands|stuff)$/i.test(words);
  const begins =
    /^(?:the |my )?(?:todos|tasks|items|ones|things|reminders) (?:tagged|labell?ed|about|with|due|that|which|for|related|regarding|from|on|containing)\b/i.test(
      words,
    );
  const every = /^(?:all|every|everything|any|anything)\b/i.test(words);
  if (!plural && !every && !begins) return undefined;
  return narrowed(words, hearing.now);
}

const ONE_NOUN = /\b(?:todo|task|item|reminder|one|thing|entry)\b/i;

/** "the overdue one", "the task due today". */
function theOne(words: string, now: Now): Reference | undefined {
  if (!ONE_NOUN.test(words)) return undefined;
  const { filter, rest } = takeFilter(words, now);
  const plain = rest
    .replace(/\b(?:the|my|that|which|is|are|with|a|of|todo|task|item|reminder|one|thing|entry|due|has|have)\b/gi, '')
    .trim();
  return Object.keys(filter).length > 0 && plain === '' ? { by: 'all', filter, shown: false, one: true } : undefined;
}

/** "all the completed ones", "everything due today", "the groceries ones". */
function narrowed(words: string, now: Now): Reference {
  const { filter, rest } = takeFilter(words, now);
  const about =
    /^(?:all|everything|every(?: single)?|any ?thing|any)?(?: of)?(?: the| my| those| these)*(?: (?:todos?|tasks?|items?|ones?|things?|stuff|reminders?))?(?: (?:that|which) (?:is|are|has|have))?(?: (?:about|regarding|related to|on|for|with|to do with|containing|mentioning|tagged))? ?(.*)$/i.exec(
      rest,
    )?.[1] ?? '';
  const topic = (SET.exec(about)?.[1] ?? about)
    .replace(/^(?:that |which )?(?:i|we)(?:'ve| have| had)?\b ?|^(?:that(?:'s| is| are)|which (?:is|are)|is|are|to)\b ?/i, '')
    .replace(/ (?:that (?:is|are)|is|are)$/i, '')
    .trim();
  const given = Object.keys(filter).length > 0;
  if (
    topic === '' ||
    (topic !== 'IT' && /^(?:of|the|my|them|those|these|it|that|which|on|from|in|list|todo|due)(?: (?:list|my|the|todo))*$/i.test(topic))
  )
    return { by: 'all', filter, shown: false };
  return { by: 'topic', topic, ...(given && { filter }) };
}

function severalIn(words: string, hearing: Hearing): Reference | undefined {
  if (PAIRS.test(words)) return undefined;
  const parts = words
    .replace(/^both (?:the )?/i, '')
    .split(/,? (?:and|&|plus|as well as|and also) (?:the )?|, ?(?:the )?/i)
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts.length < 2) return undefined;
  const plain = words.replace(/^both (?:the )?/i, '').replace(new RegExp(` ${NOUN}$`, 'i'), '');
  return { by: 'several', parts: parts.map((part) => referenceIn(part, hearing)), whole: hearing.quotes.show(nameIn(plain)) };
}

function byName(words: string, quotes: Quotes): Reference {
  const name = quotes.show(nameIn(words));
  return name === '' ? { by: 'focus', many: false } : { by: 'name', name };
}

const BEFORE_NAME = new RegExp(
  `^(?:(?:the|my|our|that|this|a|an|any|old|new) )*(?:${NOUN} )?(?:(?:that |which |where )?(?:is |are |was |were )?(?:about|called|named|titled|labell?ed|saying|says|said|reads|regarding|concerning|related to|for|to|with|of|on) |[:-] ?)?(?:the |my |a |an )?`,
  'i',
);

/** "the task about the dentist" is "dentist"; if nothing would be left, the text stays as is. */
function nameIn(words: string): string {
  const withoutNoun = words
    .replace(new RegExp(` (?:${NOUN}|stuff)(?: (?:on|in|from) (?:my|the) (?:todo )?list)?$`, 'i'), '')
    .replace(/ (?:on|in|from|off) (?:my|the) (?:todo )?list$/i, '');
  const name = withoutNoun.replace(BEFORE_NAME, '').trim();
  return (name === '' ? withoutNoun : name).replace(/^['"]|['"]$/g, '').trim();
}

import type { Filter, Intent } from '../intents.ts';
import { takeFilter, topicOf } from './filters.ts';
import { firstMeaning, type Hearing, rules } from './listening.ts';
import { referenceIn } from './references.ts';
import { stem } from './text.ts';

const NOUN =
  '(?:todos?|tasks?|items?|reminders?|list|lists|to do|agenda|chores?|errands?|things to do|stuff to do|todo list|to do list|plate|(?<=\\b(?:my|the|our) )schedule)';
const MENTIONS = new RegExp(`\\b(?:${NOUN}|everything|all of it)\\b`, 'i');
const TODO_WORDS = new RegExp(
  `\\b(?:${NOUN}|due|overdue|late|left|pending|outstanding|remaining|open|unfinished|incomplete|to do|coming up|upcoming|planned|scheduled|deadlines?|priorit(?:y|ies)|urgent|important|finished|completed?|done|archived?|deleted|removed|behind on|on my plate|on deck)\\b`,
  'i',
);

/** A list with its filters; words that nothing explains become the search text. */
function reading(text: string, { now, quotes }: Hearing, answer: 'list' | 'count' | 'next' = 'list'): Intent {
  const { filter, rest } = takeFilter(text, now);
  const all = /\b(?:all|everything|every|whole|entire|complete list|both (?:open and|completed))\b/i.test(text);
  const quoted = /⟦\d+⟧/.exec(rest)?.[0];
  const topic = quoted ? quotes.show(quoted) : topicOf(rest);
  const search = topic === undefined ? undefined : quoted ? topic : searchWords(topic);
  const status = filter.status ?? (all || filter.due === 'overdue' ? undefined : 'open');
  const complete: Filter = { ...filter, ...(status && { status }), ...(search && { search }) };
  return { kind: 'read', filter: complete, answer, about: topic ?? '' };
}

/** The part of each word that its other forms share: "groceries" finds "grocery". */
export function searchWords(topic: string): string {
  return topic
    .split(/\s+/)
    .map((word) =>
      /ies$/.test(word)
        ? word.slice(0, -3)
        : stem(word).length < word.length && word.length > 4 && /s$/.test(word)
          ? word.replace(/e?s$/, '')
          : word,
    )
    .join(' ')
    .slice(0, 200);
}

const SHOW =
  '(?:show|list|display|view|print|pull up|bring up|fetch|read(?: me| out| off| back)?|go over|go through|run through|walk me through|recap|review|summari[sz]e|let me see|let me have|see|look at|open|give(?: me)?|get(?: me)?|tell me|check|what about|how about)';

const RULES = rules([
  [
    () => ({ kind: 'more' }),
    /^(?:show |give |list |see |read |tell )?(?:me )?(?:some |the )?(?:more|next page|the rest|next ones|the next (?:ones|page|\d+)|go on|keep going)(?: (?:todos|tasks|of them|please))*$/i,
  ],
  [
    ({ t }, hearing) => {
      const text = t;
      return MENTIONS.test(text) || TODO_WORDS.test(text) || /\b(?:do i have|have i|did i|are there|on my)\b/i.test(text)
        ? reading(text.replace(/\b(?:have i|did i) (?:done|do|finish(?:ed)?|complet(?:ed?))\b/i, 'completed'), hearing, 'count')
        : undefined;
    },
    /^(?:so )?how many\b(?<t>.*)$|^(?:count|number of) (?<t2>.*(?:todos?|tasks?|items?).*)$|^(?:what's|what is) (?:the )?(?:total )?(?:number|count) of (?<t3>.*)$/i,
  ],
  [
    (_, hearing) => reading('', hearing, 'next'),
    /^(?:what|which|where)(?: one| todo| task| thing)?(?:'s| is| should| do| shall| must| would| am| to| can)?(?: i| we| my)?(?: be)?(?: (?:do|work on|tackle|start with|focus on|begin with|start|doing|working on|finish))?(?: (?:next|first|now|right now|today))*$/i,
    /^(?:what's|what is|which (?:one|todo|task)? ?is|show me|give me)(?: the| my)? (?:most (?:important|urgent|pressing)|next|top|highest[- ]priority|first)(?: (?:priority|thing|todo|task|one|item|up|due|deadline|thing to do|on my list|due date))*(?: (?:to do|today|now|on my list))*$/i,
  ],
  [
    ({ t }, hearing) =>
      /^(?:it|that)? ?(?:dinner time|christmas|easter|the next)$/i.test(t)
        ? undefined
        : { kind: 'about', target: referenceIn(t, hearing), question: 'due' },
    /^(?:when|by when|what day|what time)(?:'s| is| are| do i (?:have|need) to| should i| must i|'re)(?: my| the)? (?<t>.+?)(?: due| happening| scheduled(?: for)?| by| at| supposed to be done)?$/i,
  ],
  [
    ({ t }, hearing) => {
      const target = t;
      if (/^(?:there|anything|any|all|everything|they|my (?:todos|tasks)|todos|tasks)\b/i.test(target))
        return reading(target.replace(/\bany(?:thing)?\b/gi, ''), hearing);
      return { kind: 'about', target: referenceIn(target, hearing), question: 'done' };
    },
    /^(?:is|are|was|were)(?: my| the)? (?<t>.+?)(?: todo| task)? (?:already |all |now )?(?:done|finished|complete|completed|open|still open|still pending|over|taken care of|overdue|ticked off|checked off|on my list|in my list|on the list|there|due(?: today| tomorrow| soon)?)(?: yet| already)?$|^(?:did|have)(?: i|n't i| we| you)(?: already| ever| yet)? (?:do|done|finish|finished|complete|completed|call|called|buy|bought|pay|paid|send|sent|add|added|put|get|got|mark|marked|delete|deleted|remove|removed|make|made|write|wrote|written|submit|submitted) (?<t2>.+?)(?: yet| already| done| as done| on my list| to my list| to the list)?$/i,
  ],
  [
    ({ q, t, u, w, x }, hearing) => {
      const target = t || u || w || x;
      if (/^(?:yourself|you|the (?:weather|news|world)|life|love|history|today|my day)\b/i.test(target)) return undefined;
      if (/^(?:my |the |all )*(?:todos|tasks|list)$/i.test(target)) return undefined;
      if (u !== '' && !/\b(?:todos?|tasks?|one|item|it|that|reminder|⟦\d+⟧|first|second|third|last|number)\b/i.test(target))
        return undefined;
      return {
        kind: 'about',
        target: referenceIn(target, hearing),
        question: /due|deadline/i.test(q) ? 'due' : /priority/i.test(q) || x !== '' ? 'priority' : 'all',
      };
    },
    /^(?:what's|what is|how's|how is|tell me)(?: the| my)? (?<q>priority|status|due date|deadline|description|note|details?|state) (?:of|for|on|with) (?<t>.+)$|^(?:tell me|show me|give me|what do you know)(?: more)?(?: the)?(?: details?)? (?:about|of|on|for) (?<u>.+)$|^(?:details?|info|information)(?: on| of| about| for)? (?<w>.+)$|^how (?:important|urgent) is (?<x>.+)$/i,
  ],
  [
    ({ t }, hearing) =>
      /^(?:me|out|the (?:web|internet|weather)|online|google|my (?:keys|phone|wallet))\b/i.test(t) || hearing.wish
        ? undefined
        : reading(t.replace(/^(?:my |the |all |any )*(?:todos?|tasks?|items?) /i, ''), hearing),
    /^(?:find|search(?: for| my (?:todos|tasks|list) for)?|look for|look up|locate|filter(?: by| for)?|where(?:'s| is| are)) (?<t>.+)$/i,
  ],
  [
    ({ t }, hearing) => (hearing.wish || /^(?:you|him|her|it to|an? |how|why|who|where)\b/i.test(t) ? undefined : reading(t, hearing)),
    /^(?:show|list|display|view)(?: me| us)?(?: all| only| just)?(?: (?:of )?(?:the|my))? (?<t>[^?]+)$/i,
  ],
  [({ t }, hearing) => shown(t, hearing), `^(?:${SHOW})\\b(?: (?:me|us))?(?: only| just)? ?(?<t>.*)$`],
  [
    ({ t }, hearing) => reading(t, hearing),
    /^(?:any|anything|something|any ?(?:todos?|tasks?|things?)) (?<t>(?:about|regarding|for|with|on|related to|concerning|to do with|left|due|overdue|else|open|pending|urgent|important|that).*)$/i,
  ],
  [
    ({ t }, hearing) => asked(t, hearing),
    /^(?:what|which|who|do|does|did|have|has|is|are|any|anything|something|so what|and what|what all|am|was|were|remind me)(?:'s|'re|'ve)?\b(?<t>.*)$/i,
  ],
  [
    ({ t, n, u }, hearing) =>
      /^(?:\w+ )?(?:is|are|was|isn't|should|needs?|has|:)\b/i.test(u) || hearing.wish || /\b(?:a|an|new|another|this|that)\b/i.test(t)
        ? undefined
        : n.toLowerCase().endsWith('s') || /list|agenda|to do|plate|schedule/i.test(n) || t !== ''
          ? reading(`${t} ${u}`, hearing)
          : reading(u, hearing),
    `^(?:and |now |only |just |the |my |all |all (?:of )?(?:my|the) )*(?<t>(?:[\\w-]+ ){0,4}?)(?<n>${NOUN})(?: (?<u>[^?]*))?$`,
  ],
  [
    ({ t }, hearing) => reading(t, hearing),
    /^(?:only |just |the |and )?(?:(?<t>overdue|completed|done|finished|open|pending|archived|deleted|high[- ]priority|low[- ]priority|urgent|important|due (?:today|tomorrow|this week))(?: ones?)?|(?:and |what about |how about )(?<t2>today|tomorrow|this week|next week|completed|overdue|the (?:weekend|rest)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|status|overview|summary|agenda|inbox)$/i,
  ],
]);

/** After "show me": a list, or a search when nothing else is meant. */
function shown(text: string, hearing: Hearing): Intent | undefined {
  const words = text.trim();
  if (/^(?:it|them|that|those|these|the list|list|everything)?(?: again| please)?$/i.test(words)) return reading(words, hearing);
  const { filter, rest } = takeFilter(words, hearing.now);
  const filtered = Object.keys(filter).length > 0;
  const onlyFilter = filtered && (topicOf(rest) === undefined || /\b(?:ones?|what|everything|all|anything|due)\b/i.test(words));
  if (MENTIONS.test(words) || onlyFilter) return reading(words, hearing);
  return undefined;
}

function hasDay(words: string, { now }: Hearing): boolean {
  const { filter } = takeFilter(words, now);
  return filter.due !== undefined || filter.due_before !== undefined;
}

const MINE = /\b(?:i|my|me|we|our)\b/i;

/** A question about todos; any other is not for us. */
function asked(text: string, hearing: Hearing): Intent | undefined {
  const words = text.trim();
  if (/\b(?:you|your|yourself)\b/i.test(words) && !/\b(?:todos?|tasks?|list)\b/i.test(words)) return undefined;
  const due = /\bdue\b|\boverdue\b|\bdeadlines?\b/i.test(words);
  const todoish = TODO_WORDS.test(words);
  const mine = MINE.test(words);
  const toDo =
    /\b(?:have|need|got|supposed|going)\b.*\bto (?:do|get done|finish|complete|take care of|buy|call|work on|remember|pay|get)\b|\bto do\b|\bgot (?:going on|planned|coming up|on)\b|\bneed(?:s)? (?:doing|to be done|done)\b|\bi doing\b|\bmust i do\b|\bi (?:still )?(?:have|need) to\b|\bmissing\b.*\blist\b/i.test(
      words,
    );
  const dated = mine && /\b(?:have|got|on|going on|happening|doing|do i do|planned)\b/i.test(words) && hasDay(words, hearing);
  const aboutThing =
    /\b(?:anything|something|any|things?) .*\b(?:about|for|with|on|regarding|related)\b/i.test(`anything ${words}`) && mine;
  const did =
    /^(?: ?(?:have|did|had) i|i|'ve i| i've) ?(?:\w+ )?(?:done|do|finish(?:ed)?|complet(?:ed?)|accomplish(?:ed)?|get done|gotten done|delete[d]?|archive[d]?|remove[d]?|add(?:ed)?)/i.test(
      words,
    );
  if (
    !(
      due ||
      toDo ||
      dated ||
      aboutThing ||
      did ||
      (todoish &&
        (mine ||
          MENTIONS.test(words) ||
          /^(?:'s|is|are|'re)? ?(?:still |currently )?(?:left|pending|open|outstanding|overdue|late|next|unfinished|remaining|urgent|important|completed|done)\b/i.test(
            words,
          )))
    )
  )
    return undefined;
  const plain = words
    .replace(
      /\b(?:have|did|had|'ve) i (?:already )?(?:done|do|finish(?:ed)?|complet(?:ed?)|accomplish(?:ed)?|get done|gotten done)\b|\bi(?:'ve| have)? (?:already )?(?:done|finished|completed|accomplished)\b/i,
      'completed',
    )
    .replace(
      /\bhaven't i (?:done|finished|completed)|i haven't (?:done|finished|completed)|i (?:still )?(?:have|need) (?:left )?to (?:do|get done|finish|complete|take care of|work on|remember)|have (?:left )?to do|to do\b(?! list)|left to do|need(?:s)? (?:doing|to be done)|i have going on|got going on|going on/gi,
      ' open ',
    )
    .replace(/\b(?:did|have) i (?:delete[d]?|archive[d]?|remove[d]?)\b/i, 'deleted');
  return reading(plain, hearing);
}

export function readIn(clause: string, hearing: Hearing): Intent | undefined {
  return firstMeaning(RULES, clause.replace(/[?.!]+$/, '').trim(), hearing);
}

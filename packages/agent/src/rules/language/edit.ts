import type { Edit, Intent, Priority, Reference } from '../intents.ts';
import { countOf, dueOf, type Moment, takeDate, wholeMoment } from './dates.ts';
import { firstMeaning, type Hearing, type Rule } from './listening.ts';
import { referenceIn } from './references.ts';
import { capitalised } from './text.ts';
import { detailsIn, newTodo } from './titles.ts';

const P = '(?:high|highest|top|urgent|critical|important|low|lowest|minor|unimportant|medium|normal|regular|default|mid)';
const VERY = '(?:(?:very|really|super|more|much|extremely|pretty|quite|so|now|a|an|be|being|the|of) )*';
const UNITS = '(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)';
const COUNTS = '(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|ten|a couple of|a few|another)';
const DUE = '(?:due dates?|deadlines?|due|dates?)';
const NOTE = '(?:notes?|descriptions?|details?|comments?)';

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

function edit(said: string, change: Edit, { quotes, now }: Hearing, more: { doubtful?: true } = {}): Intent {
  const reference: Reference = referenceIn(said, quotes, now);
  return { kind: 'change', change: { kind: 'edit', edit: change }, target: reference, ...more };
}

/** A time without a day keeps the day that the todo is due already. */
function dueChange(moment: Moment, hearing: Hearing): Edit {
  const due = dueOf(moment, hearing.now);
  return moment.day === undefined && moment.instant === undefined && moment.time ? { due, time: moment.time } : { due };
}

function tagsIn(words: string): string[] {
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

const value = (words: string, { quotes }: Hearing) =>
  capitalised(
    quotes
      .show(words.replace(/[.!]+$/, '').replace(/ (?:instead|please|now)$/i, ''))
      .replace(/^["']|["']$/g, '')
      .trim(),
  );

/** Words after "to": a date, a priority, or a new title. */
function typedChange(words: string, hearing: Hearing, mayBeTitle: boolean): Edit | undefined {
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

function renamed(target: string, words: string, hearing: Hearing): Intent {
  const plain = edit(target, { title: value(words, hearing) }, hearing);
  const readings = [...words.matchAll(ENDS)].slice(0, 5).flatMap((end) => {
    const longer = edit(
      `${target} to ${words.slice(0, end.index)}`,
      { title: value(words.slice(end.index + end[0].length), hearing) },
      hearing,
    );
    return longer.kind === 'change' ? [{ change: longer.change, target: longer.target }] : [];
  });
  return readings.length > 0 && plain.kind === 'change' ? { ...plain, readings } : plain;
}

const RENAMES: Rule[] = [
  {
    pattern: /^(?:rename|retitle)(?: it| that| this)?(?: to| as| into) (?<v>.+)$/i,
    means: ({ v = '' }, hearing) => edit('it', { title: value(v, hearing) }, hearing),
  },
  {
    pattern:
      /^(?:rename|retitle|reword|rephrase)(?: the)?(?: (?:title|name) of)? (?<t>.+?) (?:to|as|into|=>|->|with)(?: be| say| read)? (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern:
      /^(?:change|edit|update|set|modify|correct|fix|make) (?:the )?(?:title|name|text|wording) (?:of|for|on) (?<t>.+?) (?:to|into|as|be|say)(?: say| read| be)? (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:change|set|edit|update) (?<t>.+?)(?:'s)? (?:title|name|text|wording) (?:to|into|as) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:call|name) (?<t>it|that|this|that one|this one|the (?:\w+ )?(?:one|todo|task)) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?<t>.+?) should (?:be called|be named|say|read|have been|be renamed to) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => renamed(t, v, hearing),
  },
  {
    pattern: /^(?:replace|swap) (?<t>.+?) (?:with|for|by) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => (hearing.wish ? undefined : renamed(t, v, hearing)),
  },
];

const NOTES: Rule[] = [
  {
    pattern: new RegExp(`^(?:add|append|attach|write) to (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?): (?<v>.+)$`, 'i'),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:${NOTE}): (?<v>.+)$`, 'i'),
    means: ({ v = '' }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|put|attach|leave|write|append) (?:a |the |this )?${NOTE}(?:: ?| (?:that says|saying|reading|that) )(?<v>.+)$`,
      'i',
    ),
    means: ({ v = '' }, hearing) => edit('it', { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:set|change|update|make) (?:the |its )?(?<f>title|name|text|${NOTE}) (?:to|as|:|be|say) ?(?<v>.+)$`, 'i'),
    means: ({ f = '', v = '' }, hearing) =>
      edit('it', /^(?:title|name|text)$/i.test(f) ? { title: value(v, hearing) } : { description: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|put|attach|write|leave|append|include) (?:a |the |this |some |another )?${NOTE} (?:to|on|for|in|with) (?<t>.+?)(?: ?: ?| ?- | that says | saying | that | reading | which says |, )(?<v>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|append|put|attach|include|write) (?<v>.+?) (?:to|in|into|as|on) (?:the |a )?${NOTE} (?:of|for|on|to|in|from) (?<t>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { note: value(v.replace(/^the /i, ''), hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|edit|make|replace) (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?) (?:to|as|with|to say)(?: say)?:? (?<v>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '' }, hearing) => edit(t, { description: value(v, hearing) }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|edit) (?<t>.+?)'s ${NOTE} to:? (?<v>.+)$|^(?:${NOTE}) (?:on|for|to) (?!self)(?<o>.+?): (?<w>.+)$`,
      'i',
    ),
    means: ({ t = '', v = '', o = '', w = '' }, hearing) => edit(t || o, { description: value(v || w, hearing) }, hearing),
  },
  {
    pattern: new RegExp(`^(?:remove|delete|clear|drop|erase|get rid of) (?:the )?${NOTE} (?:from|of|for|on) (?<t>.+)$`, 'i'),
    means: ({ t = '' }, hearing) => edit(t, { description: '' }, hearing),
  },
];

const TAGS: Rule[] = [
  {
    pattern: /^(?:tags?|labels?): #?(?<v>[\w#, -]+)$/i,
    means: ({ v = '' }, hearing) => edit('it', { addTags: tagsIn(v) }, hearing),
  },
  {
    pattern: /^(?:tag|label|categori[sz]e|file) (?<t>.+?) (?:as|with|under|in|to)(?: the)?(?: (?:tags?|labels?|category))? #?(?<v>[^?]+)$/i,
    means: ({ t = '', v = '' }, hearing) => (hearing.wish ? undefined : edit(t, { addTags: tagsIn(v) }, hearing)),
  },
  {
    pattern: /^(?:tag|label) (?<t>it|that|this|them|those|these|the \w+(?: one)?) #?(?<v>[\w-]+)$/i,
    means: ({ t = '', v = '' }, hearing) => edit(t, { addTags: tagsIn(v) }, hearing),
  },
  {
    pattern:
      /^(?:add|put|give|attach|apply|set) (?:the |a )?(?:tags?|labels?) #?(?<v>.+?) (?:to|on|for) (?<t>.+)$|^(?:add|put|attach|apply) (?:the |a |an )?#?(?<w>[\w-]+) (?:tag|label) (?:to|on|for) (?<u>.+)$|^add #(?<x>[\w-]+) to (?<y>.+)$|^give (?<z>.+?) (?:the |a )?(?:tag|label) #?(?<q>[\w-]+)$/i,
    means: ({ t = '', v = '', w = '', u = '', x = '', y = '', z = '', q = '' }, hearing) =>
      edit(t || u || y || z, { addTags: tagsIn(v || w || x || q) }, hearing),
  },
  {
    pattern:
      /^(?:untag|unlabel) (?<t>.+?) (?:as|with|from) #?(?<v>.+)$|^(?:remove|delete|drop|take(?: off)?) (?:the )?(?:tags?|labels?) #?(?<w>.+?) (?:from|off|of) (?<u>.+)$|^(?:remove|delete|drop|take) (?:the )?#?(?<x>[\w-]+) (?:tag|label) (?:from|off|of) (?<y>.+)$|^remove #(?<z>[\w-]+) from (?<q>.+)$/i,
    means: ({ t = '', v = '', w = '', u = '', x = '', y = '', z = '', q = '' }, hearing) =>
      edit(t || u || y || q, { removeTags: tagsIn(v || w || x || z) }, hearing),
  },
  {
    pattern: /^(?:untag|unlabel|remove (?:all )?(?:the )?(?:tags|labels) (?:from|of|on)) (?<t>.+)$/i,
    means: ({ t = '' }, hearing) => edit(t, { removeTags: ['*'] }, hearing),
  },
];

const PRIORITIES: Rule[] = [
  {
    pattern: new RegExp(`^(?:the )?(?:priority|prio):? (?:is |should be |= ?)?${VERY}(?<p>${P})$`, 'i'),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(`^(?<t>.+?)(?: is| are|'s) no longer ${VERY}(?:${P})(?:[- ](?:priority|prio))?$`, 'i'),
    means: ({ t = '' }, hearing) => edit(t, { priority: 'medium' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:the )?(?:priority|prio|importance|urgency) (?:of|for) (?<t>.+?) (?:should be|is|must be|needs to be|to)(?: set to)? ${VERY}(?<p>${P})$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|make|update|put|raise|lower|switch) (?:the |its |it's )?(?:priority|prio) (?:to|as|=|at|be)? ?${VERY}(?<p>${P})$`,
      'i',
    ),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|give|assign|make|put|use|apply) (?:a |the )?(?:priority(?: of| to| as)? (?<p>${P})|(?<q>${P})[- ]priority) (?:for|on|to) (?<t>.+)$|^(?:give|assign) (?<u>.+?) (?:a )?(?<r>${P})[- ]priority$`,
      'i',
    ),
    means: ({ t = '', u = '', p = '', q = '', r = '' }, hearing) =>
      edit(t || u, { priority: priorityNamed(p || q || r) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|make|update|put|raise|lower|increase|decrease|bump|switch|adjust) (?:the )?(?:priority|prio|importance|urgency)(?: level)? (?:of|for|on) (?<t>.+?) (?:to|as|=|at|up to|down to|be) ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio))?$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t, { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:make|set|mark|change|flag|put|bump|raise|lower|move|update|give|assign|turn|switch|upgrade|downgrade|treat|list) (?<t>.+?)(?:'s)?(?: (?:priority|prio|importance))?(?: (?:as|to|at|into|up to|down to|with|=|back to|a|on))* ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio|importance))?$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) => edit(t.replace(/^priority (?:of )?/i, ''), { priority: priorityNamed(p) as Priority }, hearing),
  },
  {
    pattern: /^(?:prioriti[sz]e|star|flag|pin) (?<t>.+)$|^(?:make|mark|set|give) (?<u>.+?) (?:as )?(?:a |the |my )?(?:top )?priority$/i,
    means: ({ t = '', u = '' }, hearing) => (hearing.wish ? undefined : edit(t || u, { priority: 'high' }, hearing)),
  },
  {
    pattern: /^(?:de-?prioriti[sz]e|unflag|unstar) (?<t>.+)$/i,
    means: ({ t = '' }, hearing) => edit(t, { priority: 'low' }, hearing),
  },
  {
    pattern:
      /^(?:raise|increase|bump up|boost|up|bump|elevate) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^bump (?<u>.+?) up(?: in priority)?$|^(?:raise|increase|boost|bump up) (?<w>.+?)(?:'s)? priority$/i,
    means: ({ t = '', u = '', w = '' }, hearing) => edit(t || u || w, { priorityStep: 1 }, hearing),
  },
  {
    pattern:
      /^(?:lower|decrease|reduce|drop|bump down) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^(?:lower|decrease|reduce) (?<w>.+?)(?:'s)? priority$|^bump (?<u>.+?) down(?: in priority)?$/i,
    means: ({ t = '', u = '', w = '' }, hearing) => edit(t || u || w, { priorityStep: -1 }, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: is| are|'s)(?: not|n't)(?: that| so| very| really| all that| as)* (?:urgent|important|critical|a priority)(?: any ?more| after all| now)?$|^(?<u>.+?) (?:isn't|aren't)(?: that| so| very| really)* (?:urgent|important|critical|a priority)(?: any ?more| after all)?$/i,
    means: ({ t = '', u = '' }, hearing) => edit(t || u, { priority: 'low' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?<t>.+?)(?: is| are|'s| has| have| should be| should have| needs to be| became| gets| just became)(?: now| become)? ${VERY}(?<p>(?:${P})(?:[- ](?:priority|prio|importance))?|a priority)$`,
      'i',
    ),
    means: ({ t = '', p = '' }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there)\b/i.test(t) || hearing.wish
        ? undefined
        : edit(t, { priority: priorityNamed(p) ?? 'high' }, hearing),
  },
  {
    pattern: new RegExp(`^(?:with )?${VERY}(?<p>(?:high|low|medium|top|normal)[- ]priority|urgent|important)(?: please)?$`, 'i'),
    means: ({ p = '' }, hearing) => edit('it', { priority: priorityNamed(p) as Priority }, hearing),
  },
];

/** Some of the rules for dates are for words such as "add a deadline". */
const FIRST_ADDED_DATE = 3;
const ADDED_DATES = 4;
const DATES: Rule[] = [
  {
    pattern: /^(?:schedule|plan|pencil in) (?<t>.+?)(?: in)? (?:for|on|at) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => {
      const intent = hearing.wish ? undefined : moved(t, d, hearing, true);
      return intent?.kind === 'change' && intent.otherwise
        ? { ...intent, exactly: true, otherwise: { ...intent.otherwise, clear: true } }
        : undefined;
    },
  },
  {
    pattern:
      /^(?:no|without a) (?:due date|deadline) (?:for|on) (?<t>.+)$|^(?:take|drop|remove) (?:the )?(?:due date|deadline|date) off (?:of )?(?<u>.+)$/i,
    means: ({ t = '', u = '' }, hearing) => edit(t || u, { due: 'none' }, hearing),
  },
  {
    pattern: /^(?<t>.+?) (?:needs|gets|has|should have|must have) (?:a |an )?(?:due date|deadline) (?:of |on |by |for )?(?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:remove|delete|clear|drop|take away|unset|get rid of|cancel) (?:the )?${DUE} (?:from|of|for|on|off) (?<t>.+)$|^(?<u>.+?) (?:has|have|needs) no (?:due date|deadline)(?: any ?more)?$|^(?:make|set) (?<w>.+?) (?:not due|due never|have no (?:due date|deadline))$|^(?:remove|delete|clear|drop) (?<x>.+?)'s ${DUE}$`,
      'i',
    ),
    means: ({ t = '', u = '', w = '', x = '' }, hearing) => edit(t || u || w || x, { due: 'none' }, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|make|move|adjust|push|extend|add|put) (?:a |the |its )?${DUE} (?:to|as|on|for|of|until|be|:) ?(?<d>.+)$`,
      'i',
    ),
    means: ({ d = '' }, hearing) => moved('it', d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:set|change|update|make|move|edit|adjust|give|add|put|assign|push|extend) (?:a |the |its )?${DUE} (?:of|for|on|to) (?<t>.+?)(?: (?:to|as|on|for|=|of|until|back to|is|be)| ?:) ?(?<d>.+)$`,
      'i',
    ),
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:add|give|set|put) (?:a )?${DUE} (?:of |for |on )?(?<d>.+?) (?:to|for|on) (?<t>.+)$|^(?:give|set|assign) (?<u>.+?) (?:a )?(?:due date|deadline) (?:of |for |on |to )?(?<e>.+)$`,
      'i',
    ),
    means: ({ t = '', d = '', u = '', e = '' }, hearing) => moved(t || u, d || e, hearing),
  },
  {
    pattern:
      /^(?:set|make|change|mark|update|have|get|move) (?<t>.+?)(?:'s)? (?:a |the )?(?:to be |as |to )?(?:due date|deadline|due)(?: (?:to|of|on|for|as|by|at|date|is))* (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern: new RegExp(
      `^(?:postpone|push(?: back| off| out)?|delay|defer|move|shift|snooze|extend|bump|put off|set back|hold off on) (?<t>.+?)(?: back| forward| out| off)?(?: by| for)? (?<n>${COUNTS})(?: more)? (?<u>${UNITS})(?: later| out| more)?$`,
      'i',
    ),
    means: ({ t = '', n = '', u = '' }, hearing) =>
      hearing.wish ? undefined : edit(t, { shift: { amount: n === 'another' ? 1 : countOf(n), unit: u } }, hearing),
  },
  {
    pattern:
      /^(?:move|postpone|push(?: back| off| out)?|delay|defer|reschedule|re-schedule|shift|bump|snooze|put off|put|bring forward|pull|advance|extend|set|hold off on|make|switch|change|carry over|roll over) (?<t>.+?)(?: back| forward| off| out| up| over| ahead)? (?:to|until|till|for|on|by|at|from \S+ to) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => (hearing.wish ? undefined : moved(t, d, hearing)),
  },
  {
    pattern:
      /^(?:move|make|push|change|postpone|reschedule|delay|bump) (?<t>it|that|this|that one|this one|them|the (?:\w+ ){1,3}(?:one|todo|task)) (?:to )?(?:be )?(?:due )?(?<d>.+?)(?: instead)?$/i,
    means: ({ t = '', d = '' }, hearing) => moved(t, d, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: is| are|'s| should be| needs to be| has to be| must be| have to be| need to be| was)(?: now| actually| not due until)? ?(?:due|done|finished|completed|ready|in|not due until|for|on|at)(?: on| by| at| before| until)? (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there|it's|nothing|anything)\b/i.test(t) ? undefined : moved(t, d, hearing, true),
  },
  {
    pattern:
      /^(?<t>.+?)(?:'s)? (?:due date|deadline)(?: should be| is| must be| needs to be| has to be)(?: now| on)? (?<d>.+)$|^the (?:due date|deadline) (?:of|for) (?<u>.+?) (?:should be|is|must be|needs to be)(?: now| on)? (?<e>.+)$/i,
    means: ({ t = '', d = '', u = '', e = '' }, hearing) =>
      /^(?:what|when|which|who|how)\b/i.test(t) ? undefined : moved(t.replace(/^(?:the|its?)$/i, 'it') || u, d || e, hearing),
  },
  {
    pattern:
      /^(?<t>.+?)(?: has| have| is| are| was| got| been|'s|'s been)* (?:moved|pushed|postponed|rescheduled|delayed|shifted|changed)(?: back| out)? (?:to|until|till|for) (?<d>.+)$/i,
    means: ({ t = '', d = '' }, hearing) => (/^(?:i|we|you)$/i.test(t) ? undefined : moved(t, d, hearing)),
  },
  {
    pattern: /^(?:(?:make|have) (?:it|that) )?(?:due|for|by) (?<d>.+)$/i,
    means: ({ d = '' }, hearing) => moved('it', d, hearing),
  },
];

const STATUS =
  /^(?:be |as )?(?:done|complete|completed|finished|closed|open|reopened|pending|archived|deleted|not done|undone|incomplete)$/i;

function moved(target: string, date: string, hearing: Hearing, orNew = false): Intent | undefined {
  const words = date.replace(/[.!]+$/, '').replace(/ (?:instead|please|then)$/i, '');
  const moment = wholeMoment(words, hearing.now) ?? wholeMoment(words.replace(/^(?:due|on|by|at|for|until) /i, ''), hearing.now);
  if (!moment) return undefined;
  const intent = edit(target, dueChange(moment, hearing), hearing);
  if (!orNew || intent.kind !== 'change') return intent;
  const { title, ...rest } = newTodo(detailsIn(target, hearing));
  return { ...intent, otherwise: { todos: [{ title, ...rest, due: dueOf(moment, hearing.now) }], clear: false } };
}

const GENERIC: Rule[] = [
  {
    pattern: /^make (?<t>it|that|this|that one) (?:be |say |read )?(?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => {
      const change = typedChange(v, hearing, true);
      return change && edit(t, change, hearing);
    },
  },
  {
    pattern:
      /^(?:change|update|edit|modify|turn|switch|correct|alter|adjust|revise)(?: the)? (?<t>.+?) (?:to say|to read|so (?:that )?it says|to be|to|into|with) (?<v>.+)$/i,
    means: ({ t = '', v = '' }, hearing) => {
      const status = STATUS.test(v) || /^(?:the )?status\b/i.test(t);
      const change = hearing.wish || status ? undefined : typedChange(v, hearing, true);
      if (change?.title !== undefined) return renamed(t, v, hearing);
      return change && edit(t, change, hearing);
    },
  },
  {
    pattern: /^(?:move|put) (?<t>.+?) (?:to|in|into|under|on) (?:my |the )?(?<v>[\w-]+)(?: (?:list|category|group|tag|folder))?$/i,
    means: ({ t = '', v = '' }, hearing) =>
      hearing.wish || /^(?:list|todos?|tasks|back|trash|bin|archives?|top|bottom|it|that|table|fridge|car|bed)$/i.test(v)
        ? undefined
        : edit(t, { addTags: tagsIn(v) }, hearing, { doubtful: true }),
  },
];

const MAKES_NEW =
  /^(?:add|create|append|remind|remember|don't|do not|note|new|todo|task|put (?:down|.+ (?:on|in|to|onto) (?:my|the) (?:\w+ )?list)|jot|write|insert|(?:make|set|set up|start|open|log|give me|schedule|get me) (?:an?|another|one more|new|the following) (?:[\w-]+ ){0,3}?(?:todo|task|reminder|item)s?|i (?:need|have|must|should|want)|make a (?:todo|task|note|reminder)|set a reminder)\b/i;

/** Changes that are said without "add" and the like; those words begin a new todo unless a note, a tag or a date is added. */
export function editIn(clause: string, hearing: Hearing): Intent | undefined {
  const additions = [...NOTES, ...TAGS, ...DATES.slice(FIRST_ADDED_DATE, FIRST_ADDED_DATE + ADDED_DATES)];
  if (MAKES_NEW.test(clause)) return firstMeaning(additions, clause, hearing);
  return firstMeaning([...RENAMES, ...NOTES, ...TAGS, ...PRIORITIES, ...DATES, ...GENERIC], clause, hearing);
}

const VAGUE: Rule[] = [
  {
    pattern: /^(?:edit|update|change|modify|postpone|reschedule|snooze|delay) (?<t>[^?]+)$/i,
    means: ({ t = '' }, hearing) => (hearing.wish || takeDate(t, hearing.now).moment ? undefined : edit(t, {}, hearing)),
  },
];

/** An order to change something that does not say what. */
export function vagueEditIn(clause: string, hearing: Hearing): Intent | undefined {
  return firstMeaning(VAGUE, clause, hearing);
}

/** A change that is said without its todo: "friday", "high priority". */
export function bareChange(text: string, hearing: Hearing): Edit | undefined {
  return typedChange(text.replace(/^(?:make it|to|for|on|by|due) /i, ''), hearing, false);
}

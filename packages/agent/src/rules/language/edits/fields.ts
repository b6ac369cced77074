import type { Edit, Order, Priority } from '../../intents.ts';
import { wholeMoment } from '../dates.ts';
import { type Hearing, type Means, rules } from '../listening.ts';
import { detailsIn, newTodo } from '../titles.ts';
import { edit, priorityNamed, renamed, tagsIn, value } from './order.ts';

/** "almond milk, not oat milk": other words in the title that has the old ones. */
function replaced(from: string, to: string, hearing: Hearing): Order | undefined {
  const old = hearing.quotes.show(from).replace(/^(?:the|an?) /i, '');
  const words = hearing.quotes.show(to).replace(/^(?:the|an?) /i, '');
  if (/^\d/.test(old) || wholeMoment(old, hearing.now) || wholeMoment(words, hearing.now)) return undefined;
  return edit(from, { replace: { from: old, to: words } }, hearing);
}

/** Other words inside the title of a todo. */
function replacing(target: string, from: string, to: string, hearing: Hearing): Order {
  return edit(target, { replace: { from: hearing.quotes.show(from), to: hearing.quotes.show(to) } }, hearing);
}

const rename: Means = ({ t, v }, hearing) => renamed(t, v, hearing);

export const RENAMES = rules([
  [
    ({ t, v }, hearing) => {
      const last = t.split(' ').at(-1)?.toLowerCase() ?? '';
      return v.toLowerCase().split(' ').includes(last) && v.length > t.length ? renamed(t, v, hearing) : undefined;
    },
    /^(?<t>(?!it\b|that\b|this\b).+?) should be (?<v>.+)$/i,
  ],
  [
    ({ t, v, w }, hearing) =>
      hearing.wish || /^(?:add|create|put|remind|i|we|mark|delete|remove|move|change|make|set|show|it|do)\b/i.test(w)
        ? undefined
        : replaced(t, v || w, hearing),
    /^(?:no,? )?(?:it|that|this)(?: should (?:be|say|read|have been|have said)|'s| is| was(?: meant to be| supposed to be)?) (?<v>.+?)(?:,? (?:and )?not|,? instead of|,? rather than) (?<t>.+)$|^(?<w>[^,]+?)(?:,? instead of|, not|,? rather than) (?<t2>[^,]+)$/i,
  ],
  [
    ({ x, v, t }, hearing) => {
      if (hearing.wish || /^(?:what|who|when|where|why|how|which|there)\b/i.test(x) || /^\d/.test(t) || wholeMoment(t, hearing.now))
        return undefined;
      return { ...replacing(x, t, v, hearing), fallback: edit(x, {}, hearing) };
    },
    /^(?<x>(?!it\b|that\b|this\b)[^,]+?)(?: is|'s| should be| was)(?: actually| meant to be)? (?:with |for |to |at |in |about |called )?(?<v>[^,]+?),? (?:and )?not (?:with |for |to |at |in )?(?<t>[^,]+)$/i,
  ],
  [
    ({ t, v, x }, hearing) => {
      if (hearing.wish || wholeMoment(v, hearing.now) || wholeMoment(x, hearing.now)) return undefined;
      return { ...replacing(x, t, v, hearing), fallback: renamed(t, `${v} in ${x}`, hearing) };
    },
    /^(?:change|replace|swap|switch|correct) (?<t>.+?) (?:to|with|for|by) (?<v>.+?) (?:in|on) (?<x>.+)$/i,
  ],
  [
    ({ v }, hearing) => edit('it', { title: value(v, hearing) }, hearing),
    /^(?:rename|retitle)(?: it| that| this)?(?: to| as| into) (?<v>.+)$/i,
  ],
  [
    rename,
    /^(?:rename|retitle|reword|rephrase)(?: the)?(?: (?:title|name) of)? (?<t>.+?) (?:to|as|into|=>|->|with)(?: be| say| read)? (?<v>.+)$/i,
    /^(?:change|edit|update|set|modify|correct|fix|make) (?:the )?(?:title|name|text|wording) (?:of|for|on) (?<t>.+?) (?:to|into|as|be|say)(?: say| read| be)? (?<v>.+)$/i,
    /^(?:change|set|edit|update) (?<t>.+?)(?:'s)? (?:title|name|text|wording) (?:to|into|as) (?<v>.+)$/i,
    /^(?:call|name) (?<t>it|that|this|that one|this one|the (?:\w+ )?(?:one|todo|task)) (?<v>.+)$/i,
    /^(?<t>.+?) should (?:be called|be named|say|read|have been|be renamed to) (?<v>.+)$/i,
  ],
  [({ t, v }, hearing) => (hearing.wish ? undefined : renamed(t, v, hearing)), /^(?:replace|swap) (?<t>.+?) (?:with|for|by) (?<v>.+)$/i],
]);

const NOTE = '(?:notes?|descriptions?|details?|comments?)';

const note: Means = ({ t, v }, hearing) => edit(t || 'it', { note: value(v, hearing) }, hearing);
const describe: Means = ({ t, v }, hearing) => edit(t, { description: value(v, hearing) }, hearing);

export const NOTES = rules([
  [
    ({ t, v }, hearing) => {
      if (/\b(?:list|todos|tasks)\b/i.test(t)) return undefined;
      const otherwise = { todos: [newTodo(detailsIn(`${t}: ${v}`, hearing))], clear: true };
      return { ...edit(t, { note: value(v, hearing) }, hearing), exactly: true, otherwise };
    },
    /^add to (?!the (?:notes?|descriptions?|details?|comments?)\b)(?<t>[^:]+): (?<v>.+)$/i,
  ],
  [
    note,
    `^(?:add|append|attach|write) to (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?): (?<v>.+)$`,
    `^(?:(?:with|and)(?: a| the)? )?(?:${NOTE})(?:: ?| saying | that says )(?<v>.+)$`,
    `^(?:add|put|attach|leave|write|append) (?:a |the |this )?${NOTE}(?:: ?| (?:that says|saying|reading|that) )(?<v>.+)$`,
  ],
  [
    ({ f, v }, hearing) =>
      edit('it', /^(?:title|name|text)$/i.test(f) ? { title: value(v, hearing) } : { description: value(v, hearing) }, hearing),
    `^(?:set|change|update|make) (?:the |its )?(?<f>title|name|text|${NOTE}) (?:to|as|:|be|say) ?(?<v>.+)$`,
  ],
  [
    note,
    `^(?:add|put|attach|write|leave|append|include) (?:a |the |this |some |another )?${NOTE} (?:to|on|for|in|with) (?<t>.+?)(?: ?: ?| ?- | that says | saying | that | reading | which says |, )(?<v>.+)$`,
  ],
  [
    ({ t, v }, hearing) => edit(t, { note: value(v.replace(/^the /i, ''), hearing) }, hearing),
    `^(?:add|append|put|attach|include|write) (?<v>.+?) (?:to|in|into|as|on) (?:the |a )?${NOTE} (?:of|for|on|to|in|from) (?<t>.+)$`,
  ],
  [
    describe,
    `^(?:set|change|update|edit|make|replace) (?:the )?${NOTE} (?:of|for|on|in) (?<t>.+?) (?:to|as|with|to say)(?: say)?:? (?<v>.+)$`,
    `^(?:set|change|update|edit) (?<t>.+?)'s ${NOTE} to:? (?<v>.+)$|^(?:${NOTE}) (?:on|for|to) (?!self)(?<t2>.+?): (?<v2>.+)$`,
  ],
  [
    ({ t }, hearing) => edit(t, { description: '' }, hearing),
    `^(?:remove|delete|clear|drop|erase|get rid of) (?:the )?${NOTE} (?:from|of|for|on) (?<t>.+)$`,
  ],
]);

const tag: Means = ({ t, v }, hearing) => edit(t || 'it', { addTags: tagsIn(v) }, hearing);

export const TAGS = rules([
  [tag, /^(?:tags?|labels?): #?(?<v>[\w#, -]+)$/i],
  [
    ({ t, v }, hearing) => (hearing.wish ? undefined : edit(t, { addTags: tagsIn(v) }, hearing)),
    /^(?:tag|label|categori[sz]e|file) (?<t>.+?) (?:as|with|under|in|to)(?: the)?(?: (?:tags?|labels?|category))? #?(?<v>[^?]+)$/i,
  ],
  [
    tag,
    /^(?:tag|label) (?<t>it|that|this|them|those|these|the \w+(?: one)?) #?(?<v>[\w-]+)$/i,
    /^(?:add|put|give|attach|apply|set) (?:the |a )?(?:tags?|labels?) #?(?<v>.+?) (?:to|on|for) (?<t>.+)$|^(?:add|put|attach|apply) (?:the |a |an )?#?(?<v2>[\w-]+) (?:tag|label) (?:to|on|for) (?<t2>.+)$|^add #(?<v3>[\w-]+) to (?<t3>.+)$|^give (?<t4>.+?) (?:the |a )?(?:tag|label) #?(?<v4>[\w-]+)$/i,
  ],
  [
    ({ t, v }, hearing) => edit(t, { removeTags: tagsIn(v) }, hearing),
    /^(?:untag|unlabel) (?<t>.+?) (?:as|with|from) #?(?<v>.+)$|^(?:remove|delete|drop|take(?: off)?) (?:the )?(?:tags?|labels?) #?(?<v2>.+?) (?:from|off|of) (?<t2>.+)$|^(?:remove|delete|drop|take) (?:the )?#?(?<v3>[\w-]+) (?:tag|label) (?:from|off|of) (?<t3>.+)$|^remove #(?<v4>[\w-]+) from (?<t4>.+)$/i,
  ],
  [
    ({ t }, hearing) => edit(t, { removeTags: ['*'] }, hearing),
    /^(?:untag|unlabel|remove (?:all )?(?:the )?(?:tags|labels) (?:from|of|on)) (?<t>.+)$/i,
  ],
]);

const P = '(?:high|highest|top|urgent|critical|important|low|lowest|minor|unimportant|medium|normal|regular|default|mid)';
const VERY = '(?:(?:very|really|super|more|much|extremely|pretty|quite|so|now|a|an|be|being|the|of) )*';

const prioritise: Means = ({ t, p }, hearing) => edit(t || 'it', { priority: priorityNamed(p) as Priority }, hearing);
const setting =
  (change: Edit): Means =>
  ({ t }, hearing) =>
    edit(t, change, hearing);

export const PRIORITIES = rules([
  [prioritise, `^(?:the )?(?:priority|prio):? (?:is |should be |= ?)?${VERY}(?<p>${P})$`],
  [setting({ priority: 'medium' }), `^(?<t>.+?)(?: is| are|'s)? no longer ${VERY}(?:${P})(?:[- ](?:priority|prio))?$`],
  [
    prioritise,
    `^(?:the )?(?:priority|prio|importance|urgency) (?:of|for) (?<t>.+?) (?:should be|is|must be|needs to be|to)(?: set to)? ${VERY}(?<p>${P})$`,
    `^(?:set|change|make|update|put|raise|lower|switch) (?:the |its |it's )?(?:priority|prio) (?:to|as|=|at|be)? ?${VERY}(?<p>${P})$`,
    `^(?:set|give|assign|make|put|use|apply) (?:a |the )?(?:priority(?: of| to| as)? (?<p>${P})|(?<p2>${P})[- ]priority) (?:for|on|to) (?<t>.+)$|^(?:give|assign) (?<t2>.+?) (?:a )?(?<p3>${P})[- ]priority$`,
    `^(?:set|change|make|update|put|raise|lower|increase|decrease|bump|switch|adjust) (?:the )?(?:priority|prio|importance|urgency)(?: level)? (?:of|for|on) (?<t>.+?) (?:to|as|=|at|up to|down to|be) ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio))?$`,
  ],
  [
    ({ t, p }, hearing) => edit(t.replace(/^priority (?:of )?/i, ''), { priority: priorityNamed(p) as Priority }, hearing),
    `^(?:make|set|mark|change|flag|put|bump|raise|lower|move|update|give|assign|turn|switch|upgrade|downgrade|treat|list) (?<t>.+?)(?:'s)?(?: (?:priority|prio|importance))?(?: (?:as|to|at|into|up to|down to|with|=|back to|a|on))* ${VERY}(?<p>${P})(?:[- ]?(?:priority|prio|importance))?$`,
  ],
  [
    ({ t }, hearing) => (hearing.wish ? undefined : edit(t, { priority: 'high' }, hearing)),
    /^(?:prioriti[sz]e|star|flag|pin) (?<t>.+)$|^(?:make|mark|set|give) (?<t2>.+?) (?:as )?(?:a |the |my )?(?:top )?priority$/i,
  ],
  [setting({ priority: 'low' }), /^(?:de-?prioriti[sz]e|unflag|unstar) (?<t>.+)$/i],
  [
    setting({ priorityStep: 1 }),
    /^(?:raise|increase|bump up|boost|up|bump|elevate) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^bump (?<t2>.+?) up(?: in priority)?$|^(?:raise|increase|boost|bump up) (?<t3>.+?)(?:'s)? priority$/i,
  ],
  [
    setting({ priorityStep: -1 }),
    /^(?:lower|decrease|reduce|drop|bump down) (?:the )?(?:priority|importance|urgency) (?:of|for|on) (?<t>.+)$|^(?:lower|decrease|reduce) (?<t3>.+?)(?:'s)? priority$|^bump (?<t2>.+?) down(?: in priority)?$/i,
  ],
  [
    setting({ priority: 'low' }),
    /^(?<t>.+?)(?: is| are|'s)(?: not|n't)(?: that| so| very| really| all that| as)* (?:urgent|important|critical|a priority)(?: any ?more| after all| now)?$|^(?<t2>.+?) (?:isn't|aren't)(?: that| so| very| really)* (?:urgent|important|critical|a priority)(?: any ?more| after all)?$/i,
  ],
  [
    ({ t, p }, hearing) =>
      /^(?:what|which|who|how|when|where|why|there)\b/i.test(t) || hearing.wish
        ? undefined
        : edit(t, { priority: priorityNamed(p) ?? 'high' }, hearing),
    `^(?<t>.+?)(?: is| are|'s| has| have| should be| should have| needs to be| became| gets| just became)(?: now| become)? ${VERY}(?<p>(?:${P})(?:[- ](?:priority|prio|importance))?|a priority)$`,
  ],
  [prioritise, `^(?:with )?${VERY}(?<p>(?:high|low|medium|top|normal)[- ]priority|urgent|important)(?: please)?$`],
]);

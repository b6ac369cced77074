import type { Change, Intent, Order, Otherwise } from '../intents.ts';
import { bareErrand } from './create.ts';
import { takeDate } from './dates.ts';
import { isPastForm, LATELY, passiveDeed, pastDeed } from './deeds.ts';
import { firstMeaning, type Hearing, type Means, rules } from './listening.ts';
import { referenceIn } from './references.ts';

const DONE = '(?:done|complete|completed|finished|finish|closed|accomplished|resolved|taken care of|over with|over and done with)';
const NOT_DONE =
  '(?:not (?:yet )?(?:done|complete|completed|finished)|undone|incomplete|unfinished|uncompleted|open(?: again)?|reopened|pending|active|not done yet|to be done|todo|to do|still open|in progress)';
const LIST = '(?:(?:my|the|our|that|this) )?(?:todo )?(?:list|todos?|tasks?|agenda|plate)';

/** Why somebody wants it is not part of what they want. */
const REASON = /,? (?:because|since|cause|cuz|so that|as (?:i|we|it)) .*$|, ?(?:i|we|it|it's|they|that's|he|she)\b.*$/i;

interface Options {
  doubtful?: boolean;
  otherwise?: Otherwise | undefined;
}

function change(kind: Exclude<Change['kind'], 'edit'>, target: string, hearing: Hearing, options: Options = {}): Order {
  const words = target
    .replace(/[.!,]+$/, '')
    .replace(REASON, '')
    .replace(/^(?!(?:all|every|them|those|these)\b)(.+?),? but (?:keep|leave|not|don't (?:delete|remove|touch|mark)) .+$/i, '$1')
    .replace(/ (?:please|for me|now)$/i, '');
  return {
    kind: 'change',
    change: { kind },
    target: referenceIn(words, hearing),
    ...(options.doubtful && { doubtful: true as const }),
    ...(options.otherwise && { otherwise: options.otherwise }),
  };
}

/** The same words as a new todo, for orders that could also have been one. */
function asTodo(clause: string, hearing: Hearing): Otherwise | undefined {
  const intent = bareErrand(clause, hearing);
  return intent?.kind === 'create' || intent?.kind === 'maybe-create' ? { todos: intent.todos.slice(0, 1), clear: false } : undefined;
}

const order =
  (kind: Exclude<Change['kind'], 'edit'>): Means =>
  ({ t }, hearing) =>
    change(kind, t, hearing);

const COMPLETE = rules([
  [
    ({ t, v }, hearing) =>
      /^read$/i.test(v) || (isPastForm(v) && !/^(?:completed|finished|closed|archived|deleted|important|urgent)$/i.test(v))
        ? change('complete', t, hearing)
        : undefined,
    /^mark (?<t>.+?) as (?<v>[a-z]+)$/i,
  ],
  [order('complete'), `^(?:i |we )?(?:'ve |have )?(?:just |already |finally )*had (?<t>(?:the|my|our) .+?)${LATELY}[.!]*$`],
  [
    ({ t }, hearing) => change('reopen', t.replace(/^the status of /i, ''), hearing),
    `^(?:mark|set|put|change|update|make|flag|record|list|log|move)(?: (?<t>.+?))??(?:'s)?(?: status)?(?: (?:as|to|off as|down as|back to|back as|=|->|be|being|is))* ${NOT_DONE}(?: again| please| now| after all)?$`,
  ],
  [
    ({ t }, hearing) => change('complete', t.replace(/^the status of /i, ''), hearing),
    `^(?:mark|set|put|change|update|make|flag|record|list|log|consider|count|call|move)(?: (?<t>.+?))??(?:'s)?(?: status)?(?: (?:as|to|off as|down as|=|->|be|being|is|all))* ${DONE}(?: now| please| for me| already| too| today)*$`,
  ],
  [
    order('complete'),
    `^mark (?:as |off )?(?:${DONE})[: ,-]+(?<t>.+)$|^mark off:? (?<t2>.+)$`,
    `^(?:check|tick|cross|strike|knock|mark|x) (?:off|out) (?<t>.+?)(?: (?:from|on|off|of) ${LIST})?$|^(?:check|tick|cross|strike|knock|mark) (?<t2>.+?) (?:off|out)(?: (?:of )?(?:from )?${LIST})?$`,
  ],
  [({ t }, hearing) => weakComplete('complete', t, hearing), /^(?:complete|tick|accomplish|close out)(?: off)?(?::? (?<t>.+))?$/i],
  [
    ({ t }, hearing) => weakComplete('finish', t, hearing),
    /^(?:finish|close|resolve|wrap up|check|conclude|finish up|finish off) (?<t>.+)$/i,
  ],
  [
    ({ t }, hearing) => (/^(?:yet|for (?:today|now)|here|thanks?.*)$/i.test(t) ? undefined : change('complete', t, hearing)),
    `^(?:(?:i'm|i am|we're|we are|i) )?(?:just |all |finally |already |now |also )*(?:done|finished|through|completed)(?:(?: with|:| -|,)? (?<t>.+?))?${LATELY}[.!]*$`,
  ],
  [
    order('complete'),
    `^(?:i|we)(?:'ve| have| had)?(?: already| just| finally| now| also| actually| totally| even)* (?:done|did|finished|completed|accomplished|handled|wrapped up|taken care of|took care of|dealt with|knocked out|checked off|ticked off|crossed off|sorted(?: out)?|gotten through|got through|finished up|finished off)(?: with)? (?<t>.+?)${LATELY}[.!]*$`,
    `^(?:i |we )?(?:'ve |have )?(?:just |finally |already )*got (?<t>.+?) (?:done|finished|completed|out of the way|taken care of|sorted)${LATELY}[.!]*$`,
  ],
  [
    ({ t }, hearing) => change('reopen', t, hearing, { doubtful: true }),
    /^(?<t>.+?)(?: is|'s| are| was| were)(?: not|n't)(?: actually| really| quite| yet)* (?:done|finished|complete|completed|[a-z]+(?:ed|id|nt|ght))(?: yet| after all)?[.!]*$|^(?<t2>.+?) (?:isn't|aren't|wasn't|hasn't been)(?: actually| really| quite)* (?:done|finished|complete|completed|[a-z]+(?:ed|id|nt|ght))(?: yet| after all)?[.!]*$/i,
  ],
  [
    ({ t }, hearing) =>
      /^(?:what|which|who|how|when|where|why|get|have|want|need|see|show|list|not|is|are|am|was|have i|it will be|should be|to be|clear|delete|remove|archive|hide|all the)\b/i.test(
        t,
      )
        ? undefined
        : change('complete', t, hearing),
    `^(?<t>.+?)(?: is| are|'s|'re| was| were| has been| have been| got| gets|:| -| =| ->|,)?(?: now| all| already| finally| completely| been| both)* (?:done|finished|complete|completed|taken care of|handled|sorted(?: out)?|dealt with|ticked off|checked off|crossed off|out of the way|over with|✓|✔|✅|☑)(?: and dusted)?${LATELY}[.!]*$`,
  ],
  [order('complete'), /^(?:\[x\]|✓|✔|✅|☑|x:) ?(?<t>.+)$/i],
  [
    (_, hearing) => change('complete', 'it', hearing),
    `^(?:i |we )?(?:did|'ve done|have done|got) (?:it|that|this)(?: done)?${LATELY}[.!]*$`,
  ],
]);

/** "finish the report": an order when there is such a todo, otherwise perhaps a new one. */
function weakComplete(verb: string, target: string, hearing: Hearing): Intent | undefined {
  if (hearing.wish) return undefined;
  const pointsAt = referenceIn(target, hearing).by;
  if (pointsAt !== 'place' && takeDate(target, hearing.now).moment !== undefined) return undefined;
  return change('complete', target, hearing, { otherwise: target === '' ? undefined : asTodo(`${verb} ${target}`, hearing) });
}

const ORDERED = new Map<string, Exclude<Change['kind'], 'edit'>>([
  ['deleted', 'delete'],
  ['removed', 'delete'],
  ['archived', 'archive'],
  ['reopened', 'reopen'],
  ['restored', 'restore'],
]);

const REOPEN = rules([
  [
    ({ t, v }, hearing) =>
      /^(?:what|which|who|how)\b/i.test(t) ? undefined : change(ORDERED.get(v.toLowerCase()) ?? 'complete', t, hearing),
    /^(?<t>.+?) (?:needs to be|should be|can be|must be|has to be|may be|ought to be|can) (?:now )?(?<v>deleted|removed|archived|reopened|restored|(?:marked|ticked|checked|crossed) (?:as |off)?(?:done|complete|completed|off)?)(?: now| please| again)*$/i,
  ],
  [
    order('reopen'),
    /^(?:reopen|re-open|uncheck|un-check|untick|un-tick|uncomplete|un-complete|unmark|unfinish|reactivate|un-?do the completion of|uncross|un-cross) (?<t>.+)$|^open (?<t2>.+?) (?:again|back up)$/i,
    /^(?:i|we) (?:didn't|did not|haven't|have not)(?: actually| really| quite| yet| even)* (?:finish|finished|do|done|complete|completed|get (?:to|around to)|gotten (?:to|around to)|got (?:to|around to)) (?<t>.+?)(?: yet| after all| done)?[.!]*$/i,
  ],
]);

const RESTORE = rules([
  [
    ({ t }, hearing) => (hearing.wish ? undefined : change('restore', t, hearing)),
    /^(?:restore|undelete|un-delete|unarchive|un-archive|recover|bring back|get back|revive|resurrect|put back|take back|retrieve)(?: (?<t>.+?))?(?: (?:to|on|onto|in|from) (?:my|the) (?:todo list|list|todos|trash|archive))?(?: again)?$/i,
  ],
  [
    order('restore'),
    /^(?:bring|put|get|give me|give|i want|i need|i'd like|add|move|have|take) (?<t>.+?) back(?: again)?(?: (?:on|to|onto|in|into)(?: (?:my|the))? (?:todo list|list|todos?|tasks))?(?: again)?$/i,
    /^(?:i )?(?:accidentally|mistakenly|wrongly) (?:deleted|removed|archived) (?<t>.+)$|^i (?:deleted|removed|archived) (?<t2>.+?) (?:by mistake|by accident|accidentally)$|^i (?:shouldn't|should not) have (?:deleted|removed|archived) (?<t3>.+)$|^i didn't (?:mean|want) to (?:delete|remove|archive) (?<t4>.+)$/i,
  ],
]);

const ARCHIVE = rules([
  [
    ({ t, u, w }, hearing) => (hearing.wish && t === '' ? undefined : change('archive', t || u || w, hearing)),
    /^(?:archive)(?: (?<t>.+))?$|^(?:move|put|send|file) (?<u>.+?) (?:to|in|into) (?:the |my )?archives?$|^(?:mark|set) (?<w>.+?) (?:as|to) archived$/i,
  ],
]);

const FROM_LIST = `(?:,? (?:from|off|off of|out of|on|in) (?:my|the|our|that|this)(?: todo| task| shopping| grocery)? (?:list|todos?|tasks?|agenda|plate)(?: of (?:todos|tasks))?)?`;
const GONE = '(?: any ?more| any longer| after all| now| at all)?';

const TAKE_AWAY = rules([
  [
    ({ t }, hearing) => {
      if ((hearing.wish && t === '') || /^(?:is|are|was|were|has|have|got)\b|^(?:done|finished|complete)$/i.test(t)) return undefined;
      return change('delete', t, hearing);
    },
    `^(?:delete|remove|erase|trash|discard|get rid of|del|rm|ditch|scrap|scratch|drop(?! off\\b| by\\b| in\\b)|throw (?:away|out)|dump|toss(?: out)?|eliminate|axe|nuke|purge|kill|bin|wipe(?: out)?)(?: (?<t>.+?))?(?: off)?${FROM_LIST}$`,
  ],
  [
    order('delete'),
    `^(?:take|pull|knock|strike|clear|get) (?<t>.+?) (?:off|off of|out of|from)(?: (?:of )?${LIST})$|^take off (?<t2>.+)$|^take (?<t3>.+?) off$`,
    /^(?:clear|empty|clean)(?: out| up| off)? (?<t>(?:all|everything|my (?:todo )?list|my (?:todos|tasks)|the (?:todo )?list|the (?:completed|done|finished|old|whole|entire|overdue)|completed|done|finished|any|every).*)$/i,
  ],
]);

/** "cancel the dentist": the appointment or the todo? Only a todo that is called one is clear. */
const CALLED_TODO = /\b(?:todo|task|reminder|item|one|entry)\b/i;
const NO_TARGET = /^(?:anything|any|know|you|worry|delete|remove|see|think|want|a break|to|help|that|it)\b/i;

const NO_LONGER = rules([
  [
    ({ t }, hearing) => (hearing.wish ? undefined : change('delete', t, hearing, { doubtful: !CALLED_TODO.test(t) })),
    /^(?:cancel|skip|lose|call off) (?!(?:it|that|this)$)(?<t>.+)$/i,
  ],
  [
    ({ t }, hearing) => (hearing.wish ? undefined : change('delete', t, hearing)),
    /^(?:forget(?: about)?|never ?mind(?: about)?|disregard) (?!(?:it|that|this)$)(?<t>.+)$/i,
  ],
  [
    ({ t }, hearing) => {
      const target = t;
      return NO_TARGET.test(target) ? undefined : change('delete', target, hearing);
    },
    `^(?:(?:i|we) )?(?:don't|do not|no longer|won't|will not)(?: need| want| have| be)(?: to)?(?: do| see)? (?<t>.+?)${GONE}[.!]*$|^(?<t2>.+?)(?: is| are|'s) (?:no longer|not) (?:needed|necessary|relevant|required)${GONE}[.!]*$|^(?<t3>.+?) (?:isn't|aren't) (?:needed|necessary|relevant|required)${GONE}[.!]*$|^no (?:more )?need (?:to|for) (?<t4>.+?)${GONE}[.!]*$|^(?:don't|do not|stop) remind(?:ing)? me (?:about|of|to) (?<t5>.+?)${GONE}$`,
  ],
  [
    ({ t }, hearing) => (NO_TARGET.test(t) ? undefined : change('delete', t, hearing, { doubtful: true })),
    /^(?<t>.+?)(?: is not| are not|'s not| is no longer| are no longer| isn't| aren't) (?:happening|going ahead|on)(?: any ?more| any longer| after all)?[.!]*$|^(?<t2>.+?) (?:was|is|has been|got|were|have been) (?:cancell?ed|called off|scrapped)[.!]*$/i,
  ],
]);

function deedIn(clause: string, hearing: Hearing): Intent | undefined {
  const target = pastDeed(clause) ?? passiveDeed(clause);
  if (target === undefined) return undefined;
  // "got the first two": what follows the verb points at todos by itself.
  const rest = target.replace(/^\S+ /, '');
  const { by } = referenceIn(rest, hearing);
  return change('complete', by === 'place' || by === 'focus' || by === 'all' || by === 'age' ? rest : target, hearing);
}

const CHANGES = [...RESTORE, ...REOPEN, ...TAKE_AWAY, ...ARCHIVE, ...COMPLETE, ...NO_LONGER];

export function changeIn(clause: string, hearing: Hearing): Intent | undefined {
  return firstMeaning(CHANGES, clause, hearing) ?? (hearing.wish ? undefined : deedIn(clause, hearing));
}

import type { Intent, IntentOf, NewTodo } from '../intents.ts';
import { dueOf, takeDate, wholeMoment } from './dates.ts';
import { type ItemOptions, itemsIn, startsWithVerb } from './items.ts';
import { firstMeaning, type Hearing, rules } from './listening.ts';
import { referenceIn } from './references.ts';
import { ASSISTANT_VERBS, ERRAND_VERBS, wordsOf } from './text.ts';
import { type Details, detailsIn, newTodo } from './titles.ts';

const NOUN = '(?:todo items?|todos?|tasks?|reminders?|items?|to do|chores?|errands?|entry|entries|action items?|things?)';
const KIND =
  '(?:(?:high|low|medium|top|normal|highest|lowest)[- ]priority|(?:(?:very|super|really|extremely) )?(?:urgent|important|critical))';
const BEFORE_NOUN = `(?:(?:me|us|a|an|another|one|one more|the|this|these|those|some|two|three|four|five|six|\\d+|several|few|couple|couple of|a few|a couple of|following|new|quick|my|more|extra|separate|personal|work|single|little|short|${KIND}) )*`;
const CONNECTOR =
  /^(?:(?:,? ?(?:for me|to my (?:todo )?list|on my (?:todo )?list|in my (?:todo )?list|to the list|in here|in|down|on there|please))*(?= |:|,|$))[\s:,-]*(?:(?:(?:for (?:me )?to|to remember to|to remind me (?:to|about|of)|reminding me (?:to|about)|so (?:that )?i (?:remember|don't forget) to|that i(?:'ve| have)? ?(?:need|got|have|must|should|want)(?: to)?|i (?:need|have|want) to|with (?:the |a )?(?:title|name|text)(?: of)?|which says|that says|that reads|reading|called|named|titled|entitled|saying|about|regarding|to|for|of|as|where i|in which i|is)[\s:]+)*)/i;

const LISTS_WITHOUT_NAME = /^(?:todo|to do|task|tasks|own|daily|main|current|whole|entire|personal todo|check|running|master|list of|)$/i;

/** Words that introduce a list and carry no meaning: "things to do", "could you jot this down for me". */
const HEADER_WORDS = new Set(
  `a an the my our these this that those it following new some more few several couple todo todos to do task tasks thing things stuff list item items reminder reminders chore chores errand errands job jobs note notes plan agenda action actions
  i i'd i've i'm we need have got must should want like would you can could will please pls kindly just also and for me us on in into onto up down at is are be here add put write jot take get stick pop throw remember remind create make log
  done buy everything all there's there what two three four five six seven eight nine ten today's tomorrow's week's so ok okay hi hey hello thanks quick quickly before forget don't let now first next ones one`
    .trim()
    .split(/\s+/),
);
const ANNOUNCES =
  /\b(?:todos?|to do|tasks?|things?|list|items?|reminders?|chores?|errands?|jobs?|add|put|write|jot|note|remember|need to|agenda)\b/i;

/** "things to do tomorrow: …", "can you put these down:\n- …": the date of the header is for all of them. */
function announced(clause: string, hearing: Hearing): Intent | undefined {
  const { head = '', rest = '' } =
    /^(?<head>[^:\n]{2,80})(?::\s*|\n\s*(?=[-*•]|\d{1,2}[.)]\s))(?<rest>\S[\s\S]*)$/.exec(clause)?.groups ?? {};
  if (head === '' || !ANNOUNCES.test(head)) return undefined;
  const { rest: plain, moment } = takeDate(head, hearing.now);
  if (!wordsOf(plain).every((word) => HEADER_WORDS.has(word))) return undefined;
  const several =
    /\n/.test(rest) ||
    !/\b(?:an?|this|that|it|one|todo|task|reminder|note)\b/i.test(head) ||
    /\b(?:these|two|three|four|five|few|couple|list)\b/i.test(head);
  const intent = creation(rest, hearing, { single: !several, several });
  if (!moment) return intent;
  return { ...intent, todos: intent.todos.map((todo) => ({ due: dueOf(moment, hearing.now), ...todo })) };
}

export const createRules = rules([
  [
    ({ kind, noun, rest }, hearing) => {
      if (/^(?:from|off|as|by|is|are|was)\b/i.test(rest)) return undefined;
      if (/^things?$/i.test(noun) && !/\b(?:to my|on my|to the)\b/i.test(rest)) return undefined;
      const several = /s$/i.test(noun) || /\b(?:two|three|four|five|six|\d+|several|few|couple|these|those|following)\b/i.test(kind);
      const priority = new RegExp(KIND, 'i').exec(kind)?.[0].replace(/^(?:very|super|really|extremely) /i, '');
      return creation(rest.replace(CONNECTOR, ''), hearing, { single: !several, several, ...(priority && { priority }) });
    },
    `^(?:add|create|make|write(?: down)?|put(?: down| in)?|set(?: up)?|start|open|log|record|save|enter|jot down|note down|give me|schedule|register|insert|track|include|new|i(?:'d like| want| need| would like)|another|one more|get me|have|throw in) (?<kind>${BEFORE_NOUN})(?<noun>${NOUN})\\b(?!'s| (?:about|for) (?:this|next) week\\?)(?<rest>[\\s\\S]*)$`,
  ],
  [
    ({ what, list, noun, tail }, hearing) => {
      if (/\b(?:off|back)$/i.test(what) || /^(?:tags?|labels?|notes?|descriptions?)\b/i.test(what)) return undefined;
      const named = LISTS_WITHOUT_NAME.test(list) || /^(?:plate|queue|backlog|agenda)$/i.test(noun) ? undefined : list.toLowerCase();
      const rest = tail.replace(/^[,:]? ?(?:please|thanks)?/i, '').trim();
      if (/^(?:an?|another|this|one more)? ?(?:todo|task|reminder|item|note)$/i.test(what))
        return creation(rest.replace(CONNECTOR, ''), hearing, { single: true });
      const listed = /^:/.test(tail.trim());
      // After a quoted title and the list, only "and" or a comma brings another todo.
      const quoted = hearing.quotes.only(what) !== undefined;
      const single = quoted && !/^\s*[:,]|\b(?:and|plus|also)\b|[&⟦]/i.test(tail);
      const text = /^(?:this|these|the following|following|it|that|them|those)$/i.test(what)
        ? rest.replace(/^:\s*/, '')
        : listed
          ? `${what} ${rest.replace(/^:\s*/, '')}`
          : `${what}${quoted ? ', ' : ' '}${rest}`;
      return creation(text, hearing, { single, several: !startsWithVerb(what), ...(named && { tag: named }) });
    },
    /^(?:add|put|include|stick|throw|pop|write|jot|note|place|get|append|toss|slap|insert|enter|log|drop|chuck)(?: down)? (?<what>.+?)(?:,)? (?:to|on|onto|in|into|down on|down in|up on) (?:my|the|our|this|that|a)? ?(?<list>(?:[\w'-]+ ){0,2}?)(?<noun>list|todos?(?! list)|tasks|agenda|checklist|plate|queue|backlog|(?<=(?:on|in) )(?:there|here))(?<tail>\b[\s\S]*)$/i,
  ],
  [
    ({ what, list }, hearing) => creation(what, hearing, tagFor(list)),
    /^(?:add|put|write|stick|throw)(?: this| these| the following| it)? (?:to|on|onto|in|into) (?:my|the|our) (?<list>(?:[\w'-]+ ){0,2}?)(?:list|todos?(?! list)|tasks|agenda)[:,]? (?<what>[\s\S]+)$/i,
  ],
  [
    ({ what }, hearing) => {
      const planned = creation(what, hearing, { single: true });
      return planned.todos[0]?.due === undefined ? undefined : planned;
    },
    /^(?:schedule|plan|pencil in) (?!(?:an? |my |the )?(?:todo|task|reminder))(?<what>.+)$/i,
  ],
  [
    ({ what, list }, hearing) => creation(what, hearing, { several: !startsWithVerb(what), tag: list.toLowerCase() }),
    /^add (?<what>.+) to (?:my |the )?(?<list>groceries|grocery|shopping|errands|work|home|chores|packing|wish ?list|reading)$/i,
  ],
  [
    ({ rest }, hearing) =>
      /^(?:(?:some|any)thing(?: else| new)?|an?(?: new)? (?:one|item)|new one|one|another(?: one)?)$/i.test(rest)
        ? creation('', hearing, { single: true })
        : creation(rest.replace(/^(?:that )?i (?:need|have|want) to /i, ''), hearing),
    /^(?:please )?(?:also )?(?:add|append|insert|note down|jot down|write down|put down|new|pencil in|one more|another one|another thing|and another)(?: in)?(?: (?:these|this|the following|following|new|on|another one|another|one more))*(?: ones?| things?)?[:,]?\s+(?<rest>[\s\S]+)$/i,
  ],
  [
    ({ day, rest }, hearing) => (wholeMoment(day, hearing.now) ? creation(`${day}: ${rest}`, hearing, { several: true }) : undefined),
    /^(?:my )?(?:todos?|tasks?|to do|things to do|plan|list)(?: list)? for (?<day>[^:]{3,30}): (?<rest>[\s\S]+)$/i,
  ],
  [
    ({ rest }, hearing) => creation(rest, hearing, { several: true }),
    /^(?:(?:i have|i've got|here are|these are|i need to do) )?(?:my |the |these |the following |[\w]+ )?(?:things|todos|tasks|stuff)(?: (?:that )?(?:i (?:need|have) )?to (?:do|get done))?(?: (?:today|this week))?: ?(?<rest>[\s\S]+)$/i,
  ],
  [({ rest }, hearing) => creation(rest, hearing), /^create:? (?!an? )(?<rest>[\s\S]+)$/i],
  [
    ({ rest }, hearing) => {
      if (/^(?:of |about )?(?:what|which|how|my (?:todos|tasks|list)|everything|all|when (?:is|are|do|does)|where|who|why)\b/i.test(rest))
        return undefined;
      return creation(
        rest
          .replace(/^((?:every|each) [^,]+?),? to (.+)$/i, '$2 $1')
          .replace(/^[\s,:-]*(?:to self|for me)?[\s,:-]*(?:to|about|of|that|for|regarding)?\b[\s:]*/i, ''),
        hearing,
      );
    },
    /^(?:remind (?:me|us)|remember(?: that)?|(?:don't|do not|never|mustn't|must not) (?:let me )?forget|make sure (?:that )?(?:i|we)(?: don't forget| remember)?|make sure(?= to)|help me (?:to )?remember|i (?:mustn't|must not|can't|cannot|shouldn't|should not|don't want to|want to be sure not to) forget|i (?:need|want|have) to remember|note to self|reminder|(?:ping|nudge|alert|notify|poke) me|(?:make|take|write)(?: me)? a (?:quick )?(?:mental )?note|(?:let me |let us |let's )?not forget|it's important (?:that i|to))(?: again| please)?[,:]?(?<rest>\b[\s\S]*|)$/i,
  ],
  [
    ({ rest, other }, hearing) => {
      if (/^(?:lists?(?!:)|items?|app|count|number|\d+)\b/i.test(other) || /^(?:is|are|done|completed?|finished)\b/i.test(other))
        return undefined;
      return creation((rest || other).replace(/^(?:list: ?)?(?:to )?/i, ''), hearing);
    },
    /^(?:[-*+•] |\[ ?\] |[-*+] \[ ?\] |\d{1,2}[.)] )+(?<rest>[\s\S]+)$|^(?:new )?(?:todo|task|to do|action item)(?: item)?(?: ?[:-] ?| )(?<other>[^?]+)$/i,
  ],
]);

function tagFor(list: string): { tag?: string } {
  const name = list.trim().toLowerCase();
  return LISTS_WITHOUT_NAME.test(name) ? {} : { tag: name };
}

/** "my next task is to …" */
const NEXT_TASK =
  /^(?:my|the|another|one more|a|one)(?: next| other| new| more| last)* (?:task|todo|thing|item|errand|chore)(?: (?:to do|on my list|for (?:today|tomorrow)))? is(?: to|:)? (?<rest>.+)$/i;

interface Shape extends ItemOptions {
  tag?: string;
  priority?: string;
}

/** "add it": mentioned before. */
const PRONOUN = /^(?:it|that|this|them|those|these|that one|one)$/i;

/** The todos that a text describes. */
export function creation(text: string, hearing: Hearing, shape: Shape = {}): IntentOf<'create'> {
  const leading = leadingDate(text, hearing);
  const split = itemsIn(leading.rest, shape);
  const texts = /\n/.test(text) ? split : withDetails(split, hearing);
  const items = texts.map((item) =>
    detailsIn(shape.priority ? `${item}, ${shape.priority.replace(/^(urgent|important|critical)$/i, 'high priority')}` : item, hearing),
  );
  const shared = sharedDetails(items, texts, leading);
  const todos = items.filter(({ title }) => title !== '' && !PRONOUN.test(title)).map((details) => withShared(details, shared, shape.tag));
  const repeats = items.some((item) => item.repeats);
  if (todos.length > 0) return { kind: 'create', todos, repeats };
  const { title: _title, repeats: _repeats, ...rest } = { ...detailsIn(text, hearing), ...(shape.tag && { tags: [shape.tag] }) };
  const saidBefore = items.some(({ title }) => PRONOUN.test(title));
  return { kind: 'create', todos: [], repeats, untitled: rest, ...(saidBefore && { saidBefore: true as const }) };
}

/** Words that only add details belong to the todo before them: "buy milk, tagged shop, high priority". */
function withDetails(items: string[], hearing: Hearing): string[] {
  const whole: string[] = [];
  for (const item of items) {
    const last = whole.at(-1);
    if (last !== undefined && addsDetails(last, item, hearing)) whole[whole.length - 1] = `${last}, ${item}`;
    else whole.push(item);
  }
  return whole;
}

const NOTE = /^(?:with |and |having )?(?:an? |the )?(?:descriptions?|notes?|details|comments?)\b/i;

/** Whether the words, or the todo itself, have no title of their own. */
function addsDetails(todo: string, words: string, hearing: Hearing): boolean {
  if (detailsIn(words, hearing).title === '' || detailsIn(todo, hearing).title === '') return true;
  const titled = todo.includes('⟦') ? todo : 'Todo';
  const before = detailsIn(titled, hearing);
  const after = detailsIn(`${titled}, ${words}`, hearing);
  return after.title === before.title && after.unused === before.unused && (after.description === before.description || NOTE.test(words));
}

/** "tomorrow to call mom": a date at the start applies to everything after it. */
function leadingDate(text: string, hearing: Hearing): { rest: string; due?: string } {
  const found = detailsIn(text, hearing);
  const first =
    /^(?:for |on |by |at |due |in |tomorrow|today|tonight|this |next |monday|tuesday|wednesday|thursday|friday|saturday|sunday|first thing )/i.test(
      text,
    );
  if (!first || found.due === undefined) return { rest: text };
  const split = /^(.*?)(?:,| to| that| about| i (?:need|have) to|:)\s+(.+)$/is.exec(text);
  const head = split ? detailsIn(split[1] as string, hearing) : undefined;
  return split && head?.due !== undefined && head.title === '' ? { rest: split[2] as string, due: head.due } : { rest: text };
}

/** What follows a plain list applies to each item: "milk, eggs and bread for tomorrow". */
function sharedDetails(items: Details[], texts: string[], leading: { due?: string }): Partial<Details> {
  if (leading.due !== undefined) return { due: leading.due };
  if (items.length < 2 || texts.some(startsWithVerb)) return {};
  const last = items.at(-1) as Details;
  const others = items.slice(0, -1);
  return {
    ...(last.due !== undefined && others.every((item) => item.due === undefined) && { due: last.due }),
    ...(last.priority && others.every((item) => !item.priority) && { priority: last.priority }),
    ...(last.tags && others.every((item) => !item.tags) && { tags: last.tags }),
  };
}

function withShared(details: Details, shared: Partial<Details>, tag: string | undefined): NewTodo {
  const tags = [...(details.tags ?? shared.tags ?? []), ...(tag === undefined ? [] : [tag])];
  return newTodo({ ...shared, ...details, ...(tags.length > 0 && { tags: [...new Set(tags)] }) });
}

const WISH =
  /^(?:(?:i|we)(?:'ve|'d| have| had)? ?(?:really |also |still |just |probably |definitely |def )*(?:need to|have to|has to|got to|must|should|ought to|want to|would like to|like to|am supposed to|'m supposed to|are supposed to|plan to|am planning to|'m planning to|are planning to|have got to|will have to|'ll have to|'ll need to|will need to|better|will|'ll|gotta|intend to|mean to|meant to|hope to)|(?:i'm|we're) (?:supposed|planning|meaning) to|need to|have to|must|gotta|got to|should(?! i\b)|(?:it's |it is )?(?:about )?time to|let's|let us|i'd better|i had better)(?: remember to| also| really| probably| maybe| definitely| just| still| finally)* (?<rest>[\s\S]+)$/i;
const GOING = /^(?:i'm|we're|i am|we are)(?: also| still| definitely)? going to (?<rest>.+)$/i;
const NEED_THING =
  /^(?:(?:i|we)(?:'re| are)?(?: also| still| really)? )?(?:need(?: some| more| a| an| to get| to buy)?|are out of|'re out of|out of|ran out of|are running low on|'re running low on|are running out of) (?<what>(?!to\b)[^?]+)$|^(?:we're|i'm) (?:out of|running (?:low on|out of)) (?<other>[^?]+)$/i;
const APPOINTMENT = /^(?:i|we)(?:'ve got| have got| have|'ve| got|'ve also got| also have) (?<what>(?:an? |my |the |to )?[^?]+)$/i;

/** What somebody wants, needs or has to do. */
export function wishIn(said: string, hearing: Hearing): Intent | undefined {
  const clause = dateLast(said, hearing);
  const rest = wishedFor(clause) ?? nextTask(clause);
  if (rest !== undefined) return creation(rest, hearing);
  const need = NEED_THING.exec(clause)?.groups;
  const thing = need?.what ?? need?.other;
  if (thing !== undefined && !/^(?:help|you|an? (?:list|answer|favor|favour|hand|break|moment|minute)|to|your)\b/i.test(thing)) {
    return creation(`get ${thing}`, hearing, { single: true });
  }
  const have = APPOINTMENT.exec(clause)?.groups?.what;
  if (have === undefined) return undefined;
  const intent = creation(have, hearing, { single: true });
  return intent.todos[0]?.due === undefined ? undefined : intent;
}

/** "I am going to the dentist" is not a wish, "I am going to paint the fence" is. */
function wishedFor(clause: string): string | undefined {
  const going = GOING.exec(clause)?.groups?.rest;
  if (going !== undefined) return startsWithVerb(going) ? going : undefined;
  return WISH.exec(clause)?.groups?.rest;
}

function nextTask(clause: string): string | undefined {
  const rest = NEXT_TASK.exec(clause)?.groups?.rest;
  return rest !== undefined && startsWithVerb(rest) ? rest : undefined;
}

export function isWish(clause: string, hearing: Hearing): string | undefined {
  return wishedFor(dateLast(clause, hearing));
}

/** "on friday I have to …" is "I have to … on friday". */
function dateLast(clause: string, { now }: Hearing): string {
  const [, date = '', rest = ''] = /^(.{3,40}?),? ((?:i|we)(?:'ve|'m|'ll|'d|'re)? .+)$/i.exec(clause) ?? [];
  return date !== '' && wholeMoment(date, now) ? `${rest} ${date}` : clause;
}

/** "the invoice must go out": a separate verb after the words, unless they belong to "that", "if" and the like. */
function isStatement(clause: string): boolean {
  const before = /^(\S+(?: \S+)+?) (?:must|needs|has to|should|is|are|was|were|will|isn't|aren't|won't)\b/i.exec(clause)?.[1];
  return (
    before !== undefined &&
    !/\b(?:that|which|who|what|if|when|how|whether|where|why|because|about|until|before|after|while|since|as|to)\b|[:,"⟦]/i.test(before)
  );
}

/** "Buy milk", "call mom tomorrow": something to do, without any other words. */
export function bareErrand(clause: string, hearing: Hearing, asked = false): Intent | undefined {
  if (/\?\s*$/.test(clause) || isStatement(clause) || /\b(?:me|you|your|yourself)\b(?! and)/i.test(clause)) return undefined;
  const pressing =
    /^(?:(?:this is |it's )?(?:very |super |really )?(?:urgent|important|critical)|(?:top|high|highest)[- ]prio(?:rity)?)[:!,\s-]+(?<rest>.+)$/i.exec(
      clause,
    )?.groups?.rest;
  if (pressing !== undefined && startsWithVerb(pressing)) return creation(`${pressing}, high priority`, hearing);
  const [first = ''] = clause.toLowerCase().split(/\s+/);
  const dated = creation(clause, hearing);
  if (dated.todos.length === 0) return undefined;
  const due = dated.todos.some((todo) => todo.due !== undefined);
  if (!ERRAND_VERBS.has(first) || !startsWithVerb(clause)) {
    return due &&
      clause.split(' ').length <= 12 &&
      !/^(?:it|that|this|they|he|she|there|you|the weather|i|we|i'm|we're|i've)\b/i.test(clause)
      ? { kind: 'maybe-create', todos: dated.todos, reason: 'statement' }
      : undefined;
  }
  if (asked || (ASSISTANT_VERBS.has(first) && !due)) return { kind: 'maybe-create', todos: dated.todos, reason: 'assistant' };
  return dated;
}

const NAME = /^(?:the |my |some |an? )?\p{L}[\p{L}'-]*(?: \p{L}[\p{L}'-]*){0,2}$/u;
const SENTENCE_WORDS =
  /\b(?:i|i'm|me|you|he|she|it|we|they|is|are|was|were|am|be|do|does|did|not|no|so|very|too|many|much|what|why|how|who|this|that|these|feel|love|hate|like|nice|good|bad|great|test|testing|blah|today|hmm|sure|really|please|if|because|there|here|can't|cannot|smells?|looks?)\b/i;

/** Words that are only names: "eggs", "milk, eggs, bread". */
export function nameIn(clause: string, hearing: Hearing): Intent | undefined {
  const parts = clause.split(/, ?(?:and )?| and /).map((part) => part.trim());
  if (parts.length > 12 || !parts.every((part) => NAME.test(part)) || SENTENCE_WORDS.test(clause)) return undefined;
  const intent = creation(clause, hearing, { single: parts.length === 1, several: true });
  if (intent.todos.length === 0) return undefined;
  const name = referenceIn(clause, hearing);
  return { kind: 'name', name, todos: name.by === 'name' || name.by === 'several' || name.by === 'topic' ? intent.todos : [] };
}

export function createIn(clause: string, hearing: Hearing): Intent | undefined {
  return announced(clause, hearing) ?? firstMeaning(createRules, clause, hearing);
}

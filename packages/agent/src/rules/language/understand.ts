import type { Intent, Order } from '../intents.ts';
import { changeIn } from './change.ts';
import { bareErrand, createIn, creation, isWish, nameIn, wishIn } from './create.ts';
import { isDeed } from './deeds.ts';
import { bareChange, editIn, vagueEditIn } from './edits/edit.ts';
import type { Hearing } from './listening.ts';
import { readIn } from './read.ts';
import { referenceIn } from './references.ts';
import { asksHow, isContinue, isHandsOff, isUndo, isWondering, talkIn } from './talk.ts';

/** An intent and the words it came from. */
export interface Heard {
  intent: Intent;
  words: string;
}

const FILLER =
  /^(?:(?:hi|hello|hey|yo|ugh+|argh+|for (?:god|heaven|christ|goodness|fuck)'?s'? sake|ffs|jesus|seriously|come on|before i forget|i told you(?: that)?|as i said|aargh|grr+|omg|gosh|damn|dammit|crap|shit|phew|yikes|man|dude|mate|lol|haha|fyi|quick one|quick thing|heads up|hey there|hi there|ok|okay|alright|all right|so|well|um+|uh+|uhm|hmm+|oh|ah|oops|whoops|actually|please|kindly|now|then|also|and|but|just|great|cool|perfect|nice|thanks|thank you|sorry|right(?=,)|listen(?=,)|look(?=,)|first(?=,)|next(?=,)|finally(?=,)|lastly(?=,)|secondly(?=,)|by the way|btw|additionally|one more thing|quick question|good morning|good evening|good afternoon|millrace|yes|yeah|yep|sure|anyway|also please|if you (?:can|could|would|don't mind)|when you (?:can|have a (?:moment|minute|second))|for me|could i ask you to|real quick|quickly|let's see|you know what|on second thought|in that case|no wait|wait|hold on|i changed my mind|never mind(?=,)|no(?=,)|nope(?=,))(?:[,!.:]+\s*|\s+))+/i;
const ASKING =
  /^(?:to(?= (?:add|create|delete|remove|mark|show|list|put|move|change|rename)\b)|(?:can|could|would|will|won't|can't|may|might)(?: you| u| we| i ask you to)(?: please| kindly| maybe| possibly| also| just| quickly| perhaps| be so kind as to| be able to| be kind enough to| do me a favor and)*|(?:i'd|i would|i)(?: really)? (?:like|want|need|love|prefer)(?: for)? you to|i(?:'d| would) appreciate it if you(?: could| would)?|(?:please )?(?:go ahead and|be so kind (?:as|and) to?|do me a favor(?: and|,)|feel free to|help me(?: to)?|try to|make sure you|you (?:can|may|could|should|need to|have to|might want to|must)(?: now| also| please| just| go ahead and)*|i was wondering if you could|is there any way you could|any chance you (?:can|could)|do you mind(?: if you)?|why don't you|how about you|let's(?: go ahead and)?|let us|we can|we could|i think (?:you should|we should|we can|you can)|time to|it's time to|i want to|i'd like to|i would like to|i wish to|i'm (?:going|trying) to|i am (?:going|trying) to|i'd love to|i need to|i have to|i wanna|may i|can i|could i|let me(?! not)(?! know)|i (?:also )?(?:forgot|wanted|meant) to(?= (?:add|put|mark|delete|remove|create|change|rename|move|note|write)\b))) (?=\S)/i;
const ASSISTANT = /^(?:can|could|would|will|won't|can't)(?: you| u)\b/i;
const GERUND = /^(?:would you mind|do you mind|could you mind|how about|what about) (?<verb>[a-z]+)ing\b(?: on)? (?<rest>.+)$/i;

/** The words without politeness. */
export function plainClause(clause: string): string {
  let words = clause.trim();
  for (let before = ''; before !== words; ) {
    before = words;
    const shorter = words.replace(FILLER, '');
    if (shorter !== '') words = shorter.trim();
  }
  return words
    .replace(
      /[,\s]+(?:please|thanks|thank you|thx|cheers|for me|i mean|i meant|if possible|if that's (?:ok|okay|possible|fine|alright)|same time|if you (?:can|could|would|don't mind)|would you|will you|could you|ok|okay|right now|cheers|when you (?:can|get a chance|have a (?:moment|minute|second)))(?=[.!?,\s]*$)/gi,
      '',
    )
    .replace(/[.!,\s]+$/, '')
    .trim();
}

/** Nobody gives an order in more characters; longer texts are lists of todos or nothing. */
const LONGEST_ORDER = 400;

/** What one clause means. */
export function clauseMeaning(clause: string, hearing: Hearing): Intent {
  if (clause.length > LONGEST_ORDER) return createIn(clause.trim(), hearing) ?? { kind: 'unknown' };
  const whole = plainClause(clause);
  const early = earlyMeaning(whole);
  if (early) return early;
  const gerund = GERUND.exec(whole)?.groups;
  const asked = gerund ? `${baseVerb(gerund.verb as string)} ${gerund.rest}` : whole.replace(ASKING, '');
  const wasAsked = asked !== whole;
  if (!wasAsked && isWondering(whole)) return question(whole, hearing);
  const words = plainClause(asked.replace(/[?\s]+$/, ''));
  const doubtful = /\?\s*$/.test(clause) && !wasAsked;
  const wished = isWish(whole, hearing);
  const order = orderIn(wished === undefined ? words : plainClause(wished), { ...hearing, wish: wished !== undefined });
  if (order?.kind === 'change') return withDoubts(order, doubtful, wished, hearing);
  if (order) return order;
  const wish = wishIn(whole, hearing);
  if (wish) return insteadOf(wish, whole, hearing);
  return (
    readIn(words, hearing) ??
    (wasAsked && isWondering(words) ? question(words, hearing) : undefined) ??
    bareErrand(words, hearing, wasAsked && ASSISTANT.test(whole)) ??
    nameIn(words, hearing) ?? { kind: 'unknown' }
  );
}

/** "I'll call mom on saturday instead": a new date for an existing todo, or a new todo. */
function insteadOf(wish: Intent, words: string, hearing: Hearing): Intent {
  const [todo, ...more] = wish.kind === 'create' ? wish.todos : [];
  if (!todo?.due || more.length > 0 || !/\binstead[.!]*$/i.test(words)) return wish;
  return {
    kind: 'change',
    change: { kind: 'edit', edit: { due: todo.due } },
    target: referenceIn(todo.title, hearing),
    otherwise: { todos: [todo], clear: true },
  };
}

/** A change phrased as a question needs a confirmation; one phrased as a wish may have been a new todo. */
function withDoubts(order: Order, doubtful: boolean, wished: string | undefined, hearing: Hearing): Intent {
  const wish = wished === undefined ? undefined : creation(wished, hearing);
  const otherwise = wish && wish.todos.length > 0 ? { todos: wish.todos, clear: true } : order.otherwise;
  return { ...order, ...(doubtful && { doubtful: true as const }), ...(otherwise && { otherwise }) };
}

function earlyMeaning(words: string): Intent | undefined {
  if (isUndo(words)) return { kind: 'undo' };
  const talk = talkIn(words);
  if (talk) return talk;
  if (isContinue(words)) return { kind: 'again' };
  const meant = correctionIn(words);
  if (meant !== undefined) return { kind: 'instead', words: meant };
  if (isHandsOff(words)) return { kind: 'hands-off' };
  if (asksHow(words) && !/^(?:can|could|may) i (?:see|get|have|view|look)\b/i.test(words)) return { kind: 'small', which: 'how-delete' };
  return undefined;
}

/** "no, I meant the gym", "not that one, the other one": what was meant, or nothing if that is missing. */
export function correctionIn(words: string): string | undefined {
  const { meant, other, third } =
    /^(?:(?:no|nope|not (?:that|this|it)(?: one)?|wrong (?:one|todo|task)|that's (?:wrong|not (?:it|the one|what i meant))|sorry|oops)[,.;!: -]*)*(?:i )?(?:meant|mean|said)(?: to say)?\b:? ?(?<meant>.*)$|^(?:not (?:that|this|it)(?: one)?|wrong (?:one|todo|task)|that's (?:wrong|not (?:it|the one)))[,.;!: -]+(?:but )?(?<other>.+)$|^not (?:the|my) [^,]+,? (?:but )?(?<third>(?:the|my) .+)$/i.exec(
      words,
    )?.groups ?? {};
  return (meant ?? other ?? third)?.trim();
}

/** Orders, the most specific first. */
function orderIn(words: string, hearing: Hearing): Intent | undefined {
  if (words === '') return undefined;
  if (isHandsOff(words)) return { kind: 'hands-off' };
  return (
    editIn(words, hearing) ??
    strict(changeIn(words, hearing), words, hearing) ??
    createIn(words, hearing) ??
    vagueEditIn(words, hearing) ??
    (hearing.wish ? readIn(words, hearing) : undefined)
  );
}

/** A request for a list that uses the words of a change: "show completed", "what is done". */
function strict(intent: Intent | undefined, words: string, hearing: Hearing): Intent | undefined {
  if (!intent) return undefined;
  return /^(?:show|list|display|view|see|what|which|find|search|give me|get me|add|create|remind|put .* on (?:my|the) (?:\w+ )?list|new (?:todo|task))\b/i.test(
    words,
  )
    ? (createIn(words, hearing) ?? readIn(words, hearing) ?? intent)
    : intent;
}

function question(words: string, hearing: Hearing): Intent {
  return readIn(words, hearing) ?? { kind: 'unknown' };
}

function baseVerb(stem: string): string {
  if (
    /^(?:add|show|mark|check|tick|cross|list|tag|finish|archiv|delet|remov|renam|complet|mov|chang|postpon|updat|creat|mak|prioritis|prioritiz|eras|restor|schedul|reschedul|writ)$/i.test(
      stem,
    )
  ) {
    return /(?:archiv|delet|remov|renam|complet|mov|chang|postpon|updat|creat|mak|prioritis|prioritiz|eras|restor|schedul|writ)$/i.test(
      stem,
    )
      ? `${stem}e`
      : stem;
  }
  return stem.replace(/(put|get|set|drop|tag|scrap|scrat|cut)t?$/i, '$1').replace(/(\w)\1$/, '$1');
}

const MOST_JOINTS = 30;
/** Longer sentences are lists; they are not searched for orders. */
const LONGEST_SPLIT = 2_000;
const SENTENCE = /(?<=[^\s.][.!?]|[!?])(?<!\d\.(?=\s+\d))\s+(?=\S)/;
const ABBREVIATION = /\b(?:mr|mrs|ms|dr|st|vs|etc|e\.g|i\.e|no|nr|a\.m|p\.m|approx|dept|prof|jr|sr|inc)\.$/i;
const JOINT = /,? (?:and then|and also|and please|and|then|but|also|plus)(?=,? )|[,;](?= )| -(?= )/gi;

/** What a whole message means: one intent after the other. */
export function understand(text: string, hearing: Hearing): Heard[] {
  const bulleted =
    /\n\s*(?:[-*•]|\d+[.)])\s/.test(text) ||
    /:\s*\n/.test(text) ||
    (/\n/.test(text) && /^(?:add|create|new|todos?|tasks?|remind me|here)/i.test(text.trim()) && !ordersFollow(text));
  const list = bulleted ? text : pastedList(text, hearing);
  const sentences = list !== undefined ? [list] : joinedAbbreviations(text.split(/\n+/).flatMap((line) => line.trim().split(SENTENCE)));
  const known = new Map<string, Heard[]>();
  const spoken = sentences.filter((sentence) => /[\p{L}\p{N}?✓✔✅⟦]/u.test(sentence));
  const heard = spoken.flatMap((sentence) => clausesOf(sentence, hearing, known));
  return together(merged(heard.map((clause, index) => (addsWhatWasSaid(heard[index + 1]?.intent) ? asCreation(clause, hearing) : clause))));
}

/** Consecutive todos are added, and undone, as one list. */
function together(heard: Heard[]): Heard[] {
  const joined: Heard[] = [];
  for (const one of heard) {
    const last = joined.at(-1);
    const intent = last && joinedIntent(last.intent, one.intent);
    if (intent) joined[joined.length - 1] = { intent, words: `${last.words}\n${one.words}` };
    else joined.push(one);
  }
  return joined;
}

function joinedIntent(first: Intent, next: Intent): Intent | undefined {
  if (first.kind !== 'create' || next.kind !== 'create' || isUntitled(first) || isUntitled(next) || next.saidBefore) return undefined;
  return { ...first, todos: [...first.todos, ...next.todos], repeats: first.repeats || next.repeats };
}

function ordersFollow(text: string): boolean {
  const [, ...lines] = text.trim().split(/\n+/);
  return lines.some((line) => ORDER.test(plainClause(line)));
}

const FEWEST_PASTED = 3;
const LISTABLE: ReadonlySet<Intent['kind']> = new Set(['create', 'maybe-create', 'name', 'unknown']);

/** Lines are one list of todos if some are clearly todos and none is an order. */
function pastedList(text: string, hearing: Hearing): string | undefined {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== '');
  if (lines.length < FEWEST_PASTED || lines.some((line) => ORDER.test(plainClause(line)))) return undefined;
  const kinds = lines.map((line) => clauseMeaning(line, hearing).kind);
  const todos = kinds.filter((kind) => kind === 'create').length;
  if (todos < 2 || todos * 3 < lines.length || !kinds.every((kind) => LISTABLE.has(kind))) return undefined;
  return `add:\n${lines.map((line) => `- ${line.trim()}`).join('\n')}`;
}

function joinedAbbreviations(sentences: string[]): string[] {
  const whole: string[] = [];
  for (const sentence of sentences) {
    const last = whole.at(-1);
    if (last !== undefined && ABBREVIATION.test(last)) whole[whole.length - 1] = `${last} ${sentence}`;
    else whole.push(sentence);
  }
  return whole;
}

/** Splits "add milk and mark bread as done" where a new order begins, and nowhere else. */
function clausesOf(sentence: string, hearing: Hearing, known: Map<string, Heard[]>): Heard[] {
  const heard = known.get(sentence) ??
    repeatedHead(sentence)?.flatMap((part) => clausesOf(part, hearing, known)) ??
    splitAtOrder(sentence, hearing, known) ?? [{ intent: clauseMeaning(sentence, hearing), words: sentence }];
  known.set(sentence, heard);
  return heard;
}

/** "new task … new task …": dictated without a pause. */
function repeatedHead(sentence: string): string[] | undefined {
  const head = /^(?:new (?:task|todo|reminder)|(?:add|create) (?:an? |another )?(?:new )?(?:task|todo|reminder)|remind me to)\b/i.exec(
    plainClause(sentence),
  )?.[0];
  if (head === undefined) return undefined;
  const parts = plainClause(sentence).split(new RegExp(`(?:,? (?:and|then))?,? (?=${head}\\b)`, 'i'));
  return parts.length > 1 ? parts : undefined;
}

function splitAtOrder(sentence: string, hearing: Hearing, known: Map<string, Heard[]>): Heard[] | undefined {
  if (sentence.length > LONGEST_SPLIT) return undefined;
  for (const joint of [...sentence.matchAll(JOINT)].slice(0, MOST_JOINTS).reverse()) {
    const left = sentence.slice(0, joint.index).trim();
    const right = sentence.slice(joint.index + joint[0].length).trim();
    if (left === '' || right === '') continue;
    const meaning = clauseMeaning(right, hearing);
    const back = pointsBack(meaning) || addsWhatWasSaid(meaning);
    const taken = isUndo(plainClause(right));
    const denial = /but/i.test(joint[0]) && DENIAL.test(right);
    if (!back && !denial && !taken && !beginsOrder(right, hearing)) continue;
    const before = clausesOf(left, hearing, known);
    // "milk tomorrow, high priority": a detail of what may be a new todo.
    if (bareChange(right, hearing) && before.some(({ intent }) => intent.kind === 'maybe-create')) continue;
    if (back && before.every(({ intent }) => isRemark(intent) || addsWhatWasSaid(meaning)))
      return [...before, ...clausesOf(right, hearing, known)];
    if ((denial || taken || beginsOrder(right, hearing)) && before.every(({ intent }) => standsAlone(intent, left)))
      return [...before, ...clausesOf(right, hearing, known)];
  }
  return undefined;
}

const DENIAL = /^(?:i|we|he|she|they|it|that|there|not|the .+?|my .+?)\b.*(?:\bnot\b|n't\b|\bnever\b|\bno\b|\bstill\b)/i;

/** An order about "it", which was mentioned before. */
export function pointsBack(intent: Intent | undefined): boolean {
  return intent?.kind === 'change' && intent.target.by === 'focus' && intent.otherwise === undefined;
}

/** "add it", after what it is. */
function addsWhatWasSaid(intent: Intent | undefined): boolean {
  return intent?.kind === 'create' && intent.saidBefore === true;
}

/** Words that are not an order. */
export function isRemark({ kind }: Intent): boolean {
  return kind === 'unknown' || kind === 'name' || kind === 'maybe-create';
}

/** Whether the words before a conjunction make sense without those after it. */
function standsAlone(intent: Intent, words: string): boolean {
  if (intent.kind === 'small') return !/^(?:yes|no|ok)/i.test(words);
  return intent.kind === 'hands-off' || intent.kind === 'read' || !changesNothing(intent);
}

function changesNothing({ kind }: Intent): boolean {
  return kind !== 'create' && kind !== 'change' && kind !== 'undo';
}

const ORDER =
  /^(?:please |also |then |can you |could you |go ahead and )*(?:(?:add|create|make|set up|put) (?:me )?(?:an?|another|one|new|two|three|\d+|some) (?:\w+[- ]){0,3}?(?:todo|task|reminder|item)s?\b|add\b|put .+ (?:on|in|to|onto) (?:my|the) (?:\w+ )?list|remind me\b|(?:don't|do not) forget\b|mark\b|check off\b|tick off\b|cross off\b|(?:check|tick|cross) .+ off\b|complete (?:the|my|it|that|\d)|archive\b|delete\b|remove\b|get rid of\b|show (?:me|my|all|the (?:list|todos|tasks|rest)|what)|list (?:my|all|the|every)|rename\b|change .+ to\b|move .+ (?:to|until|till) \S|postpone\b|reschedule\b|push .+ (?:to|back|by)\b|set .+ (?:to|as|priority|due)\b|make (?:it|that|them|the .+|.+) (?:high|low|medium|urgent|important|a priority|due|top)\b|prioriti[sz]e\b|undo\b|reopen\b|uncheck\b|restore\b|bring .+ back\b|tag (?:it|that|them|this)\b|tag .+ (?:as|with)\b|untag\b|what(?:'s| is| are| do| have)\b|how many\b|i(?:'ve| have)? (?:already |just )?(?:finished|done|completed|did|bought|called|paid|sent)\b|i(?:'m| am) done with\b|(?:i|we) (?:need|have) to\b|scratch\b|drop (?:the|my)\b|clear (?:all|the|my|completed)\b|tell me (?:what|how many)\b|give it\b|it's due\b|it is due\b)/i;

function beginsOrder(said: string, hearing: Hearing): boolean {
  const words = plainClause(said);
  if (ORDER.test(words)) return clauseMeaning(words, hearing).kind !== 'unknown';
  const plain = words.replace(/[.!]+$/, '');
  return (
    /^(?:the |my )?\w+(?: \w+){0,4} (?:is|are) (?:done|complete|completed|finished)$/i.test(plain) ||
    (/^\w+(?: \w+){1,4}(?<! as \w+)$/.test(plain) && isDeed(plain.split(' ').at(-1) as string))
  );
}

const PREFACE =
  /^(?:(?:i|we)(?:'ve| have)? (?:also )?(?:got|have|promised(?: \w+)?(?: that)?(?: i(?:'d| would))?)(?: to| an?)? |there(?:'s| is) (?:an? )?)/i;

/** What "add it" adds: the words before it, however they were understood. */
function asCreation(heard: Heard, hearing: Hearing): Heard {
  if (heard.intent.kind === 'create') return heard;
  return { ...heard, intent: creation(plainClause(heard.words).replace(PREFACE, ''), hearing, { single: true }) };
}

/** Small talk beside an order is only politeness. */
function merged(heard: Heard[]): Heard[] {
  const real = heard.filter(
    ({ intent }, index) =>
      intent.kind !== 'small' &&
      !(isUntitled(intent) && (saysTitle(heard[index + 1]?.intent) || heard[index - 1]?.intent.kind === 'create')) &&
      !(intent.kind === 'undo' && heard[index - 1]?.intent.kind === 'change'),
  );
  return real.length > 0 ? real : heard.slice(0, 1);
}

/** "Can you add a task? Clean the oven." */
function isUntitled(intent: Intent): boolean {
  return intent.kind === 'create' && intent.untitled !== undefined;
}

function saysTitle(intent: Intent | undefined): boolean {
  return intent?.kind === 'create' || intent?.kind === 'maybe-create';
}

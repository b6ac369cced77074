import { find, ReadFailed } from '../finding.ts';
import type { Intent, IntentOf } from '../intents.ts';
import { creation } from '../language/create.ts';
import { bareChange } from '../language/edits/edit.ts';
import { startsWithVerb } from '../language/items.ts';
import type { Hearing } from '../language/listening.ts';
import { referenceIn } from '../language/references.ts';
import { writtenTimes } from '../language/spoken-times.ts';
import { Quotes, tidy } from '../language/text.ts';
import { detailsIn, newTodo } from '../language/titles.ts';
import { type Heard, isRemark, plainClause, pointsBack, understand } from '../language/understand.ts';
import { lastRead, type Memory } from '../memory.ts';
import { callTools, failure, type Said, type Scene, type Script, said, ToolMissing } from '../script.ts';
import { CANNOT, named, smallTalk } from '../sentences.ts';
import { answer } from './answering.ts';
import { change, perform, remark, talkedAbout } from './changing.ts';
import { create, maybeCreate } from './creating.ts';
import { about, more, read } from './reading.ts';

const LONGEST_REMEMBERED = 2_000;
/** A turn has a limited number of steps, and an order may take two. */
const MOST_ORDERS = 12;

export interface Message {
  text: string;
  memory: Memory;
  now: Scene['now'];
  tools: ReadonlySet<string>;
}

/** The answer to one message. */
export function* respond({ text, memory, now, tools }: Message): Script<Said> {
  const quotes = new Quotes();
  const hearing: Hearing = { quotes, now, wish: false };
  const scene: Scene = { memory, hearing, now, tools, loaded: new Map() };
  const words = writtenTimes(quotes.hide(tidy(text)));
  try {
    const reply = (memory.pending && (yield* answer(scene, memory.pending, quotes.show(words)))) ?? (yield* follow(scene, words));
    return remembered(reply, text);
  } catch (error) {
    if (error instanceof ReadFailed)
      return remembered(
        { ...said(scene, error.message || "I'm having trouble reading your todos. Please try again."), failed: true },
        text,
      );
    if (error instanceof ToolMissing) return remembered(said(scene, missing(error.tool, tools)), text);
    throw error;
  }
}

function remembered(reply: Said, text: string): Said {
  const failed = reply.failed === true;
  const last = reply.memory.last ?? { did: '' };
  return { ...reply, memory: { ...reply.memory, last: { ...last, text: text.slice(0, LONGEST_REMEMBERED), failed } } };
}

function missing(tool: string, tools: ReadonlySet<string>): string {
  if (!tools.has('read_todos'))
    return "The todo tools are turned off here, and without a language model I can't do anything else. Start Millrace with the todo toolset, or configure a model (models.provider).";
  return tool === 'create_todo' || tool === 'update_todo' || tool === 'delete_todo'
    ? 'I can only read todos here: this server is read-only.'
    : CANNOT;
}

function* follow(scene: Scene, words: string): Script<Said> {
  const alone = inContext(scene, words);
  const heard: Heard[] = alone ? [{ intent: alone, words }] : understand(words, scene.hearing);
  if (heard.length > MOST_ORDERS)
    return said(scene, `That is ${heard.length} things at once, so I did none of them. Please send at most ${MOST_ORDERS} per message.`);
  const texts: string[] = [];
  let failed = false;
  for (const [index, { intent, words: clause }] of heard.entries()) {
    if (isRemark(intent) && pointsBack(heard[index + 1]?.intent)) {
      const focus = yield* talkedAbout(scene, clause);
      if (focus.length > 0) scene.memory = { ...scene.memory, focus };
      continue;
    }
    // Beside an order, a statement does not need the question whether to add it.
    const reply = isAside(intent, heard) ? yield* remark(scene, clause) : yield* carryOut(scene, intent, clause);
    if (!reply) continue;
    if (heard.length > 1 && reply.text === CANNOT) continue;
    // Only one question can be open; the first one stays.
    const pending = scene.memory.pending && texts.length > 0 ? scene.memory.pending : reply.memory.pending;
    const { pending: _asked, ...memory } = reply.memory;
    scene.memory = {
      ...memory,
      ...(pending && { pending }),
      last: { did: intent.kind, text: '', failed: false, ...(intent.kind === 'change' && { change: intent.change }) },
    };
    texts.push(reply.text);
    failed ||= reply.failed === true;
  }
  return { text: texts.length === 0 ? CANNOT : texts.join('\n'), memory: scene.memory, failed };
}

function isAside({ kind }: Intent, heard: readonly Heard[]): boolean {
  return kind === 'maybe-create' && heard.some(({ intent }) => intent.kind === 'create' || intent.kind === 'change');
}

const CANCEL = /^(?:cancel|forget|scrap|scratch|drop) (?:that|it|this)(?: one)?$/i;
const DO_NOT =
  /^(?:no,? )?(?:please )?(?:don't|do not) (?:add|create|do|delete|remove|mark|change|complete|move|archive|rename) (?:that|it|this|those|them|these)(?: one)?$/i;
const KEEP =
  /^(?:no,? |hmm+,? |wait,? |oh,? |actually,? )*(?:keep|leave) (?:it|that|them|this|those)(?: one)?(?: on there| there| please)?[.!]*$|^(?:(?:no|wait|hmm+|oh|actually),? )*i (?:still |actually )*need (?:it|that|them|this)(?: one)?[.!]*$/i;

/** Whether the words undo what was just done: "scratch that", "don't add it", "no, keep it". */
function takesBack({ last }: Memory, changed: boolean, plain: string, words: string): boolean {
  const kind = last?.change?.kind;
  if (changed && (DO_NOT.test(plain) || (kind !== 'delete' && CANCEL.test(plain)))) return true;
  return (kind === 'delete' || kind === 'archive') && KEEP.test(words);
}

/** Words that make sense only after an earlier message: "and eggs", "make that friday", "high priority". */
function inContext(scene: Scene, words: string): Intent | undefined {
  const { memory, hearing } = scene;
  const plain = plainClause(words);
  if (memory.last?.did === 'create' && memory.focus.length > 0) {
    const more =
      /^(?:and|also|plus|oh,? and|and also|as well as|as well)[, ]+(?!(?:then|what|how|show|mark|delete|remove|is|are|do|does|did|when|where)\b)(.+?)(?: too| as well)?[.!]*$/i.exec(
        words,
      )?.[1];
    if (more !== undefined && understand(more, hearing).every(({ intent }) => isRemark(intent))) {
      return creation(more, hearing, { several: true });
    }
  }
  const changed = /^(?:create|change)$/.test(memory.last?.did ?? '');
  if (takesBack(memory, changed, plain, words)) return { kind: 'undo' };
  const same = sameAgain(plain) ?? sameAgain(words);
  if (same !== undefined && memory.last?.change && understand(same, hearing).every(({ intent }) => isRemark(intent))) {
    return { kind: 'change', change: memory.last.change, target: referenceIn(same, hearing) };
  }
  if (memory.focus.length === 1 && changed) {
    const edit = bareChange(plain, hearing);
    if (edit) return { kind: 'change', change: { kind: 'edit', edit }, target: { by: 'focus', many: false } };
  }
  const [, other] = /^(?:no|nope|wait|oops)[,.! ]+(.+)$/i.exec(words) ?? [];
  if (other !== undefined && memory.last?.change && understand(other, hearing).every(({ intent }) => isRemark(intent)))
    return { kind: 'instead', words: other };
  return undefined;
}

/** "and the bread", "the bread too", "same for the bread". */
function sameAgain(words: string): string | undefined {
  const match =
    /^(?:and|also|plus|and also) (.+?)(?: too| as well)?[.!]*$|^(.+?) (?:too|as well)[.!]*$|^(?:and )?(?:do )?(?:the )?same (?:for|with|to|thing for) (.+?)[.!]*$/i.exec(
      words,
    );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

function* carryOut(scene: Scene, intent: Intent, words: string): Script<Said> {
  switch (intent.kind) {
    case 'create':
      return yield* create(scene, intent);
    case 'maybe-create':
      return (yield* remark(scene, words)) ?? maybeCreate(scene, intent);
    case 'change':
      return yield* change(scene, intent);
    case 'read':
      return yield* read(scene, intent);
    case 'more':
      return yield* more(scene);
    case 'about':
      return yield* about(scene, intent);
    case 'undo':
      return yield* undo(scene);
    case 'again':
      return yield* again(scene);
    case 'instead':
      return yield* instead(scene, intent);
    case 'hands-off':
      return said(scene, "OK, I'll leave everything as is.");
    case 'small':
      return said(scene, smallTalk(intent.which));
    case 'name':
      return (yield* remark(scene, words)) ?? (yield* byName(scene, intent));
    case 'unknown':
      return (yield* remark(scene, words)) ?? (yield* asked(scene, words)) ?? said(scene, CANNOT);
  }
}

/** "what about the lease?" */
function* asked(scene: Scene, words: string): Script<Said | undefined> {
  const [, rest = ''] =
    /^(?:and |so )?(?:what about|how about|what's (?:up|happening|going on) with|how(?:'s| is)|any news on|and)\b (.+)\?\s*$/i.exec(
      words,
    ) ?? [];
  const found = rest === '' ? [] : yield* talkedAbout(scene, rest);
  return found.length === 0 ? undefined : yield* about(scene, { kind: 'about', target: referenceIn(rest, scene.hearing), question: 'all' });
}

/** Just a name: what should happen to it? */
function* byName(scene: Scene, { name, todos }: IntentOf<'name'>): Script<Said> {
  const found = yield* find(scene, name, { kind: 'edit', edit: {} });
  if (found.kind === 'todos' && found.sure && found.missing.length === 0) {
    return said(scene, `What should I do with ${named(found.todos)}? Say "done", "delete it" or "move it to friday", for example.`, {
      focus: found.todos,
    });
  }
  if (todos.length === 0) return said(scene, 'What should I do with it? Say "show my todos" to see your todos.');
  return maybeCreate(scene, { kind: 'maybe-create', todos, reason: 'statement' });
}

/** Undoes the last change, and applies it to the todo that was meant. */
function* instead(scene: Scene, { words }: IntentOf<'instead'>): Script<Said> {
  const { last, focus } = scene.memory;
  const plain = plainClause(words);
  if (plain === '' || !last || scene.memory.undo.length === 0) return said(scene, smallTalk('correct'));
  const meant = understand(plain, scene.hearing);
  if (last.did === 'create' || !last.change) {
    const [first] = focus;
    if (!first || focus.length > 1 || !meant.every(({ intent }) => isRemark(intent) || intent.kind === 'create'))
      return said(scene, smallTalk('correct'));
    const typed = bareChange(plain, scene.hearing);
    // "no, I meant Rob": it does not say which words of "Call Bob" to replace.
    if (!typed && startsWithVerb(first.title) && !startsWithVerb(plain)) return said(scene, smallTalk('correct'));
    const edit = typed ?? { title: newTodo(detailsIn(plain, scene.hearing)).title };
    return yield* change(scene, { kind: 'change', change: { kind: 'edit', edit }, target: { by: 'focus', many: false } });
  }
  const edit = last.change.kind === 'edit' ? bareChange(plain, scene.hearing) : undefined;
  if (edit) return yield* change(scene, { kind: 'change', change: { kind: 'edit', edit }, target: { by: 'focus', many: false } });
  const undone = yield* undo(scene);
  if (undone.failed) return undone;
  const [order] = meant;
  scene.memory = undone.memory;
  scene.loaded.clear();
  if (order && meant.length === 1 && order.intent.kind === 'change') return yield* change(scene, order.intent);
  const others = lastRead(scene.memory).filter((todo) => !focus.some(({ id }) => id === todo.id));
  const [other] = others;
  if (/^the other(?: one)?$/i.test(plain) && other && others.length === 1) {
    const reply = yield* perform(scene, last.change, [other]);
    return { ...reply, text: `${undone.text} ${reply.text}` };
  }
  const reply = yield* change(scene, { kind: 'change', change: last.change, target: referenceIn(plain, scene.hearing) });
  return { ...reply, text: `${undone.text} ${reply.text}` };
}

/** Undoes the last change. */
function* undo(scene: Scene): Script<Said> {
  const calls = scene.memory.undo.at(-1);
  if (!calls) return said(scene, 'There is nothing to undo in this conversation.');
  const results = yield* callTools(scene, calls);
  const failed = results.filter(({ ok }) => !ok);
  if (failed[0]) return { ...said(scene, failure(failed[0])), failed: true };
  const todos = results.flatMap(({ value }) => (value.todo as Memory['focus'][number] | undefined) ?? []);
  const gone = calls.filter(({ tool }) => tool === 'delete_todo').length;
  const text =
    gone === calls.length
      ? 'Undone: I removed what I had added.'
      : `Undone: ${named(todos)} ${todos.length === 1 ? 'is' : 'are'} as before.`;
  return said(scene, text, { undo: scene.memory.undo.slice(0, -1), focus: todos });
}

/** "Try again": repeats the last message, if it failed. */
function* again(scene: Scene): Script<Said> {
  const { last } = scene.memory;
  if (!last?.failed || last.text === '') return said(scene, 'There is nothing to try again. What should I do?');
  const words = writtenTimes(scene.hearing.quotes.hide(tidy(last.text)));
  const [first] = understand(words, scene.hearing);
  return first?.intent.kind === 'again' ? said(scene, 'There is nothing to try again. What should I do?') : yield* follow(scene, words);
}

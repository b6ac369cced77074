import type { Change, Edit, Priority } from './intents.ts';
import { takeDate } from './language/dates.ts';
import { isByOthers, isDeed, isPastForm } from './language/deeds.ts';
import { dueChange } from './language/edits/order.ts';
import type { Hearing } from './language/listening.ts';
import { COMMON_STEMS, EMPTY_WORDS, stem, wordsOf } from './language/text.ts';
import { takePriority } from './language/titles.ts';
import { isSlip } from './matching.ts';
import type { Todo } from './memory.ts';

/** What a sentence that matches no rule says about existing todos. */
export interface Grounded {
  /** The todos that are mentioned; several if it is not clear which one. */
  todos: Todo[];
  /** What seems to have happened to it, or should happen. */
  change?: Change;
  /** Whether every word is explained. */
  sure: boolean;
  /** "I still have not …": it stays as it is. */
  denied: boolean;
}

const DENIED =
  /\b(?:not|never|no|without|nor|cannot|unable|forgot|failed|almost|nearly|half|if|unless|when|until|would|could|should|might|may|maybe|perhaps|will|going to|want|wish|hope|about to|trying)\b|n't\b/i;
const GONE =
  /\b(?:cancell?ed|called off|scrapped|not happening|no longer (?:needed|necessary|happening|on)|not needed|not going|fell through|off the table)\b|\bdon't need\b/i;
const DONE =
  /\b(?:done|finished|complete|completed|sorted|handled|tick|ticked|check|checked|cross|crossed|strike|taken care of|dealt with|out of the way|in the bag|wrapped up|nailed|all set|accomplished)\b|[✓✔✅☑]/i;
/** It may be done then, or not. */
const PERHAPS = /\b(?:over|went|gone|happened|finally|at last)\b/i;
const MOVED =
  /\b(?:moved?|is|are|now|due|push(?:ed)?|bump(?:ed)?|shift(?:ed)?|reschedul\w*|postpon\w*|delay(?:ed)?|change[ds]?|instead|until|till|can wait|deadline|must|needs? to|has to|have to)\b|'s\b/i;
/** Words around what happened that change nothing about it. */
const ASIDE = new Set(
  `went go well fine great good ok okay smoothly badly way home work shop store back today yesterday morning afternoon evening night earlier ago last week just finally already now yay hooray woohoo phew
  at last myself together again right after before lunch dinner breakfast while minute hour day time actually quickly easily luckily thankfully all both set sent honestly btw fyi hey hi so well good news guess what that's thing be
  want wanted more anymore longer top high low priority urgent important prio moved move push pushed bump bumped shift instead due deadline until till can could should make put tick check cross off strike done finished complete completed over sorted`
    .trim()
    .split(/\s+/)
    .map(stem),
);

export function grounded(words: string, todos: readonly Todo[], hearing: Hearing): Grounded | undefined {
  const text = hearing.quotes.show(words);
  const spoken = [...new Set(wordsOf(text).map(stem))];
  const mentions = todos.map((todo) => ({ todo, found: mentioned(todo, spoken) })).filter(({ found }) => found.telling > 0);
  const most = Math.max(...mentions.map(({ found }) => found.score));
  const best = mentions.filter(({ found }) => found.score === most);
  const [first] = best;
  if (!first) return undefined;
  const { moment, rest } = takeDate(text, hearing.now);
  const { priority } = takePriority(text);
  const kept = wordsOf(moment ? rest : text).filter((word) => !EMPTY_WORDS.has(word) && !ASIDE.has(stem(word)));
  const unexplained = kept.filter((word) => !first.found.words.has(stem(word)) && !isDeed(word));
  const told = changeTold(text, first.found.words, priority, moment && MOVED.test(text) ? dueChange(moment, hearing) : undefined);
  return {
    todos: best.map(({ todo }) => todo),
    ...told,
    sure: unexplained.length === 0 && !told.perhaps && first.found.share >= LEAST_SHARE,
  };
}

interface Told {
  change?: Change;
  denied: boolean;
  perhaps?: boolean;
}

/** What a remark says about the todo that it mentions. */
function changeTold(text: string, mentionedWords: ReadonlySet<string>, priority: Priority | undefined, moved: Edit | undefined): Told {
  if (GONE.test(text)) return { change: { kind: 'delete' }, denied: false };
  if (priority) return { change: { kind: 'edit', edit: { priority: DENIED.test(text) ? 'medium' : priority } }, denied: false };
  const happened = DONE.test(text) || deedTold(text, mentionedWords);
  if (DENIED.test(text)) return { denied: happened };
  if (moved) return { change: { kind: 'edit', edit: moved }, denied: false };
  const perhaps = !happened && PERHAPS.test(text);
  return happened || perhaps ? { change: { kind: 'complete' }, denied: false, perhaps } : { denied: false };
}

/** "the tap got fixed", but not "the bank called me". */
function deedTold(text: string, mentionedWords: ReadonlySet<string>): boolean {
  if (isByOthers(text)) return false;
  return [...text.matchAll(/\b([a-z]+)\b(?! (?:me|us|you)\b)/gi)].some(
    ([, word = '']) => isDeed(word) || (isPastForm(word) && mentionedWords.has(stem(word))),
  );
}

interface Mention {
  words: Set<string>;
  /** Words that distinguish this todo from others. */
  telling: number;
  score: number;
  /** How much of its title was mentioned. */
  share: number;
}

/** With less of the title, something else may be meant. */
const LEAST_SHARE = 0.5;

const VERB_SHARE = 0.4;

/** Which words of a todo were mentioned. */
function mentioned(todo: Todo, spoken: readonly string[]): Mention {
  const own = [
    ...new Set(
      wordsOf(`${todo.title} ${(todo.tags ?? []).join(' ')}`)
        .filter((word) => !EMPTY_WORDS.has(word))
        .map(stem),
    ),
  ];
  const words = new Set<string>();
  let telling = 0;
  let score = 0;
  for (const word of own) {
    const heard = spoken.find((other) => other === word || isSlip(other, word));
    if (heard === undefined) continue;
    words.add(heard);
    const isVerb = COMMON_STEMS.has(word);
    if (!isVerb) telling += 1;
    score += isVerb ? VERB_SHARE : 1;
  }
  const titled = own.filter((word) => !COMMON_STEMS.has(word)).length;
  return { words, telling, score, share: titled === 0 ? 0 : telling / titled };
}

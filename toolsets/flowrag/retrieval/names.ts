import type { NameRole } from '../ports.ts';
import { STOP_WORDS } from './stop-words.ts';


export interface FoundName {
  name: string;
  role: NameRole;
}

const LONGEST_RUN = 8;
const MOST_NAMES = 120;
/** How many chunks at the beginning of a document stand for it when its title is mentioned. */
const TITLED_CHUNKS = 2;

/** Small words that may stand inside a name: "Duke of York", "Ludwig van Beethoven". */
const INNER = new Set('of the de la le los las del della di da do dos das du des von van der den zu af av al el bin ibn y e a à'.split(' '));
/** Words and signs that may join two names to one title: "Romeo and Juliet", "Snow in Summer", "Austin, Texas". */
const JOINTS = new Set('and & in on for to at with from by or vs meets'.split(' '));
const DATES = new Set(
  'january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday'.split(' '),
);
const ABBREVIATIONS = new Set('mr mrs ms dr st sir prof jr sr vs no vol op mt ft gen col lt capt rev hon inc ltd co corp'.split(' '));

/** The form in which names are compared: case, accents, punctuation, possessive and a leading article do not count. */
export function plainName(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[’']s(?![\p{L}\p{N}])/gu, '')
    .replace(/[’'.]/g, '')
    .match(/[\p{L}\p{N}&]+/gu);
  if (!words) return '';
  while (words.length > 1 && /^(?:the|a|an)$/.test(words[0] as string)) words.shift();
  return words.join(' ');
}

/** The names that a chunk carries: those in its text, and on a document's first chunks those of its title. */
export function chunkNames(document: { title: string }, chunk: { ordinal: number; text: string; headings: readonly string[] }): FoundName[] {
  const found = new Map<string, NameRole>();
  if (chunk.ordinal < TITLED_CHUNKS) for (const { name, role } of titleNames(document.title)) found.set(name, role);
  for (const { name, role } of mentionedNames(chunk.text)) if (!found.has(name)) found.set(name, role);
  return [...found].map(([name, role]) => ({ name, role }));
}

/** What a document may be called by others: its title, the title without brackets or subtitle, a person without middle names. */
export function titleNames(title: string): FoundName[] {
  const found = new Map<string, NameRole>();
  const add = (text: string, role: NameRole) => {
    const name = plainName(text);
    if (name && !found.has(name) && !STOP_WORDS.has(name)) found.set(name, role);
  };
  add(title, 'title');
  const bare = title.replace(/\s*[([][^)\]]*[)\]]\s*/g, ' ').trim();
  add(bare, 'title');
  const head = bare.split(/\s*(?:,|:|\s[–—-]\s)\s*/)[0] ?? '';
  if (head !== bare) add(head, 'alias');
  const words = head.split(/\s+/);
  if (words.length > 1 && words.every((word) => /^\p{Lu}/u.test(word) && !STOP_WORDS.has(word.toLowerCase()))) {
    const last = words.at(-1) as string;
    if (words.length > 2) add(`${words[0]} ${last}`, 'alias');
    if (words.length < 4) add(`${[...(words[0] as string)][0]} ${last}`, 'alias');
  }
  return [...found].map(([name, role]) => ({ name, role }));
}

interface Word {
  text: string;
  plain: string;
  /** What stands between it and the next word. */
  gap: string;
  opensSentence: boolean;
}

/** The names that running text mentions, found by their capital letters alone: cheap, and the same for every kind of prose. */
export function mentionedNames(text: string): FoundName[] {
  const found = new Map<string, NameRole>();
  const add = (words: readonly Word[], role: NameRole) => {
    const name = plainName(words.map((word) => word.text).join(' '));
    if (!name || found.size >= MOST_NAMES) return;
    if (role === 'mention' || !found.has(name)) found.set(name, role);
  };
  const runs = nameRuns(wordsOf(text));
  for (const [index, run] of runs.entries()) {
    addRun(run.words, add);
    const next = runs[index + 1];
    if (next && run.joint && run.words.length + next.words.length < LONGEST_RUN) add([...run.words, ...run.joint, ...next.words], 'part');
  }
  return [...found].map(([name, role]) => ({ name, role }));
}

function addRun(words: readonly Word[], add: (words: readonly Word[], role: NameRole) => void): void {
  const [first] = words;
  if (!first) return;
  if (words.length === 1) {
    if (!first.opensSentence && !STOP_WORDS.has(first.plain) && first.plain.length > 1 && /\p{L}/u.test(first.plain)) add(words, 'mention');
    return;
  }
  add(words, 'mention');
  for (let start = 0; start < words.length - 1; start++) {
    if (!opens(words[start] as Word)) continue;
    for (let end = start + 2; end <= words.length; end++) {
      if (end - start < words.length && opens(words[end - 1] as Word)) add(words.slice(start, end), 'part');
    }
  }
}

/** Whether a stretch of a name may begin or end with this word. */
function opens(word: Word): boolean {
  return /^\p{Lu}/u.test(word.text) && !STOP_WORDS.has(word.plain);
}

interface Run {
  words: Word[];
  /** The words between this run and the next, where the two may be one title. */
  joint: Word[] | null;
}

function nameRuns(words: readonly Word[]): Run[] {
  const runs: Run[] = [];
  for (let index = 0; index < words.length; ) {
    if (!capital(words[index] as Word)) {
      index++;
      continue;
    }
    const run = [words[index++] as Word];
    for (;;) {
      const step = stepInside(words, index, run.at(-1) as Word);
      if (step === 0 || run.length + step > LONGEST_RUN) break;
      run.push(...words.slice(index, index + step));
      index += step;
    }
    const last = run.at(-1) as Word;
    runs.push({ words: run, joint: jointAfter(words, index, last) });
  }
  return runs;
}

/** How many words the name goes on by: 1 for a further capital or number, 2 and 3 over small words, 0 when it ends. */
function stepInside(words: readonly Word[], index: number, last: Word): number {
  if (!/^[-–'’ .]*$/.test(last.gap) || (last.gap.includes('.') && !abbreviates(last))) return 0;
  const [first, second, third] = [words[index], words[index + 1], words[index + 2]];
  if (!first) return 0;
  if (capital(first) || /^\d{1,4}(?:st|nd|rd|th)?$/.test(first.text)) return 1;
  if (!INNER.has(first.plain) || !second || first.gap.trim()) return 0;
  if (capital(second)) return 2;
  return INNER.has(second.plain) && third && capital(third) && !second.gap.trim() ? 3 : 0;
}

function jointAfter(words: readonly Word[], index: number, last: Word): Word[] | null {
  const [first, second] = [words[index], words[index + 1]];
  if (!first) return null;
  if (/^[,:] *$/.test(last.gap) && capital(first)) return [];
  if (/^ ?& ?$/.test(last.gap) && capital(first)) return [{ text: '&', plain: '&', gap: ' ', opensSentence: false }];
  if (/^ *$/.test(last.gap) && JOINTS.has(first.plain) && second && /^ *$/.test(first.gap) && capital(second)) return [first];
  return null;
}

function capital(word: Word): boolean {
  return /^\p{Lu}/u.test(word.text) && !DATES.has(word.plain);
}

function abbreviates(word: Word): boolean {
  return word.text.length === 1 || ABBREVIATIONS.has(word.plain);
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let opensSentence = true;
  for (const match of text.matchAll(/([\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}]+)*)([^\p{L}\p{N}]*(?:['’]s(?![\p{L}\p{N}])[^\p{L}\p{N}]*)?)/gu)) {
    const [, word = '', gap = ''] = match;
    const made = { text: word, plain: word.toLowerCase(), gap: gap.replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' ')), opensSentence };
    words.push(made);
    opensSentence = /[!?:\n•|]/.test(made.gap) || (made.gap.includes('.') && !abbreviates(made));
  }
  return words;
}

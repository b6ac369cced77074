import { type FoundName, fileNames, linkedFiles, type NameRole, plainName, STOP_WORDS, titleNames } from './titles.ts';

export interface NamedDocument {
  title: string;
  path?: string;
}

const LONGEST_RUN = 8;
const MOST_NAMES = 120;
/** How many chunks at the beginning of a document carry its title. */
const TITLED_CHUNKS = 2;
const LONGEST_TITLE_LINE = 100;

/** Small words that may stand inside a name: "Duke of York", "Ludwig van Beethoven". */
const INNER = new Set(
  'of the de la le los las del della di da do dos das du des von van der den zu af av al el bin ibn y e a à'.split(' '),
);
/** Words that may join two names to one title: "Romeo and Juliet", "Snow in Summer". */
const JOINTS = new Set('and in on for to at with from by or vs meets'.split(' '));
const DATES = new Set(
  'january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday'.split(
    ' ',
  ),
);
const ABBREVIATIONS = new Set('mr mrs ms dr st sir prof jr sr vs no vol op mt ft gen col lt capt rev hon inc ltd co corp'.split(' '));

/**
 * The names that a chunk carries: those in its text, the files that it links to, and on a document's first chunks those
 * of its title. Only the document itself is looked at, so that each can be indexed and taken back alone.
 */
export function chunkNames(document: NamedDocument, chunk: { ordinal: number; text: string; headings: readonly string[] }): FoundName[] {
  const found = new Map<string, NameRole>();
  const add = ({ name, role }: FoundName) => {
    if (!found.has(name)) found.set(name, role);
  };
  if (chunk.ordinal < TITLED_CHUNKS) {
    titleNames(document.title, chunk.text).forEach(add);
    if (document.path !== undefined) fileNames(document.path).forEach(add);
  }
  if (chunk.ordinal === 0) {
    titleNames(titleLine(chunk.text), chunk.text).forEach(add);
    const role = isNumber(document.title) ? 'title' : 'alias';
    for (const subject of titleNames(subjectOf(chunk.text), '')) add(subject.role === 'title' ? { ...subject, role } : subject);
  }
  linkedFiles(chunk.text).forEach(add);
  mentionedNames(chunk.text).forEach(add);
  return [...found].map(([name, role]) => ({ name, role }));
}

/** A short first line without a full stop, above more text, is a title whatever the file is called. */
function titleLine(text: string): string {
  const [line = '', rest = ''] = text.trimStart().split(/\n([\s\S]*)/);
  const bare = line.replace(/^#+\s*/, '').trim();
  return rest.trim() && bare.length <= LONGEST_TITLE_LINE && !/[.!?:;,]$/.test(bare) ? bare : '';
}

/** What an encyclopaedia's first sentence is about: "Sir Carol Reed (1906 – 1976) was an English director". */
function subjectOf(text: string): string {
  const [, subject = ''] =
    /^["“'#\s]*((?:[\p{Lu}\p{N}][^\s,;:.()]*|[\p{Lu}]\.|[a-z]{1,3})(?:\s+(?:[\p{Lu}\p{N}][^\s,;:()]*|of|the|and|de|la|von|van|der|in|on|for|&)){0,7})["”']?(?:\s*\([^)]*\))?(?:,[^,.]{1,60},)?(?:\s+(?:is|was|are|were)\s|:\s)/u.exec(
      text.trimStart(),
    ) ?? [];
  return /\p{Lu}/u.test(subject) ? subject : '';
}

/** A file called "12" or "doc-12" says nothing about its text. */
function isNumber(title: string): boolean {
  return /^\p{L}{0,12}[\s_-]*[\p{N}a-f-]*\p{N}[\p{N}a-f-]*$/u.test(title);
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
    if (run.before) add([run.before, ...run.words], 'part');
    const next = runs[index + 1];
    if (next && run.joint && run.words.length + next.words.length < LONGEST_RUN) add([...run.words, ...run.joint, ...next.words], 'part');
  }
  return [...found].map(([name, role]) => ({ name, role }));
}

function addRun(words: readonly Word[], add: (words: readonly Word[], role: NameRole) => void): void {
  const [first, second] = words;
  if (first && !second) {
    if (!first.opensSentence && !STOP_WORDS.has(first.plain) && first.plain.length > 1) add(words, 'mention');
    return;
  }
  add(words, 'mention');
  const ends = words.map(opens);
  for (let start = 0; start < words.length - 1; start++) {
    if (!ends[start]) continue;
    for (let end = start + 2; end <= words.length; end++) {
      if (end - start < words.length && ends[end - 1]) add(words.slice(start, end), 'part');
    }
  }
}

/** Whether a stretch of a name may begin or end with this word. */
function opens(word: Word): boolean {
  return /^\p{Lu}/u.test(word.text) && !STOP_WORDS.has(word.plain);
}

interface Run {
  words: Word[];
  /** A word before the name that may belong to it: the year of "1998 World Cup", the first word of "When Harry Met Sally". */
  before: Word | undefined;
  /** The words between this run and the next, where the two may be one title. */
  joint: Word[] | null;
  /** The index of the first word after it. */
  end: number;
}

function nameRuns(words: readonly Word[]): Run[] {
  const runs: Run[] = [];
  let end = 0;
  for (const [start, word] of words.entries()) {
    if (start < end || !capital(word)) continue;
    const run = runAt(words, start, word);
    runs.push(run);
    end = run.end;
  }
  return runs;
}

function runAt(words: readonly Word[], start: number, word: Word): Run {
  const [previous, next] = [words[start - 1], words[start + 1]];
  const first = word.opensSentence && STOP_WORDS.has(word.plain) && word.gap === ' ' && next && capital(next) ? next : word;
  const year = previous && /^\d{1,4}$/.test(previous.text) && previous.gap === ' ' ? previous : undefined;
  const run = [first];
  let last = first;
  let end = start + (first === word ? 1 : 2);
  for (let step = stepInside(words, end, last); step > 0 && run.length + step <= LONGEST_RUN; step = stepInside(words, end, last)) {
    run.push(...words.slice(end, end + step));
    end += step;
    last = run.at(-1) ?? last;
  }
  return { words: run, before: first === word ? year : word, joint: jointAfter(words, end, last), end };
}

/** How many more words belong to the name: 1 for a further capital or number, 2 and 3 over small words, 0 when it ends. */
function stepInside(words: readonly Word[], index: number, last: Word): number {
  if (!/^[-–'’ .]*$/.test(last.gap) || (last.gap.includes('.') && !abbreviates(last))) return 0;
  const [first, second, third] = words.slice(index, index + 3);
  if (!first) return 0;
  if (capital(first) || /^\d{1,4}(?:st|nd|rd|th)?$/.test(first.text)) return 1;
  if (!INNER.has(first.plain) || !second || first.gap.trim()) return 0;
  if (capital(second)) return 2;
  return INNER.has(second.plain) && third && capital(third) && !second.gap.trim() ? 3 : 0;
}

function jointAfter(words: readonly Word[], index: number, last: Word): Word[] | null {
  const [first, second] = words.slice(index, index + 2);
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

const WORD =
  /([\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:['’](?!s(?![\p{L}\p{N}]))[\p{L}\p{N}]+)*)([^\p{L}\p{N}]*(?:['’]s(?![\p{L}\p{N}])[^\p{L}\p{N}]*)?)/gu;

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let opensSentence = true;
  for (const [, word = '', between = ''] of text.matchAll(WORD)) {
    const gap = between.replace(/^['’]s/, '').replace(/\s+/g, (space) => (space.includes('\n') ? '\n' : ' '));
    const made: Word = { text: word, plain: word.toLowerCase(), gap, opensSentence };
    words.push(made);
    opensSentence = /[!?:\n•|]/.test(gap) || (gap.includes('.') && !abbreviates(made));
  }
  return words;
}

/**
 * How a chunk carries a name. `title`: its document has that title. `alias`: a shorter or looser form of that title.
 * `mention`: a whole name in its text. `part`: a stretch of a longer name there, which counts only where it is somebody's title.
 */
export type NameRole = 'title' | 'alias' | 'mention' | 'part';

export interface FoundName {
  name: string;
  role: NameRole;
}

/** The form in which names are compared: case, accents, punctuation, possessive and a leading article do not count. */
export function plainName(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[’']s(?![\p{L}\p{N}])/gu, '')
    .replace(/[’'.]/g, '')
    .replace(/&/g, ' and ')
    .match(/[\p{L}\p{N}]+/gu);
  if (!words) return '';
  while (words.length > 1 && /^(?:the|a|an)$/.test(words[0] ?? '')) words.shift();
  return words.join(' ');
}

/** English words that say nothing about what a text or a question is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both but by can could did do does doing done down during each ' +
    'either else ever every few for from further had has have having he her here hers herself him himself his how however i if in into is it its itself just let may me might more most ' +
    'much must my myself neither no nor not now of off on once one only onto or other our ours out over own per same shall she should since so some such than that the their theirs them ' +
    'themselves then there these they this those though through thus to too under until up upon us very was we were what when where whether which while who whom whose why will with within without ' +
    'would yet you your yours'
  ).split(' '),
);

/** Before the names of terms: titles that running text writes in lower case, such as "polymerase chain reaction". */
const TERM = '~';
/** Before the names of files that others link to. */
export const FILE = 'file:';
const LONGEST_TERM = 4;
const SHORTEST_TERM_WORD = 4;
/** File names that every folder may have: the folder distinguishes them. */
const GENERIC_FILES = new Set(['readme', 'index', 'main', 'overview', 'default']);

/** What others may call a document: its title, the title without brackets or subtitle, a person without middle names, a term in lower case. */
export function titleNames(title: string, text: string): FoundName[] {
  const found = new Map<string, FoundName['role']>();
  const add = (candidate: string, role: FoundName['role']) => {
    const name = plainName(candidate);
    if (name && !found.has(name) && !STOP_WORDS.has(name)) found.set(name, role);
  };
  add(title, 'title');
  const bare = title.replace(/\s*[([][^)\]]*[)\]]\s*/g, ' ').trim();
  add(bare, 'title');
  const head = bare.split(/\s*(?:,|:|\s[–—-]\s)\s*/)[0] ?? '';
  if (head !== bare) add(head, 'alias');
  for (const shorter of personNames(head)) add(shorter, 'alias');
  const names: FoundName[] = [...found].map(([name, role]) => ({ name, role }));
  if (isTerm(bare, text)) names.push({ name: termName(plainName(bare)), role: 'title' });
  return names;
}

/** "Jean Aldo Galloway" may be called Jean Galloway, Aldo Galloway or J. Galloway. */
function personNames(name: string): string[] {
  const words = name.split(/\s+/);
  const [first = ''] = words;
  const last = words.at(-1) ?? '';
  if (words.length < 2 || words.length > 4 || !words.every((word) => /^\p{Lu}/u.test(word) && !STOP_WORDS.has(word.toLowerCase())))
    return [];
  return [...(words.length > 2 ? [`${first} ${last}`, words.slice(1).join(' ')] : []), `${[...first][0]} ${last}`];
}

/** A title is a term where it is written in lower case itself, or where its own text writes it so. */
function isTerm(title: string, text: string): boolean {
  const lower = title.toLowerCase();
  const words = plainName(title).split(' ');
  if (words.length > LONGEST_TERM || !/\p{Ll}/u.test(lower)) return false;
  if (words.length === 1 && (lower.length < SHORTEST_TERM_WORD || STOP_WORDS.has(lower))) return false;
  if (lower === title) return true;
  return text.split(lower).length > (words.length === 1 ? 2 : 1);
}

/** Terms are compared in the singular. */
function termName(plain: string): string {
  return `${TERM}${plain.length > SHORTEST_TERM_WORD ? plain.replace(/(?<=[^siu])s$/, '') : plain}`;
}

/** The names under which terms in this text would be found, were they titles. */
export function termsIn(text: string): string[] {
  const terms = new Set<string>();
  for (const clause of text.split(/[.,;:!?()[\]{}"“”|\n]+/)) {
    const words = plainName(clause).split(' ');
    for (let start = 0; start < words.length; start++) {
      if (!carries(words[start])) continue;
      for (let end = start + 1; end <= Math.min(words.length, start + LONGEST_TERM); end++) {
        if (!carries(words[end - 1])) continue;
        const term = words.slice(start, end).join(' ');
        if (end - start > 1 || term.length >= SHORTEST_TERM_WORD) terms.add(termName(term));
      }
    }
  }
  return [...terms];
}

function carries(word: string | undefined): boolean {
  return word !== undefined && word !== '' && !STOP_WORDS.has(word);
}

/** What links call this file. */
export function fileNames(path: string): FoundName[] {
  const name = fileName(path);
  return name ? [{ name, role: 'title' }] : [];
}

/** The files and pages that Markdown links and [[wiki links]] in this text lead to. */
export function linkedFiles(text: string): FoundName[] {
  const names: string[] = [];
  for (const [, target = ''] of text.matchAll(/\]\(\s*<?([^)\s>]+)/g)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('#')) continue;
    names.push(fileName(target.replace(/[?#].*$/, '')));
  }
  for (const [, target = ''] of text.matchAll(/\[\[([^\]|#\n]+)/g)) names.push(plainName(target));
  return names.filter(Boolean).map((name) => ({ name, role: 'mention' }));
}

function fileName(path: string): string {
  const parts = path.split('/').filter((part) => part && part !== '.' && part !== '..');
  const base = (parts.at(-1) ?? '').replace(/\.[^.]*$/, '').toLowerCase();
  if (!base) return '';
  if (!GENERIC_FILES.has(base)) return `${FILE}${base}`;
  const folder = parts.at(-2)?.toLowerCase();
  return folder ? `${FILE}${folder}/${base}` : '';
}

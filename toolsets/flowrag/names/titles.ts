import { type FoundName, plainName, STOP_WORDS } from './name.ts';

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

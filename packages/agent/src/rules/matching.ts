import { COMMON_STEMS, EMPTY_WORDS, stem, wordsOf } from './language/text.ts';
import type { Todo } from './memory.ts';

/** How well a name fits: word for word, all its words, all of them except for typos, or some of them. */
export type Fit = 'exact' | 'all' | 'nearly' | 'part';
const FITS: readonly Fit[] = ['exact', 'all', 'nearly', 'part'];

export interface Match {
  fit: Fit;
  todos: Todo[];
}

const HALF = 0.5;

/** The todos that a name fits best. */
export function bestMatch(name: string, todos: readonly Todo[]): Match | undefined {
  const wanted = contentStems(name);
  const fits = todos.map((todo) => ({ todo, fit: fitOf(name, wanted, todo) }));
  for (const fit of FITS) {
    const found = fits.filter((candidate) => candidate.fit === fit).map(({ todo }) => todo);
    if (found.length > 0) return { fit, todos: found };
  }
  return undefined;
}

/** Todos about a topic: by tag, title or description. */
export function aboutTopic(topic: string, todos: readonly Todo[]): Todo[] {
  const wanted = contentStems(topic);
  if (wanted.length === 0) return [];
  return todos.filter((todo) => {
    const known = new Set([...stemsOf(todo.title), ...stemsOf(todo.description ?? ''), ...(todo.tags ?? []).flatMap(stemsOf)]);
    return wanted.every((word) => known.has(word) || [...known].some((other) => isSlip(word, other)));
  });
}

function fitOf(name: string, wanted: readonly string[], todo: Todo): Fit | undefined {
  if (isTitled(todo, name) || withoutArticles(name) === withoutArticles(todo.title)) return 'exact';
  const title = stemsOf(todo.title);
  if (wanted.length === 0) return undefined;
  const tags = (todo.tags ?? []).flatMap(stemsOf);
  const known = stemsOf((todo.description ?? '').slice(0, 500));
  const quality = wanted.map((word) =>
    title.includes(word)
      ? 1
      : tags.includes(word)
        ? 0.95
        : title.some((other) => isSlip(word, other))
          ? 0.9
          : known.includes(word)
            ? 0.6
            : 0,
  );
  const missing = wanted.filter((_, index) => quality[index] === 0);
  const telling = wanted.filter((word, index) => (quality[index] ?? 0) > 0 && !COMMON_STEMS.has(word));
  if (missing.length === 0) {
    const own = contentStems(todo.title);
    if (quality.every((value) => value === 1) && own.every((word) => wanted.includes(word)) && telling.length > 0) return 'exact';
    if (quality.every((value) => value >= 0.95)) return 'all';
    return quality.every((value) => value >= 0.9) ? 'nearly' : 'part';
  }
  if (telling.length === 0) return undefined;
  // "got the milk" is about "Buy milk": a common verb hardly counts.
  if (missing.every((word) => COMMON_STEMS.has(word))) return quality.every((value) => value === 1 || value === 0) ? 'all' : 'nearly';
  return telling.length / wanted.length >= HALF ? 'part' : undefined;
}

/** Word for word. */
export function isTitled({ title }: Todo, name: string): boolean {
  return plain(name) === plain(title);
}

function plain(text: string): string {
  return wordsOf(text).join(' ');
}

function withoutArticles(text: string): string {
  return wordsOf(text)
    .filter((word) => !/^(?:the|a|an|my|our|some)$/.test(word))
    .join(' ');
}

export function stemsOf(text: string): string[] {
  return wordsOf(text).map(stem);
}

/** The distinctive words of a name; a name of only small words keeps them. */
export function contentStems(text: string): string[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !EMPTY_WORDS.has(word));
  return [...new Set((telling.length > 0 ? telling : words).map(stem))];
}

const SHORTEST_WITH_SLIP = 4;
const LONG = 8;

/** Whether two words differ by a typo: one letter, or two in a long word. */
export function isSlip(a: string, b: string): boolean {
  if (a === b) return true;
  const shorter = Math.min(a.length, b.length);
  if (shorter < SHORTEST_WITH_SLIP || /\d/.test(a + b)) return false;
  // Typos hardly ever hit the first letter, but may swap it with the second.
  if (a[0] !== b[0] && !(a[0] === b[1] && a[1] === b[0])) return false;
  return distance(a, b) <= (shorter >= LONG ? 2 : 1);
}

/** Letters added, left out, replaced or swapped with their neighbour. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const above = rows[row - 1] as number[];
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, ((rows[row - 2] as number[])[column - 2] as number) + 1);
      }
      current.push(best);
    }
    rows.push(current);
  }
  return (rows[a.length] as number[])[b.length] as number;
}

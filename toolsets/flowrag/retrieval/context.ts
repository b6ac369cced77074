import { stemOf } from './question.ts';

const WORDS_AROUND = 9;
const CLOSE = 4;
const FURTHER = 0.5;
const AFTER = 0.6;

/** A text in the form in which names are compared, with sentences apart, so that a name can be looked for. */
export function plainText(text: string): string {
  const folded = /^[ -~\s]*$/.test(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = folded
    .toLowerCase()
    .replace(/[.;!?]\s+|\n+/g, ' | ')
    .replace(/['’]s(?![\p{L}\p{N}])|['’.]/gu, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}|]+/gu, ' ');
  return ` ${words} `;
}

/**
 * How much of the question stands near the name in this text (made by plainText), within its sentence: each stem counts
 * once, most right before the name ("directed by …"), less after it or further away.
 */
export function contextOf(text: string, name: string, stems: ReadonlySet<string>): number {
  let said = false;
  for (const stem of stems) said ||= text.includes(stem);
  if (!said) return 0;
  const near = new Map<string, number>();
  const weigh = (word: string, distance: number, side: number) => {
    const stem = stemOf(word);
    if (!stems.has(stem) || name.includes(word)) return;
    near.set(stem, Math.max(near.get(stem) ?? 0, distance < CLOSE ? side : side * FURTHER));
  };
  const wanted = ` ${name} `;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = (
      text
        .slice(Math.max(0, at - 200), at)
        .split('|')
        .at(-1) as string
    )
      .split(' ')
      .slice(-WORDS_AROUND);
    const after = (text.slice(at + wanted.length, at + wanted.length + 200).split('|')[0] as string).split(' ').slice(0, WORDS_AROUND);
    before.reverse().forEach((word, distance) => {
      weigh(word, distance, 1);
    });
    after.forEach((word, distance) => {
      weigh(word, distance, AFTER);
    });
  }
  return [...near.values()].reduce((sum, value) => sum + value, 0);
}

import { stemOf } from './question.ts';

const WORDS_AROUND = 9;

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

/** How many of the question's stems stand near the name in this text (made by plainText), within its sentence. */
export function contextOf(text: string, name: string, stems: ReadonlySet<string>): number {
  let said = false;
  for (const stem of stems) said ||= text.includes(stem);
  const near = new Set<string>();
  if (!said) return 0;
  const wanted = ` ${name} `;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text
      .slice(Math.max(0, at - 200), at)
      .split('|')
      .at(-1) as string;
    const after = text.slice(at + wanted.length, at + wanted.length + 200).split('|')[0] as string;
    for (const word of [...before.split(' ').slice(-WORDS_AROUND), ...after.split(' ').slice(0, WORDS_AROUND)]) {
      const stem = stemOf(word);
      if (stems.has(stem) && !name.includes(word)) near.add(stem);
    }
  }
  return near.size;
}

import type { NameRole } from '../ports.ts';

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
  while (words.length > 1 && /^(?:the|a|an)$/.test(words[0] as string)) words.shift();
  return words.join(' ');
}

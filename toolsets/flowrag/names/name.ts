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

const WORD = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}]+/gu;

/** The words of a text, lower case, without the commonest English endings, so that "meetings" finds "meeting". */
export function wordsOf(text: string): string[] {
  return (spaced(text).toLowerCase().match(WORD) ?? []).map(stem);
}

/** `create_todo` and `createTodo` are two words each. */
function spaced(text: string): string {
  return text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
}

function stem(word: string): string {
  if (word.length < 4) return word;
  const single = word.length > 4 ? word.replace(/ies$/, 'y').replace(/(?:es|s)$/, '') : word.replace(/s$/, '');
  return single.length > 4 ? single.replace(/(?:ing|ed)$/, '') : single;
}

/** Words and pairs of neighbours, each as a number. */
export function gramsOf(text: string): number[] {
  const words = wordsOf(text);
  const grams = words.map(hash);
  for (let index = 0; index + 1 < words.length; index++) grams.push(hash(`${words[index]} ${words[index + 1]}`));
  return grams;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

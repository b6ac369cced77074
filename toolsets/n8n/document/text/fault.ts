/** Where and why a text is not JSON: the first fault, for people. */
export interface Fault {
  line: number;
  column: number;
  problem: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

type Expecting = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end';

/** Walks the text without recursion, so that a deeply nested one is no danger. */
export function findFault(text: string): Fault | undefined {
  const open: ('{' | '[')[] = [];
  let expecting: Expecting = 'value';
  let at = 0;
  const fault = (problem: string): Fault => ({ ...place(text, at), problem });
  const afterValue = (): Expecting => (open.length === 0 ? 'end' : 'comma');
  for (;;) {
    while (at < text.length && ' \n\r\t'.includes(text[at] as string)) at++;
    const character = text[at];
    if (character === undefined)
      return expecting === 'end' ? undefined : fault(`the text ends where ${words(expecting, open)} should stand`);
    const isClose = (character === '}' && open.at(-1) === '{') || (character === ']' && open.at(-1) === '[');
    if (isClose && (expecting === 'comma' || expecting === 'value or ]' || expecting === 'key or }')) {
      open.pop();
      at++;
      expecting = afterValue();
    } else if (expecting === 'comma' && character === ',') {
      at++;
      expecting = open.at(-1) === '{' ? 'key' : 'value';
    } else if (expecting === 'colon' && character === ':') {
      at++;
      expecting = 'value';
    } else if (expecting.startsWith('key') || expecting.startsWith('value')) {
      if (expecting.startsWith('value') && (character === '{' || character === '[')) {
        open.push(character);
        at++;
        expecting = character === '{' ? 'key or }' : 'value or ]';
        continue;
      }
      const end = expecting.startsWith('key') ? stringEnd(text, at) : scalarEnd(text, at);
      if (end === undefined)
        return fault(character === '"' ? 'this string is not closed or has a bad escape' : `expected ${words(expecting, open)}`);
      at = end;
      expecting = expecting.startsWith('key') ? 'colon' : afterValue();
    } else return fault(`expected ${words(expecting, open)}`);
  }
}

function words(expecting: Expecting, open: readonly string[]): string {
  switch (expecting) {
    case 'colon':
      return 'a colon';
    case 'comma':
      return `a comma or ${open.at(-1) === '{' ? '}' : ']'}`;
    case 'end':
      return 'the end of the file';
    case 'key':
      return 'a key in double quotes';
    case 'key or }':
      return 'a key in double quotes or }';
    default:
      return expecting === 'value' ? 'a value' : 'a value or ]';
  }
}

function scalarEnd(text: string, at: number): number | undefined {
  return stringEnd(text, at) ?? match(NUMBER, text, at) ?? match(WORD, text, at);
}

function stringEnd(text: string, start: number): number | undefined {
  if (text[start] !== '"') return undefined;
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    if (text.charCodeAt(at) < 0x20) return undefined;
    const end = text[at] === '\\' ? match(ESCAPE, text, at) : at + 1;
    if (end === undefined) return undefined;
    at = end;
  }
  return at < text.length ? at + 1 : undefined;
}

function match(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function place(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - (before.lastIndexOf('\n') + 1) + 1 };
}

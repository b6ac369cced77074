import { isRecord } from '@millrace/kernel';

/** Whether two JSON values say the same; a member that is undefined is absent, and a number too large for JSON is null. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return normalized(a) === normalized(b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, index) => equal(element, b[index]));
  }
  return isRecord(a) && isRecord(b) && equalMembers(a, b);
}

function equalMembers(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  if (keys.length !== Object.keys(b).filter((key) => b[key] !== undefined).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && b[key] !== undefined && equal(a[key], b[key]));
}

function normalized(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return value === undefined ? null : value;
}

/** Where and why a text is not JSON: the first fault, for people. */
export interface Fault {
  line: number;
  column: number;
  problem: string;
}

const BLANKS = /[ \n\r\t]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** What may come next, in the words of a fault. */
type Expected =
  | 'a value'
  | 'a value or ]'
  | 'a key in double quotes'
  | 'a key in double quotes or }'
  | 'a colon'
  | 'a comma or }'
  | 'a comma or ]'
  | 'the end of the file';

export function findFault(text: string): Fault | undefined {
  return new JsonWalk(text).fault();
}

/** Walks a text without recursion, so that deep nesting cannot overflow the stack. */
class JsonWalk {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #at = 0;
  #expected: Expected = 'a value';

  constructor(text: string) {
    this.#text = text;
  }

  fault(): Fault | undefined {
    for (;;) {
      this.#at = match(BLANKS, this.#text, this.#at) ?? this.#at;
      const character = this.#text[this.#at];
      if (character !== undefined && (this.#passMark(character) || this.#passText())) continue;
      const problem = this.#problem(character);
      return problem === undefined ? undefined : { ...place(this.#text, this.#at), problem };
    }
  }

  #problem(character: string | undefined): string | undefined {
    if (character === '"' && /value|key/.test(this.#expected)) return 'this string is not closed or has a bad escape';
    if (character !== undefined) return `expected ${this.#expected}`;
    return this.#expected === 'the end of the file' ? undefined : `the text ends where ${this.#expected} should stand`;
  }

  #passMark(character: string): boolean {
    if (this.#expected.endsWith(` or ${character}`)) {
      this.#open.pop();
      return this.#goOn(this.#at + 1, this.#afterValue());
    }
    if (character === ',' && this.#expected === 'a comma or }') return this.#goOn(this.#at + 1, 'a key in double quotes');
    if (character === ',' && this.#expected === 'a comma or ]') return this.#goOn(this.#at + 1, 'a value');
    if (character === ':' && this.#expected === 'a colon') return this.#goOn(this.#at + 1, 'a value');
    if (!this.#expected.startsWith('a value') || (character !== '{' && character !== '[')) return false;
    this.#open.push(character);
    return this.#goOn(this.#at + 1, character === '{' ? 'a key in double quotes or }' : 'a value or ]');
  }

  #passText(): boolean {
    const isKey = this.#expected.startsWith('a key');
    if (!isKey && !this.#expected.startsWith('a value')) return false;
    const end = isKey ? stringEnd(this.#text, this.#at) : scalarEnd(this.#text, this.#at);
    return end !== undefined && this.#goOn(end, isKey ? 'a colon' : this.#afterValue());
  }

  #goOn(at: number, expected: Expected): true {
    this.#at = at;
    this.#expected = expected;
    return true;
  }

  #afterValue(): Expected {
    const container = this.#open.at(-1);
    if (container === undefined) return 'the end of the file';
    return container === '{' ? 'a comma or }' : 'a comma or ]';
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

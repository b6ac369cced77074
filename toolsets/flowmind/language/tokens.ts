/** What is wrong with the text of an expression, and at which of its characters. */
export class ExpressionSyntaxError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'ExpressionSyntaxError';
    this.at = at;
  }
}

export interface Token {
  kind: 'number' | 'string' | 'name' | 'symbol' | 'end';
  text: string;
  at: number;
}

const SYMBOLS = [
  '===',
  '!==',
  '||',
  '&&',
  '??',
  '==',
  '!=',
  '<=',
  '>=',
  '<',
  '>',
  '=',
  '!',
  '+',
  '-',
  '*',
  '/',
  '%',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
  '@',
  '${',
  '}',
];

/** The words, numbers, texts and symbols of an expression. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = tokenAt(rest, at);
    found.push(token.token);
    at += token.length;
  }
  found.push({ kind: 'end', text: '', at });
  return found;
}

function tokenAt(rest: string, at: number): { token: Token; length: number } {
  const number = /^\d+(\.\d+)?/.exec(rest);
  if (number) return { token: { kind: 'number', text: number[0], at }, length: number[0].length };
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^'\\]|\\.)*)'/.exec(rest);
  if (quoted) {
    const inner = (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));
    return { token: { kind: 'string', text: inner, at }, length: quoted[0].length };
  }
  const name = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(rest);
  if (name) return { token: { kind: 'name', text: name[0], at }, length: name[0].length };
  const symbol = SYMBOLS.find((candidate) => rest.startsWith(candidate));
  if (symbol) return { token: { kind: 'symbol', text: symbol, at }, length: symbol.length };
  const shown = rest[0] === '"' || rest[0] === "'" ? 'a quote that is not closed' : `"${rest[0]}"`;
  throw new ExpressionSyntaxError(`Unexpected ${shown} at character ${at + 1}`, at);
}

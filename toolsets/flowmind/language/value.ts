import { type Expression, ExpressionSyntaxError, parseExpression } from './expression.ts';
import type { Template, Value } from './flow.ts';

/** Reads a value of a file: texts that begin with `@` are expressions, texts with `${…}` are templates, all else is literal. */
export function parseValue(written: unknown): Value {
  if (typeof written === 'string') return parseText(written);
  if (Array.isArray(written)) {
    const items = written.map(parseValue);
    return items.every(isLiteral) ? { kind: 'literal', value: written } : { kind: 'list', items };
  }
  if (written !== null && typeof written === 'object') {
    const entries = Object.entries(written).map(([key, child]): [string, Value] => [key, parseValue(child)]);
    return entries.every(([, child]) => isLiteral(child)) ? { kind: 'literal', value: written } : { kind: 'object', entries };
  }
  return { kind: 'literal', value: written ?? null };
}

function isLiteral(value: Value): boolean {
  return value.kind === 'literal';
}

function parseText(text: string): Value {
  if (/^@[\p{L}_]/u.test(text)) return { kind: 'expression', expression: parseExpression(text) };
  const parts = parseTemplate(text);
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return { kind: 'expression', expression: only };
  return parts.every((part) => typeof part === 'string') ? { kind: 'literal', value: parts.join('') } : { kind: 'template', parts };
}

const ESCAPES = [
  ['$${{', '{{'],
  ['$${', '${'],
] as const;

/** Splits a text at its `${…}` (and `{{…}}`). `$${` stands for a plain `${`, `$${{` for a plain `{{`. */
export function parseTemplate(text: string): Template {
  const parts: Template = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const known = ESCAPES.find(([written]) => text.startsWith(written, at));
    if (known) {
      const [written, meant] = known;
      plain += meant;
      at += written.length;
      continue;
    }
    const opening = text.startsWith('${', at) ? '${' : text.startsWith('{{', at) ? '{{' : undefined;
    if (!opening) {
      plain += text[at];
      at++;
      continue;
    }
    const closing = opening === '${' ? '}' : '}}';
    const end = closingAt(text, at + 2, closing);
    if (end < 0) throw new ExpressionSyntaxError(`"${opening}" is not closed by "${closing}"`, at);
    if (plain) parts.push(plain);
    plain = '';
    parts.push(within(text, at + 2, end));
    at = end + closing.length;
  }
  if (plain || parts.length === 0) parts.push(plain);
  return parts;
}

/** A text as it is: nothing in it is read as a template. */
export function escaped(text: string): string {
  return text.replaceAll(/\{\{|\$\{(?!\{)/g, (opening) => (opening === '{{' ? '$${{' : '$${'));
}

function within(text: string, from: number, to: number): Expression {
  try {
    return parseExpression(text.slice(from, to));
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) throw new ExpressionSyntaxError(error.message, from + error.at);
    throw error;
  }
}

/** Where the closing brace is, quotes skipped. */
function closingAt(text: string, from: number, closing: string): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (quote) {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (text.startsWith(closing, at)) return at;
  }
  return -1;
}

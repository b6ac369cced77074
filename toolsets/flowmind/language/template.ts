import { evaluate, type Variables } from './evaluate.ts';
import { type Expression, ExpressionSyntaxError, parseExpression } from './expression.ts';
import { asText } from './values.ts';

/** A value as it is written in a file: a literal, a text with `${…}` in it, or an expression (`@…`); lists and objects of those. */
export type Value =
  | { kind: 'literal'; value: unknown }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'template'; parts: Template }
  | { kind: 'list'; items: Value[] }
  | { kind: 'object'; entries: [string, Value][] };

/** Text with `${…}` in it. Values are inserted as data: they are never read as a template or an expression again. */
export type Template = (string | Expression)[];

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
    const char = text.charAt(at);
    if (quote) {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (text.startsWith(closing, at)) return at;
  }
  return -1;
}

/** The plain value, with its variables filled in. */
export function filledIn(value: Value, variables: Variables): unknown {
  switch (value.kind) {
    case 'literal':
      return value.value;
    case 'expression':
      return evaluate(value.expression, variables);
    case 'template':
      return plainText(value.parts, variables);
    case 'list':
      return value.items.map((item) => filledIn(item, variables));
    case 'object':
      return filledInEntries(value.entries, variables);
  }
}

export function filledInEntries(entries: readonly [string, Value][], variables: Variables): Record<string, unknown> {
  return Object.fromEntries(entries.map(([key, value]) => [key, filledIn(value, variables)]));
}

/** For parameters of tools: values stand in the text as they are. */
export function plainText(template: Template, variables: Variables): string {
  return rendered(template, variables, asText);
}

/** For instructions to a model: values are quoted, escaped and bounded, so that none can pass for a part of the instruction. */
export function quotedText(template: Template, variables: Variables): string {
  return rendered(template, variables, quoted);
}

const PLAIN_WORDS = /^[\p{L}\p{N}][\p{L}\p{N} .,'@_/-]{0,79}$/u;

/** For questions to people: a few plain words stand as they are, everything else is quoted. */
export function spokenText(template: Template, variables: Variables): string {
  return rendered(template, variables, (value) => (typeof value === 'string' && PLAIN_WORDS.test(value) ? value : quoted(value)));
}

function rendered(template: Template, variables: Variables, show: (value: unknown) => string): string {
  return template.map((part) => (typeof part === 'string' ? part : show(evaluate(part, variables)))).join('');
}

const QUOTED_LENGTH = 400;

export function quoted(value: unknown): string {
  if (value === null || value === undefined) return '(not given)';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = asText(value);
  const safe = JSON.stringify(text.slice(0, QUOTED_LENGTH)).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= QUOTED_LENGTH
    ? safe
    : `${safe} (the first ${QUOTED_LENGTH} of ${text.length} characters; the whole is in variables)`;
}

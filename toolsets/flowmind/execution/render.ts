import { evaluate, type Variables } from '../language/evaluate.ts';
import type { Template, Value } from '../language/flow.ts';
import { asText } from '../language/values.ts';

const QUOTED_LENGTH = 400;

/** The plain value that is written in a file, with its variables filled in. Values are data: nothing in them is evaluated. */
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
      return Object.fromEntries(value.entries.map(([key, child]) => [key, filledIn(child, variables)]));
  }
}

/** For parameters of tools: values stand in the text as they are. */
export function plainText(template: Template, variables: Variables): string {
  return template.map((part) => (typeof part === 'string' ? part : asText(evaluate(part, variables)))).join('');
}

/** For instructions to a model: values are quoted, escaped and bounded, so that none can pass for a part of the instruction. */
export function quotedText(template: Template, variables: Variables): string {
  return template.map((part) => (typeof part === 'string' ? part : quoted(evaluate(part, variables)))).join('');
}

const PLAIN_WORDS = /^[\p{L}\p{N}][\p{L}\p{N} .,'@_/-]{0,79}$/u;

/** For questions to people: a few plain words stand as they are, everything else is quoted. */
export function spokenText(template: Template, variables: Variables): string {
  return template.map((part) => (typeof part === 'string' ? part : spoken(evaluate(part, variables)))).join('');
}

function spoken(value: unknown): string {
  return typeof value === 'string' && PLAIN_WORDS.test(value) ? value : quoted(value);
}

export function quoted(value: unknown): string {
  if (value === null || value === undefined) return '(not given)';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = text.length <= QUOTED_LENGTH ? text : text.slice(0, QUOTED_LENGTH);
  const safe = JSON.stringify(shown).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= QUOTED_LENGTH
    ? safe
    : `${safe} (the first ${QUOTED_LENGTH} of ${text.length} characters; the whole is in variables)`;
}

const SHOWN_BYTES = 4_000;

/** Variables as a reply shows them: whole, unless one is too large to repeat each time. */
export function shownVariables(variables: Variables): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, bounded(value)]));
}

export function bounded(value: unknown, most = SHOWN_BYTES): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= most ? value : { truncated: true, characters: text.length, head: text.slice(0, 500) };
}

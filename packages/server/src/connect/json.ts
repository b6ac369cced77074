import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '@millrace/kernel';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { Client } from './clients.ts';
import { type Entry, type Format, merged, NAME, Unreadable } from './format.ts';

/** JSON as people write it: comments and trailing commas are read and kept. */
export const json: Format = {
  entryIn(text, client) {
    const entry = serversIn(text, client)[NAME];
    return isRecord(entry) ? entry : undefined;
  },

  withEntry(text, client, entry) {
    const value = merged(serversIn(text, client)[NAME], entry);
    const after = edited(text, client, value);
    // Of two sections of one name, parsers read the last and editors the first.
    if (!isDeepStrictEqual(json.entryIn(after, client), value)) throw new Unreadable(`"${client.key}" stands in it twice`);
    return after;
  },

  withoutEntry(text, client) {
    return NAME in serversIn(text, client) ? edited(text, client, undefined) : text;
  },

  snippet(client, entry) {
    return JSON.stringify({ [client.key]: { [NAME]: entry } }, null, 2);
  },
};

const WORDS: Record<string, string> = {
  InvalidSymbol: 'there is a word that JSON does not have',
  InvalidNumberFormat: 'there is a malformed number',
  PropertyNameExpected: 'a property name is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is text after the end',
  InvalidCommentToken: 'there is a malformed comment',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'there is a malformed escape',
  InvalidEscapeCharacter: 'there is a malformed escape',
  InvalidCharacter: 'there is a character that JSON does not allow',
};

function serversIn(text: string, client: Client): Entry {
  const errors: ParseError[] = [];
  const content: unknown = isEmpty(text) ? {} : parse(withoutMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    throw new Unreadable(
      `it is not valid JSON (${WORDS[printParseErrorCode(error.error)] ?? 'there is a mistake'} in line ${lineOf(text, error.offset)})`,
    );
  if (!isRecord(content)) throw new Unreadable('it does not hold an object');
  const servers = content[client.key] ?? {};
  if (!isRecord(servers)) throw new Unreadable(`"${client.key}" in it is not an object`);
  return servers;
}

function edited(text: string, client: Client, value: Entry | undefined): string {
  if (isEmpty(text)) return value ? `${json.snippet(client, value)}\n` : text;
  const mark = text.length - withoutMark(text).length;
  const body = text.slice(mark);
  const formattingOptions = { insertSpaces: !/^\t/m.test(body), tabSize: indentOf(body), eol: body.includes('\r\n') ? '\r\n' : '\n' };
  const isNull = isRecord(value) && parse(body)[client.key] === null;
  const edits = isNull
    ? modify(body, [client.key], { [NAME]: value }, { formattingOptions })
    : modify(body, [client.key, NAME], value, { formattingOptions });
  return text.slice(0, mark) + applyEdits(body, edits);
}

function isEmpty(text: string): boolean {
  return withoutMark(text).trim() === '';
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function indentOf(text: string): number {
  return /^( +)\S/m.exec(text)?.[1]?.length ?? 2;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

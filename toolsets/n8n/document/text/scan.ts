/** Finds values in the bytes of a valid JSON text. Offsets are bytes, so that nothing is re-encoded. */

export interface Span {
  start: number;
  end: number;
}

export interface Member extends Span {
  key: string;
  keyEnd: number;
  value: Span;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function afterWhitespace(bytes: Uint8Array, at: number): number {
  while (isWhitespace(bytes[at])) at++;
  return at;
}

/** The value that begins at or after `at`. */
export function valueSpan(bytes: Uint8Array, at: number): Span {
  const start = afterWhitespace(bytes, at);
  return { start, end: valueEnd(bytes, start) };
}

function valueEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return containerEnd(bytes, start);
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && !endsScalar(byte); byte = bytes[at]) at++;
  return at;
}

function endsScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || isWhitespace(byte);
}

function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function containerEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      continue;
    }
    at++;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
      if (depth === 0) return at;
    }
  }
  return at;
}

/** The members of the object at `start`, in the order of the text; a repeated key stands there repeatedly. */
export function members(bytes: Buffer, start: number): Member[] {
  const found: Member[] = [];
  let at = afterWhitespace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = stringEnd(bytes, at);
    const colon = afterWhitespace(bytes, keyEnd);
    const value = valueSpan(bytes, colon + 1);
    found.push({ start: at, end: value.end, keyEnd, key: JSON.parse(bytes.toString('utf8', at, keyEnd)) as string, value });
    at = afterWhitespace(bytes, value.end);
    if (bytes[at] !== COMMA) break;
    at = afterWhitespace(bytes, at + 1);
  }
  return found;
}

export function elements(bytes: Uint8Array, start: number): Span[] {
  const found: Span[] = [];
  let at = afterWhitespace(bytes, start + 1);
  while (at < bytes.length && bytes[at] !== CLOSE_ARRAY) {
    const element = valueSpan(bytes, at);
    found.push(element);
    at = afterWhitespace(bytes, element.end);
    if (bytes[at] !== COMMA) break;
    at = afterWhitespace(bytes, at + 1);
  }
  return found;
}

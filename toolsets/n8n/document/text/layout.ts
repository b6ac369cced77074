/** How a JSON text is laid out: what is written into it follows suit. */
export interface Layout {
  newline: '\n' | '\r\n';
  /** One level of indentation; empty when the text has no lines. */
  indent: string;
  colon: string;
  /** Between entries that share a line. */
  comma: string;
  /** Lists of numbers, such as positions, stand on one line though objects do not. */
  flatNumbers: boolean;
  /** Nothing but ASCII: other characters are written as escapes. */
  ascii: boolean;
}

/** n8n's own exports look like this. */
export const N8N_LAYOUT: Layout = { newline: '\n', indent: '  ', colon: ': ', comma: ', ', flatNumbers: false, ascii: false };

const SAMPLE = 64 * 1024;

export function layoutOf(bytes: Buffer): Layout {
  const head = bytes.toString('latin1', 0, SAMPLE);
  const lead = /^[^\S\n]*(?:\xef\xbb\xbf)?\s*[{[](\s*)/.exec(head)?.[1] ?? '';
  const multiline = lead.includes('\n');
  const indent = multiline ? lead.slice(lead.lastIndexOf('\n') + 1) : '';
  const colon = /"(\s*):([ \t]*)/.exec(head);
  return {
    newline: /\r?\n/.exec(head)?.[0] === '\r\n' ? '\r\n' : '\n',
    indent,
    colon: colon ? `${colon[1] ?? ''}:${colon[2] ?? ''}` : multiline ? ': ' : ':',
    comma: multiline || /[}\]"\d], /.test(head) ? ', ' : ',',
    flatNumbers: multiline && /\[ ?-?[\d.]+, ?-?[\d.]+ ?\]/.test(head),
    ascii: /\\u(?!00[0-7])[0-9a-fA-F]{4}/.test(head) && isAscii(bytes),
  };
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

/** The text of a value as an entry whose line is indented by `margin`; `lines` is false inside a container that stands on one line. */
export function render(value: unknown, layout: Layout, margin: string, lines: boolean): string {
  if (value === null || typeof value !== 'object') return scalar(value, layout);
  const entries = Array.isArray(value)
    ? value.map((element) => (inner: string, split: boolean) => render(element ?? null, layout, inner, split))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(
          ([key, member]) =>
            (inner: string, split: boolean) =>
              scalar(key, layout) + layout.colon + render(member, layout, inner, split),
        );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return open + close;
  if (!lines || (layout.flatNumbers && isNumbers(value))) {
    return open + entries.map((entry) => entry(margin, false)).join(`,${layout.comma.slice(1)}`) + close;
  }
  const inner = margin + layout.indent;
  const body = entries.map((entry) => layout.newline + inner + entry(inner, true)).join(',');
  return open + body + layout.newline + margin + close;
}

function isNumbers(value: object): boolean {
  return Array.isArray(value) && value.every((element) => typeof element === 'number');
}

function scalar(value: unknown, layout: Layout): string {
  const text = JSON.stringify(value) ?? 'null';
  if (!layout.ascii) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is meant
  return text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

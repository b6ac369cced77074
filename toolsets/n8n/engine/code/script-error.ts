export interface Described {
  message: string;
  description?: string;
  stack?: string;
  lineNumber?: number;
}

/** The name that scripts have in stack traces, and that of the function around them. */
export const SCRIPT_FILE = 'code.js';
export const WRAPPER = 'CodeNode';

/** Something that the script did and we refuse; it is reported with its line. */
export class ScriptFault extends Error {
  readonly description: string;

  constructor(message: string, description: string) {
    super(message);
    this.description = description;
  }
}

/** As n8n words it: what the script threw carries the line where it did. */
export function described(error: unknown): Described {
  const { message, stack, description } = (error ?? {}) as { message?: unknown; stack?: unknown; description?: unknown };
  if (typeof message !== 'string') return { message: JSON.stringify(error) ?? String(error) };
  if (typeof stack !== 'string') return { message };
  const own = { stack: stack.slice(0, 5000), ...(typeof description === 'string' && error instanceof Error && { description }) };
  // An error of this process, not of the script's context: n8n's own words about the workflow's data.
  if (error instanceof Error && !(error instanceof ScriptFault)) return { message, ...own };
  const lineNumber = lineOf(stack);
  const { kind, details } = headerOf(stack);
  const said = details ?? (message || 'Unknown error');
  if (lineNumber === undefined) return { message: said, ...own, ...kind };
  return { message: `${said} [line ${lineNumber}]`, ...own, ...kind, lineNumber };
}

/** The first line of what was thrown, which is all that n8n shows of it, and its kind unless that is plain Error. */
function headerOf(stack: string): { kind: { description?: string }; details: string | undefined } {
  const rows = stack.split(/\r?\n/);
  const frames = rows.findIndex((row) => /^\s+at\s/.test(row));
  const head = frames < 0 ? rows : rows.slice(0, frames);
  const excerptEnd = head.findLastIndex((row) => /^\s*\^+\s*$/.test(row)) + 1;
  const rest = head.slice(excerptEnd).map((row) => /^(\S.*?): (.+)$/.exec(row));
  const [, kind = 'Error', details = ''] = rest.find((found) => found !== null) ?? [];
  const description = kind === 'SyntaxError' ? `SyntaxError${brokenLine(stack)}` : kind;
  return { kind: kind.toLowerCase() === 'error' ? {} : { description }, details: details.trim() || undefined };
}

/** Where a script stops being JavaScript: n8n does not tell, but it helps. */
function brokenLine(stack: string): string {
  const line = /^code\.js:(\d+)/.exec(stack)?.[1];
  return line === undefined ? '' : ` in line ${line}`;
}

/** The innermost function of the script that threw, else the script itself. */
function lineOf(stack: string): number | undefined {
  const rows = stack.split('\n').filter((row) => row.includes(`${SCRIPT_FILE}:`));
  const row =
    rows.find((candidate) => candidate.includes(`(${SCRIPT_FILE}:`) && !candidate.includes(WRAPPER)) ??
    rows.find((candidate) => candidate.includes(WRAPPER));
  const line = Number(row?.slice(row.indexOf(`${SCRIPT_FILE}:`) + SCRIPT_FILE.length + 1).split(':')[0]);
  return Number.isInteger(line) ? line : undefined;
}

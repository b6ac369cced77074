export interface Described {
  message: string;
  description?: string;
  stack?: string;
  lineNumber?: number;
}

/** The name that scripts have in stack traces, and that of the function around them. */
export const SCRIPT_FILE = 'code.js';
export const WRAPPER = 'CodeNode';

/** As n8n words it: what the script threw carries the line where it did. */
export function described(error: unknown): Described {
  const { message, stack, description } = (error ?? {}) as { message?: unknown; stack?: unknown; description?: unknown };
  if (typeof message !== 'string') return { message: JSON.stringify(error) ?? String(error) };
  if (typeof stack !== 'string') return { message };
  // An error of this process, not of the script's context: n8n's own words about the workflow's data.
  if (error instanceof Error) return { message, stack: stack.slice(0, 5000), ...(typeof description === 'string' && { description }) };
  const lineNumber = lineOf(stack);
  const kind = /^(\S.*?): /.exec(stack)?.[1];
  return {
    message: lineNumber === undefined ? message : `${message} [line ${lineNumber}]`,
    stack: stack.slice(0, 5000),
    ...(kind !== undefined && kind !== 'Error' && { description: kind }),
    ...(lineNumber !== undefined && { lineNumber }),
  };
}

/** The innermost function of the script that threw, else the script itself. */
function lineOf(stack: string): number | undefined {
  const rows = stack.split('\n').filter((row) => row.includes(`${SCRIPT_FILE}:`));
  const row =
    rows.find((candidate) => candidate.includes('(') && !candidate.includes(WRAPPER)) ??
    rows.find((candidate) => candidate.includes(WRAPPER)) ??
    rows[0];
  const line = Number(row?.slice(row.indexOf(`${SCRIPT_FILE}:`) + SCRIPT_FILE.length + 1).split(':')[0]);
  return Number.isInteger(line) ? line : undefined;
}

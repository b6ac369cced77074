import { isRecord } from '@millrace/kernel';
import type { Client } from './clients.ts';
import { type Entry, type Format, merged, NAME } from './format.ts';

/** TOML, by sections: ours is replaced, the others stay untouched. */
export const toml: Format = {
  entryIn(text, client) {
    const { ours } = split(text, client);
    return ours.length === 0 ? undefined : entryOf(ours, client);
  },

  withEntry(text, client, entry) {
    const { others, ours } = split(text, client);
    const before = others.join('\n').trimEnd();
    const section = sectionOf(client, merged(ours.length === 0 ? undefined : entryOf(ours, client), entry));
    return `${before === '' ? '' : `${before}\n\n`}${section}\n`;
  },

  withoutEntry(text, client) {
    const { others, ours } = split(text, client);
    return ours.length === 0 ? text : `${others.join('\n').trimEnd()}\n`;
  },

  snippet: sectionOf,
};

function split(text: string, client: Client): { others: string[]; ours: string[] } {
  const section = `${client.key}.${NAME}`;
  const others: string[] = [];
  const ours: string[] = [];
  let inside = false;
  for (const line of text.split('\n')) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1];
    if (header !== undefined) inside = header === section || header.startsWith(`${section}.`);
    (inside ? ours : others).push(line);
  }
  return { others, ours };
}

/** Our own values are JSON on one line; any others are not ours and are skipped. */
function entryOf(lines: string[], client: Client): Entry {
  const entry: Entry = {};
  let target = entry;
  for (const line of lines) {
    const within = new RegExp(`^\\s*\\[${client.key}\\.${NAME}(?:\\.([^\\]]+))?\\]`).exec(line);
    if (within) {
      target = entry;
      if (within[1] !== undefined) {
        target = {};
        entry[within[1]] = target;
      }
      continue;
    }
    const [, key, value] = /^\s*([\w-]+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) assign(target, key, value);
  }
  return entry;
}

function assign(target: Entry, key: string, value: string): void {
  try {
    target[key] = JSON.parse(value.replace(/^'(.*)'$/, (_quoted, text: string) => JSON.stringify(text)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

function sectionOf(client: Client, entry: Entry): string {
  const name = `${client.key}.${NAME}`;
  const tables = Object.entries(entry).filter(([, value]) => isRecord(value)) as [string, Entry][];
  const values = Object.entries(entry).filter(([, value]) => !isRecord(value));
  return [
    `[${name}]`,
    ...values.map(assignment),
    ...tables
      .filter(([, table]) => Object.keys(table).length > 0)
      .flatMap(([key, table]) => ['', `[${name}.${key}]`, ...Object.entries(table).map(assignment)]),
  ].join('\n');
}

function assignment([key, value]: [string, unknown]): string {
  const text = Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
  return `${key} = ${text}`;
}

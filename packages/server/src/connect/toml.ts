import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '@millrace/kernel';
import { parse, TomlError } from 'smol-toml';
import type { Client } from './clients.ts';
import { type Entry, type Format, merged, NAME, Unreadable } from './format.ts';

/** TOML, by sections: ours is replaced, the others stay untouched. What comes out is read again before anybody writes it. */
export const toml: Format = {
  entryIn(text, client) {
    return serversIn(contentOf(text), client)[NAME] as Entry | undefined;
  },

  withEntry(text, client, entry) {
    const content = contentOf(text);
    const { [NAME]: before, ...servers } = serversIn(content, client);
    const ours = merged(before, entry);
    const others = withoutOurSections(text, client);
    const after = `${others === '' ? '' : `${others}\n\n`}${sectionOf(client, ours)}\n`;
    return verified(after, { ...content, [client.key]: { ...servers, [NAME]: withoutEmpty(ours) } });
  },

  withoutEntry(text, client) {
    const content = contentOf(text);
    const { [NAME]: ours, ...servers } = serversIn(content, client);
    if (ours === undefined) return text;
    const { [client.key]: _servers, ...rest } = content;
    const expected = Object.keys(servers).length > 0 ? { ...content, [client.key]: servers } : rest;
    return verified(`${withoutOurSections(text, client)}\n`, expected);
  },

  snippet: sectionOf,
};

function contentOf(text: string): Entry {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw new Unreadable(`it is not valid TOML (line ${error.line})`);
    throw error;
  }
}

function serversIn(content: Entry, client: Client): Entry {
  const servers = content[client.key];
  return isRecord(servers) ? servers : {};
}

/** An entry can be written in many ways, and a text can look like a section: what would change anything else is not written. */
function verified(text: string, expected: Entry): string {
  try {
    if (isDeepStrictEqual(plain(parse(text)), plain(expected))) return text;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
  }
  throw new Unreadable('its servers are written in a way that cannot be edited safely');
}

/** Without the prototypes that a parser may give its tables. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function withoutEmpty(entry: Entry): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => !(isRecord(value) && Object.keys(value).length === 0)));
}

function withoutOurSections(text: string, client: Client): string {
  const section = `${client.key}.${NAME}`;
  let inside = false;
  const others = text.split('\n').filter((line) => {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '');
    if (header !== undefined) inside = header === section || header.startsWith(`${section}.`);
    // A comment may be about the section that follows; whose it is, nobody can tell.
    return !inside || /^\s*#/.test(line);
  });
  return others.join('\n').trimEnd();
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

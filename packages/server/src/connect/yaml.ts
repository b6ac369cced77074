import { isRecord } from '@millrace/kernel';
import { type Document, isMap, isScalar, parseDocument, stringify } from 'yaml';
import type { Client } from './clients.ts';
import { type Format, merged, NAME, Unreadable } from './format.ts';

/** YAML, with its comments kept. */
export const yaml: Format = {
  entryIn(text, client) {
    const entry = documentIn(text, client).toJS()?.[client.key]?.[NAME];
    return isRecord(entry) ? entry : undefined;
  },

  withEntry(text, client, entry) {
    const document = documentIn(text, client);
    fillEmptySection(document, client);
    document.setIn([client.key, NAME], merged(yaml.entryIn(text, client), entry));
    return document.toString({ lineWidth: 0 });
  },

  withoutEntry(text, client) {
    const document = documentIn(text, client);
    return document.hasIn([client.key, NAME]) && document.deleteIn([client.key, NAME]) ? document.toString({ lineWidth: 0 }) : text;
  },

  snippet(client, entry) {
    return stringify({ [client.key]: { [NAME]: entry } }, { lineWidth: 0 }).trimEnd();
  },
};

/** A section without a value becomes a map in its place, with its comments. */
function fillEmptySection(document: Document, { key }: Client): void {
  const empty = document.has(key) ? document.get(key, true) : undefined;
  if (!isScalar(empty)) return;
  const map = document.createNode({});
  map.commentBefore = [empty.commentBefore, empty.comment].filter(Boolean).join('\n') || null;
  document.set(key, map);
}

function documentIn(text: string, client: Client): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new Unreadable(`it is not valid YAML (${error.message.split('\n')[0]})`);
  if (document.contents !== null && !isMap(document.contents)) throw new Unreadable('it does not hold a map');
  const servers = document.get(client.key);
  if (servers !== undefined && servers !== null && !isMap(servers)) throw new Unreadable(`"${client.key}" in it is not a map`);
  return document;
}

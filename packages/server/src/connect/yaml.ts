import { isRecord } from '@millrace/kernel';
import { type Document, isMap, parseDocument, stringify } from 'yaml';
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
    if (document.has(client.key) && !isMap(document.get(client.key))) document.delete(client.key);
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

function documentIn(text: string, client: Client): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new Unreadable(`it is not valid YAML (${error.message.split('\n')[0]})`);
  if (document.contents !== null && !isMap(document.contents)) throw new Unreadable('it does not hold a map');
  const servers = document.get(client.key);
  if (servers !== undefined && servers !== null && !isMap(servers)) throw new Unreadable(`"${client.key}" in it is not a map`);
  return document;
}

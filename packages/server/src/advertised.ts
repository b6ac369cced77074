import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AdvertisedSchemas, absent } from '@millrace/kernel';

/** What the tools advertise, written beside the bundle when it is built. Without a bundle it is generated again with every start. */
export async function advertisedSchemas(): Promise<ReadonlyMap<string, AdvertisedSchemas> | undefined> {
  if (import.meta.url.endsWith('.ts')) return undefined;
  const text = await readFile(join(import.meta.dirname, '..', 'advertised.json'), 'utf8').catch(absent);
  return text === undefined ? undefined : new Map(Object.entries(JSON.parse(text)));
}

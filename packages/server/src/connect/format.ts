import { isRecord } from '@millrace/kernel';
import type { Client } from './clients.ts';

export const NAME = 'millrace';

export type Entry = Record<string, unknown>;

/** One file format: reads, writes and removes our entry, and leaves everything else as is. */
export interface Format {
  /** Throws Unreadable when the text cannot be understood. */
  entryIn(text: string, client: Client): Entry | undefined;
  withEntry(text: string, client: Client, entry: Entry): string;
  withoutEntry(text: string, client: Client): string;
  /** The text to paste into an empty file. */
  snippet(client: Client, entry: Entry): string;
}

/** A configuration that we cannot parse, and therefore leave alone. */
export class Unreadable extends Error {}

/** What people added to our entry stays; an entry that reached a server over HTTP is replaced. */
export function merged(before: unknown, entry: Entry): Entry {
  if (!isRecord(before) || 'url' in before) return entry;
  const nested = ['env', 'envs'].filter((key) => isRecord(before[key]) && isRecord(entry[key]));
  return {
    ...before,
    ...entry,
    ...Object.fromEntries(nested.map((key) => [key, { ...(before[key] as Entry), ...(entry[key] as Entry) }])),
  };
}

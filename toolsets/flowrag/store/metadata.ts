import { hash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { absent, Failure, isSystemError } from '@millrace/kernel';
import { makeFolder } from '@millrace/storage';
import { z } from 'zod';

export const METADATA_FILE = 'flowrag.meta.json';

const metadata = z.object({
  configHash: z.string(),
  embedder: z.object({ provider: z.string(), model: z.string(), dimensions: z.number(), weights: z.string().optional() }),
  extractor: z.object({ provider: z.string(), model: z.string() }),
  schema: z.object({ entityTypes: z.array(z.string()), relationTypes: z.array(z.string()) }),
  lastIndexedAt: z.string(),
  documentCount: z.number(),
  /** Set during a run; stays set when the run is interrupted. */
  unfinished: z.literal(true).optional(),
  /** On Postgres: which collection of the database belongs to this data directory. */
  collection: z.string().optional(),
});
export type Metadata = z.output<typeof metadata>;

export type MadeWith = Pick<Metadata, 'embedder' | 'extractor' | 'schema'>;

/** What was written after the last run; undefined for a fresh data directory. */
export async function readMetadata(folder: string): Promise<Metadata | undefined> {
  const path = join(folder, METADATA_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
  try {
    return metadata.parse(JSON.parse(text));
  } catch (error) {
    throw error instanceof SyntaxError || error instanceof z.ZodError ? unusable(path, error) : error;
  }
}

function unusable(path: string, cause: unknown): Failure {
  return new Failure('storage', `${path} cannot be read as the metadata of an index`, {
    details: { file: path },
    fix: { instruction: 'Delete the file and index again; the index itself is not lost' },
    cause,
  });
}

/** Atomic: a reader sees the old file or the new one. */
export async function writeMetadata(folder: string, value: Metadata): Promise<void> {
  const path = join(folder, METADATA_FILE);
  makeFolder(folder);
  await writeFile(`${path}.${process.pid}.tmp`, `${JSON.stringify(value, null, 2)}\n`);
  await rename(`${path}.${process.pid}.tmp`, path);
}

const COLLECTION_FILE = 'flowrag.collection';

/** On Postgres: which collection of the database belongs to this data directory. Kept apart until the first run writes the metadata. */
export async function readCollectionId(folder: string): Promise<string | undefined> {
  const kept =
    (await readMetadata(folder))?.collection ?? (await readFile(join(folder, COLLECTION_FILE), 'utf8').catch(absent))?.trim() ?? '';
  return /^[a-f0-9]{4,32}$/.test(kept) ? kept : undefined;
}

export async function writeCollectionId(folder: string, id: string): Promise<void> {
  makeFolder(folder);
  await writeFile(join(folder, COLLECTION_FILE), `${id}\n`);
}

export function configHash({ embedder, extractor, schema }: MadeWith): string {
  return hash('sha256', JSON.stringify([embedder, extractor, schema])).slice(0, 8);
}

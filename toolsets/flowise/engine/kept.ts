import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { absent } from '@millrace/kernel';

/** What belongs to one local Flowise and stays the same at every start. */
export interface Kept {
  password: string;
  jwt: string;
  refresh: string;
  session: string;
  apiKey?: string;
  /** The port of the last start: whatever points there keeps working. */
  port?: number;
}

/** What is kept in the folder of a Flowise, made when there is nothing yet. */
export async function keptIn(data: string): Promise<Kept> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const kept = await readJson<Kept>(fileIn(data));
  if (kept?.password) return kept;
  const made = { password: `${secret(12)}aA1!`, jwt: secret(32), refresh: secret(32), session: secret(32) };
  await keep(data, made);
  return made;
}

export async function keep(data: string, kept: Kept): Promise<void> {
  await writeWhole(fileIn(data), kept);
}

function fileIn(data: string): string {
  return join(data, 'millrace.json');
}

function secret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

export async function readJson<Value>(file: string): Promise<Value | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    return absent(error);
  }
}

/** All or nothing: half a file after a kill would lock the owner out. */
export async function writeWhole(file: string, value: object): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

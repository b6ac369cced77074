import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { absent } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';

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

/** A Flowise that was started, for those who come after the process that started it. */
interface Note {
  pid: number;
  port: number;
  /** The process that started it. */
  starter: number;
  /** Milliseconds of the epoch. */
  at: number;
}

const keptFile = (data: string) => join(data, 'millrace.json');
const noteFile = (data: string) => join(data, 'running.json');

/** What is kept in the folder of a Flowise, made when there is nothing yet. */
export async function keptIn(data: string): Promise<Kept> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const kept = await readJson<Kept>(keptFile(data));
  if (kept?.password) return kept;
  const made = { password: `${secret(12)}aA1!`, jwt: secret(32), refresh: secret(32), session: secret(32) };
  await keep(data, made);
  return made;
}

export function keep(data: string, kept: Kept): Promise<void> {
  return writeWhole(keptFile(data), kept);
}

export function noteRunning(data: string, note: Note): Promise<void> {
  return writeWhole(noteFile(data), note);
}

export function forgetRunning(data: string): Promise<void> {
  return rm(noteFile(data), { force: true });
}

/** The note about a Flowise whose process is alive. */
export async function notedRunning(data: string): Promise<Note | undefined> {
  const note = await readJson<Note>(noteFile(data));
  return note && Number.isInteger(note.pid) && isRunning(note.pid, note.at) ? note : undefined;
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

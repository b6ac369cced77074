import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '@millrace/storage';
import { readJson, writeWhole } from './kept.ts';

/** A Flowise that was started, for those who come after the process that started it. */
export interface Note {
  pid: number;
  port: number;
  /** The process that started it. */
  starter: number;
  /** Milliseconds of the epoch. */
  at: number;
}

export async function noteRunning(data: string, note: Note): Promise<void> {
  await writeWhole(fileIn(data), note);
}

export async function forgetRunning(data: string): Promise<void> {
  await rm(fileIn(data), { force: true });
}

/** The note about a Flowise whose process is alive. */
export async function notedRunning(data: string): Promise<Note | undefined> {
  const note = await readJson<Note>(fileIn(data));
  return note && Number.isInteger(note.pid) && isRunning(note.pid, note.at) ? note : undefined;
}

function fileIn(data: string): string {
  return join(data, 'running.json');
}

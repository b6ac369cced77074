import { link, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';
import { readJson, writeWhole } from './kept.ts';

/** Who installs, and the program that does the work: it may outlive one that was killed. */
interface Note {
  starter: number;
  worker?: number;
  at: number;
}

/** One installation at a time in a folder. */
export interface Turn {
  /** The program that works now. */
  works(pid: number): void;
  end(): Promise<void>;
}

const LOOK_EVERY_MS = 500;

/** Waits until nobody else installs there. */
export async function turnIn(folder: string, signal: AbortSignal, onWait: () => void): Promise<Turn> {
  const file = join(folder, 'installing.json');
  const note: Note = { starter: process.pid, at: Date.now() };
  while (!(await taken(file, note))) {
    const other = await readJson<Note>(file);
    if (!other || !isAtWork(other)) {
      await rm(file, { force: true });
      continue;
    }
    onWait();
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch((cause: unknown) => {
      throw signal.aborted ? new Failure('cancelled', 'The installation was stopped', { cause }) : cause;
    });
  }
  let written = Promise.resolve();
  return {
    works(worker) {
      written = written.then(() => writeWhole(file, { ...note, worker })).catch(() => {});
    },
    async end() {
      await written;
      await rm(file, { force: true });
    },
  };
}

/** A link appears whole or not at all, and only one can be made. */
async function taken(file: string, note: Note): Promise<boolean> {
  const own = `${file}.${note.starter}`;
  await writeFile(own, JSON.stringify(note));
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

function isAtWork({ starter, worker, at }: Note): boolean {
  if (at < Date.now() - uptime() * 1000) return false;
  return (starter !== process.pid && isRunning(starter)) || (worker !== undefined && isRunning(worker));
}

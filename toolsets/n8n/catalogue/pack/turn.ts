import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { absent } from '@millrace/kernel';

const HEARTBEAT_MS = 5_000;
const ABANDONED_MS = 30_000;
const POLL_MS = 500;
const SETTLE_MS = 50;

export interface TurnOptions {
  signal: AbortSignal;
  /** Called once when somebody else is at it. */
  waiting(): void;
}

/** One process at a time does the work; the others wait. A holder that died is noticed by its file growing old. */
export async function inTurn<Result>(file: string, options: TurnOptions, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(file), { recursive: true });
  const token = `${process.pid}.${performance.timeOrigin}.${performance.now()}`;
  for (let told = false; !(await taken(file, token)); ) {
    if (!told) options.waiting();
    told = true;
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
  const heartbeat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await readFile(file, 'utf8').catch(absent)) === token) await rm(file, { force: true });
  }
}

async function taken(file: string, token: string): Promise<boolean> {
  try {
    await writeFile(file, token, { flag: 'wx' });
    // Somebody who found the old file abandoned may remove the new one: whoever is still named after a moment has it.
    await sleep(SETTLE_MS);
    return (await readFile(file, 'utf8').catch(absent)) === token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = await stat(file).catch(absent);
  if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
  return false;
}

import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { absent, Failure } from '@millrace/kernel';

const RETRY_MS = 8;
const RENEW_MS = 2_000;
const STALE_MS = 15_000;
const EMPTY_MS = 1_000;
const PATIENCE_MS = 20_000;

interface Holder {
  token: string;
  pid: number;
  host: string;
}

export interface HeldLock {
  /** False when another process took over because this one seemed dead. */
  isHeld(): Promise<boolean>;
}

const waiting = new Map<string, Promise<unknown>>();

/**
 * Work on a file that no other process may touch meanwhile: a lock file beside it, renewed while the work goes on, and passed
 * over when its process is gone. Work of this process queues up in memory first.
 */
export async function withFileLock<Result>(path: string, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
  const before = waiting.get(path) ?? Promise.resolve();
  const mine = before.then(() => locked(path, work));
  const settled = mine.catch(() => {});
  waiting.set(path, settled);
  try {
    return await mine;
  } finally {
    if (waiting.get(path) === settled) waiting.delete(path);
  }
}

async function locked<Result>(path: string, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
  const file = join(dirname(path), `.${basename(path)}.lock`);
  const holder: Holder = { token: randomUUID(), pid: process.pid, host: hostname() };
  await take(file, holder);
  const renewal = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), RENEW_MS);
  renewal.unref();
  const isHeld = async () => (await holderOf(file))?.token === holder.token;
  try {
    return await work({ isHeld });
  } finally {
    clearInterval(renewal);
    if (await isHeld()) await rm(file, { force: true });
  }
}

async function take(file: string, holder: Holder): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await create(file, holder))) {
    if (await isAbandoned(file)) await breakLock(file);
    else if (Date.now() > deadline) throw inUse(file, await holderOf(file));
    else await sleep(RETRY_MS + Math.random() * RETRY_MS);
  }
}

async function create(file: string, holder: Holder): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(holder));
    await handle.close();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    return false;
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch (error) {
    // Its maker has not finished writing it.
    if (error instanceof SyntaxError) return undefined;
    return absent(error);
  }
}

/** Its process is gone, or it has not been renewed for a long time (a process of another machine, or one that was stopped). */
async function isAbandoned(file: string): Promise<boolean> {
  const renewed = await stat(file).catch(absent);
  if (!renewed) return false;
  const age = Date.now() - renewed.mtimeMs;
  if (age > STALE_MS) return true;
  const holder = await holderOf(file);
  // A lock is empty for no longer than it takes to write it, unless its process was killed just then.
  if (!holder) return age > EMPTY_MS;
  return holder.host === hostname() && holder.pid !== process.pid && !isRunning(holder.pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Only one process may break a lock at a time, and it looks again: the lock it saw may have been broken and taken anew. */
async function breakLock(file: string): Promise<void> {
  const guard = `${file}.break`;
  const handle = await open(guard, 'wx').catch(absent);
  if (!handle) {
    const age = await stat(guard).catch(absent);
    const aside = `${guard}.${randomUUID()}`;
    if (age && Date.now() - age.mtimeMs > STALE_MS)
      await rename(guard, aside).then(
        () => rm(aside, { force: true }),
        () => {},
      );
    await sleep(RETRY_MS);
    return;
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true });
  } finally {
    await handle.close();
    await rm(guard, { force: true });
  }
}

function inUse(file: string, holder: Holder | undefined): Failure {
  return new Failure('conflict', 'Another process is editing this workflow; try again', {
    details: { lock: basename(file), ...(holder && { pid: holder.pid, host: holder.host }) },
  });
}

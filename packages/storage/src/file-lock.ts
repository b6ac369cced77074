import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { uptime } from 'node:os';
import { dirname } from 'node:path';
import { absent, type Failure } from '@millrace/kernel';
import { LEASE_MS, newHolder, RENEW_MS, RETRY_MS, type Waiting } from './lease.ts';
import { isGone, isRunningHere, processNamed } from './process-identity.ts';
import { pause, Turns } from './turns.ts';

/** A lock is empty for no longer than it takes to write it, unless its process was killed just then. */
const EMPTY_MS = 1_000;

export interface FileLockOptions extends Waiting {
  /** How long to wait for another process, and what to throw then; without it, there is no limit. */
  patience?: { ms: number; over(): Failure };
}

export interface HeldLock {
  /** False when another process took over because this one seemed dead. */
  isHeld(): Promise<boolean>;
  /** Names a program that does the work: the lock holds while it runs, even if this process is killed. */
  workedOnBy(pid: number): void;
}

const turns = new Turns();

/**
 * Work that no other process may do meanwhile: a lock file that names its holder, is renewed while the work continues, and is
 * passed over when its holder is gone. Work of this process queues up in memory first.
 */
export function withFileLock<Result>(file: string, options: FileLockOptions, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
  return turns.take(file, () => locked(file, options, work), options);
}

async function locked<Result>(file: string, options: FileLockOptions, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
  const holder = newHolder();
  await take(file, holder, options);
  const renewal = setInterval(() => void utimes(file, new Date(), new Date()).catch(absent), RENEW_MS);
  renewal.unref();
  const isHeld = async () => (await processesIn(file))?.[0] === holder;
  let noted = Promise.resolve();
  const note = async (pid: number) => {
    if (await isHeld()) await appendFile(file, `\n${processNamed(pid)}`).catch(absent);
  };
  try {
    return await work({
      isHeld,
      workedOnBy(pid) {
        noted = noted.then(() => note(pid));
      },
    });
  } finally {
    clearInterval(renewal);
    await noted;
    if (await isHeld()) await rm(file, { force: true });
  }
}

async function take(file: string, holder: string, { signal, onWait, patience }: FileLockOptions): Promise<void> {
  const deadline = patience && performance.now() + patience.ms;
  let told = false;
  for (let attempt = 0; !(await create(file, holder)); attempt += 1) {
    if (await isAbandoned(file)) await breakLock(file);
    else if (!told) onWait?.();
    told = true;
    if (deadline !== undefined && performance.now() > deadline) throw patience?.over();
    await pause(attempt, RETRY_MS, signal);
  }
}

async function create(file: string, holder: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(holder).finally(() => handle.close());
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    return create(file, holder);
  }
}

/** The holder, and the programs that work for it. */
async function processesIn(file: string): Promise<string[] | undefined> {
  return (await readFile(file, 'utf8').catch(absent))?.split('\n');
}

async function isAbandoned(file: string): Promise<boolean> {
  const renewed = await stat(file).catch(absent);
  const [holder, ...workers] = (await processesIn(file)) ?? [];
  if (!renewed || holder === undefined) return false;
  const age = Date.now() - renewed.mtimeMs;
  // Process ids from before the last boot mean nothing.
  if (age < uptime() * 1000 && workers.some(isRunningHere)) return false;
  // Not renewed for a long time: a process of another machine, or one that was stopped.
  if (age > LEASE_MS) return true;
  return holder === '' ? age > EMPTY_MS : isGone(holder);
}

/** Only one process may break a lock at a time, and it looks again: the lock it saw may have been broken and taken again. */
async function breakLock(file: string): Promise<void> {
  const guard = `${file}.break`;
  const handle = await open(guard, 'wx').catch(absent);
  if (!handle) {
    const made = await stat(guard).catch(absent);
    if (!made || Date.now() - made.mtimeMs < LEASE_MS) return;
    const aside = `${guard}.${randomUUID()}`;
    await rename(guard, aside).then(() => rm(aside, { force: true }), absent);
    return;
  }
  try {
    if (await isAbandoned(file)) await rm(file, { force: true });
  } finally {
    await handle.close();
    await rm(guard, { force: true });
  }
}

import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';

/** Process ids mean something only within one machine or container. */
const machine = `${hostname().replaceAll(' ', '-')}/${processSpace()}`;

/** This process, so that others on the same machine can check it: machine, process id, start time, and a random name. */
export const processName = [machine, process.pid, startOf(process.pid) ?? '-', randomUUID()].join(' ');

/** Another process of this machine, in the same words. */
export function processNamed(pid: number): string {
  return pid === process.pid ? processName : [machine, pid, startOf(pid) ?? '-', '-'].join(' ');
}

/** Whether a name is that of a process of this machine that runs. */
export function isRunningHere(name: string): boolean {
  return name.startsWith(`${machine} `) && !isGone(name);
}

/** Whether the process that a holder names is known to be gone: what it held is free at once, without waiting for a lease to end. */
export function isGone(holder: string): boolean {
  const [host, id, start, name] = holder.split(' ');
  if (host !== machine || name === undefined) return false;
  const pid = Number(id);
  if (pid === process.pid) return name !== processName.split(' ')[3];
  if (!isRunning(pid)) return true;
  const now = startOf(pid);
  return now !== undefined && start !== '-' && now !== start;
}

/**
 * Whether a process runs, the one that had this id at that time: ids of before the last boot mean nothing. One that has
 * ended but was not collected by its parent still has its id; it does not run.
 */
export function isRunning(pid: number, at: number = Date.now()): boolean {
  if (at < Date.now() - uptime() * 1000) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return statusOf(pid)?.[0] !== 'Z';
}

/** When a process started, if the system shows it: process ids are reused. */
function startOf(pid: number): string | undefined {
  return statusOf(pid)?.[19];
}

/** The fields of /proc/<pid>/stat after the process name, starting with its state. */
function statusOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '-';
  }
}

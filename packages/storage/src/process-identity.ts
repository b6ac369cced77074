import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Process ids mean something only within one machine or container. */
const machine = `${hostname().replaceAll(' ', '-')}/${processSpace()}`;

/** This process, so that others on the same machine can check it: machine, process id, start time, and a random name. */
export const processName = [machine, process.pid, startOf(process.pid) ?? '-', randomUUID()].join(' ');

/** Whether a holder's process is known to be gone: what it held is free at once, without waiting for the lease to end. */
export function isGone(holder: string): boolean {
  const [host, id, start, name] = holder.split(' ');
  if (host !== machine || name === undefined) return false;
  const pid = Number(id);
  if (pid === process.pid) return name !== processName.split(' ')[3];
  if (!isRunning(pid)) return true;
  const now = startOf(pid);
  return now !== undefined && start !== '-' && now !== start;
}

/** A zombie still has its process id, but it does not run. */
export function isRunning(pid: number): boolean {
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

import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Process ids mean something only within one machine or container. */
const machine = `${hostname().replaceAll(' ', '-')}/${processSpace()}`;

/** This process, in words that another one of the same machine can check: where, process id, when it began, and who it is. */
export const processName = [machine, process.pid, beginOf(process.pid) ?? '-', randomUUID()].join(' ');

/** Whether the process that a holder names is known to be gone; a killed one must not block a conversation until its lease ends. */
export function isGone(holder: string): boolean {
  const [host, id, begin, name] = holder.split(' ');
  if (host !== machine || name === undefined) return false;
  const pid = Number(id);
  if (pid === process.pid) return name !== processName.split(' ')[3];
  if (!isRunning(pid)) return true;
  const now = beginOf(pid);
  return now !== undefined && begin !== '-' && now !== begin;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** When a process began, where the system says so: process ids are used again. A dead one that nobody has collected is gone. */
function beginOf(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields[0] === 'Z' ? 'ended' : fields[19];
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

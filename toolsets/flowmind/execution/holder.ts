import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Holder } from './lease.ts';

/** This process. Of another on the same machine it can tell at once whether it lives; of one elsewhere only its lease tells. */
export function processHolder(): Holder {
  const own = randomUUID();
  const host = hostname();
  return {
    id: `${host}|${process.pid}|${own}`,
    isAlive(id) {
      const [otherHost, pid, uuid] = id.split('|');
      if (otherHost !== host) return true;
      // The same number after a restart is another process.
      if (Number(pid) === process.pid) return uuid === own;
      return exists(Number(pid));
    },
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

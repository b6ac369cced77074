import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectionWriter } from '../store/writer.ts';

const LEASE = 'index';
/** Renewals wait while large documents are written. */
const LEASE_MS = 30_000;
const RENEW_MS = 2_500;
const RETRY_MS = 250;

export interface LeaseOptions {
  signal: AbortSignal;
  waiting(): void;
  renewMs?: number;
}

/** One indexing run at a time over all processes. A killed one is passed over at once on its own machine, elsewhere when its lease ends. */
export async function withIndexLease<Result>(
  writer: CollectionWriter,
  { signal, waiting, renewMs = RENEW_MS }: LeaseOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  for (;;) {
    const other = await writer.leaseHolder(LEASE);
    if (other !== undefined && isGone(other)) await writer.release(LEASE, other);
    else if (other === undefined && (await writer.lease(LEASE, holder, LEASE_MS))) break;
    else {
      waiting();
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
  const renewal = setInterval(() => {
    writer.lease(LEASE, holder, LEASE_MS).catch(() => {});
  }, renewMs);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await writer.release(LEASE, holder);
  }
}

/** Whether the holder was a process of this machine that no longer runs. */
function isGone(holder: string): boolean {
  const [host, pid] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH';
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectionWriter } from '../store/writer.ts';

const LEASE = 'index';
const LEASE_MS = 10_000;
const RENEW_MS = 2_500;
const RETRY_MS = 250;

export interface LeaseOptions {
  signal: AbortSignal;
  waiting(): void;
}

/** One indexing run at a time over all processes. A run that was killed is passed over as soon as its lease has ended. */
export async function withIndexLease<Result>(
  writer: CollectionWriter,
  { signal, waiting }: LeaseOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const holder = randomUUID();
  while (!(await writer.lease(LEASE, holder, LEASE_MS))) {
    waiting();
    await sleep(RETRY_MS, undefined, { signal });
  }
  const renewal = setInterval(() => {
    writer.lease(LEASE, holder, LEASE_MS).catch(() => {});
  }, RENEW_MS);
  renewal.unref();
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await writer.release(LEASE, holder);
  }
}

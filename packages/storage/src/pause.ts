import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 2;

/** Before another try: longer each time, and random, so that processes that collided once do not collide again. */
export async function pause(attempt: number, longestMs: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.random() * Math.min(longestMs, FIRST_MS * 1.5 ** attempt), undefined, signal && { signal });
}

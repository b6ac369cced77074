import { readFileSync } from 'node:fs';

const EVERY_MS = 50;
const PAGE = 4096;

/** Calls back when a process and its children hold more memory than they may, whatever kind of memory it is. Returns how to stop. */
export function watchMemory(pid: number, mostBytes: number, exceeded: () => void): () => void {
  if (process.platform !== 'linux') return () => {};
  const timer = setInterval(() => {
    if (residentBytes(pid) <= mostBytes) return;
    clearInterval(timer);
    exceeded();
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** What a process and all below it hold; 0 when it is gone. */
export function residentBytes(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + residentBytes(Number(child)), own);
  } catch {
    // A process may end while it is looked at.
    return 0;
  }
}

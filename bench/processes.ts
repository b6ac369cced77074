import { readdirSync, readFileSync } from 'node:fs';

const CLOCK_TICKS_PER_SECOND = 100;

/** A process and its children, as reported by Linux. */
function tree(pid: number): string[] {
  const task = `/proc/${pid}/task`;
  const children = readdirSync(task).flatMap((thread) => readFileSync(`${task}/${thread}/children`, 'utf8').split(' ').filter(Boolean));
  return [String(pid), ...children];
}

/**
 * Memory of a process and its children. Rss counts shared pages for each process, Pss counts them once; Anonymous counts
 * pages that belong to a single process.
 */
export function memoryMb(pid: number, field: 'Rss' | 'Pss' | 'Anonymous'): number {
  const kilobytes = (each: string) =>
    Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${each}/smaps_rollup`, 'utf8'))?.[1]);
  return tree(pid).reduce((sum, each) => sum + kilobytes(each) / 1024, 0);
}

/** Processor time of a process and its children: other processes on the machine do not count. */
export function cpuSeconds(pid: number): number {
  const ticks = (each: string) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  };
  return tree(pid).reduce((sum, each) => sum + ticks(each) / CLOCK_TICKS_PER_SECOND, 0);
}

import { readFileSync } from 'node:fs';
import { modernMeta, StdioProcess } from '../test/harness/process.ts';

/** User and system time of a process so far, in milliseconds. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** How long a server takes to start and list its tools over stdio, in milliseconds. */
export async function coldStart(args: readonly string[], env: Record<string, string>): Promise<{ cpu: number; wall: number }> {
  const started = performance.now();
  const server = new StdioProcess(args, env);
  await server.request('tools/list', { _meta: modernMeta({}) });
  const measured = { cpu: cpuOf(server.child.pid as number), wall: performance.now() - started };
  await server.kill();
  return measured;
}

import { spawn } from 'node:child_process';
import type { Environment } from '../config/load.ts';
import type { Launch } from './clients.ts';

const TIME_LIMIT_MS = 20_000;

/** Starts what an assistant would start, just to get its version. Returns the problem, or undefined when it starts. */
export async function startProblem(
  { command, args, env }: Launch,
  environment: Environment,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<string | undefined> {
  const child = spawn(command, [...args, '--version'], {
    env: { ...environment, ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeLimitMs,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const outcome = await new Promise<{ code: number | null } | { error: NodeJS.ErrnoException }>((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code) => resolve({ code }));
  });
  if ('error' in outcome) return outcome.error.code === 'ENOENT' ? `${command} does not exist` : `${command} cannot be started`;
  if (outcome.code === 0 && /^\d+\.\d+\.\d+/m.test(printed)) return undefined;
  if (outcome.code === null) return `it does not answer within ${timeLimitMs / 1000} seconds`;
  const [reason] = complaint.split('\n').filter((line) => /error|cannot|missing/i.test(line));
  return reason ? `it fails: ${reason.trim().slice(0, 200)}` : 'it does not start';
}

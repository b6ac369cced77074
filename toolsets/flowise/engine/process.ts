import { type ChildProcess, spawn } from 'node:child_process';
import { Failure } from '@millrace/kernel';

export interface ProgramOptions {
  command: string;
  arguments: readonly string[];
  directory: string;
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  /** Each line that it prints. */
  onLine?(line: string): void;
}

const KEPT_LINES = 20;

/** Runs a program to its end, out of the way of everything else; throws with its last words when it fails. */
export async function runProgram(options: ProgramOptions): Promise<void> {
  const child = spawn(options.command, options.arguments, {
    cwd: options.directory,
    env: { ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
  });
  const last: string[] = [];
  eachLine(child, (line) => {
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    options.onLine?.(line);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).catch((cause: unknown) => {
    throw notRun(options, cause);
  });
  if (code === 0) return;
  throw new Failure('unavailable', `${programName(options)} failed (exit code ${code}): ${last.join(' | ').slice(-600)}`, {
    details: { code },
  });
}

export function eachLine(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim()) onLine(line.trim());
    });
    stream?.on('end', () => {
      if (rest.trim()) onLine(rest.trim());
    });
  }
}

function notRun(options: ProgramOptions, cause: unknown): Failure {
  if (options.signal.aborted)
    return new Failure('cancelled', 'The installation was stopped; starting it again goes on where it was', { cause });
  return new Failure('unavailable', `${programName(options)} could not be started`, {
    fix: { instruction: 'Install Node.js with npm and try again' },
    cause,
  });
}

function programName({ command, arguments: words }: ProgramOptions): string {
  const name = /node(\.exe)?$/.test(command) ? (words[0] ?? command) : command;
  return name.split(/[\\/]/).at(-1) ?? name;
}

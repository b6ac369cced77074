import { type ChildProcess, spawn } from 'node:child_process';
import { Failure, isSystemError } from '@millrace/kernel';

export interface ProgramOptions {
  command: string;
  arguments: readonly string[];
  directory: string;
  signal: AbortSignal;
  environment: Readonly<Record<string, string | undefined>>;
  /** Called with its process id. */
  onStart?(pid: number): void;
  /** Each line that it prints. */
  onLine?(line: string): void;
}

const KEPT_LINES = 40;
/** A package manager that is stopped cleans up first. */
const STOPPING_MS = 1_000;

const KNOWN_TROUBLES = [
  {
    pattern: /ENOSPC|no space left on device/i,
    message: 'There is no space left on the disk',
    fix: 'Make room, or set MILLRACE_HOME to a folder on a larger disk; then try again: it continues where it stopped',
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL/,
    message: 'The npm registry cannot be reached',
    fix: 'Check the network, the proxy and the registry that npm uses (npm ping); then try again: it continues where it stopped',
  },
  {
    pattern: /not found: make|C\+\+ compiler|g\+\+: (command )?not found|find Python|Visual Studio|xcode/i,
    message: 'Its SQLite module could neither be fetched ready-made nor be built here: a C++ compiler, make or Python is missing',
    fix: 'Install them (Debian and Ubuntu: apt install build-essential python3; macOS: xcode-select --install), then try again',
  },
];

/** Runs a program to its end; throws with its last lines of output when it fails. */
export async function runProgram(options: ProgramOptions): Promise<void> {
  const child = spawn(options.command, options.arguments, {
    cwd: options.directory,
    env: { ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill('SIGTERM') && setTimeout(() => child.kill('SIGKILL'), STOPPING_MS).unref();
  options.signal.addEventListener('abort', stop, { once: true });
  if (options.signal.aborted) stop();
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const last: string[] = [];
  eachLine(child, (line) => {
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    options.onLine?.(line);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
    // Programs that it started may keep its output open; stopping it does not wait for them.
    child.once('exit', (exit) => options.signal.aborted && resolve(exit));
  })
    .catch((cause: unknown) => {
      throw options.signal.aborted || isSystemError(cause) ? notRun(options, cause) : cause;
    })
    .finally(() => options.signal.removeEventListener('abort', stop));
  if (options.signal.aborted) throw broken(options.signal.reason);
  if (code === 0) return;
  const said = last.join(' | ');
  const known = KNOWN_TROUBLES.find(({ pattern }) => pattern.test(said));
  const fix = known?.fix ?? 'Try again: it continues where it stopped';
  throw new Failure('unavailable', known?.message ?? `${programName(options)} failed (exit code ${code}): ${said.slice(-600)}`, {
    details: { code },
    fix: { instruction: fix },
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
  if (options.signal.aborted) return broken(cause);
  return new Failure('unavailable', `${programName(options)} could not be started`, {
    fix: { instruction: 'Install Node.js with npm and try again' },
    cause,
  });
}

function broken(cause: unknown): Failure {
  return new Failure('cancelled', 'The installation was stopped; start it again to continue where it stopped', { cause });
}

function programName({ command, arguments: words }: ProgramOptions): string {
  const name = /node(\.exe)?$/.test(command) ? (words[0] ?? command) : command;
  return name.split(/[\\/]/).at(-1) ?? name;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient, TransportError } from '@millrace/http';
import { Failure, isSystemError } from '@millrace/kernel';
import { isRunning } from '@millrace/storage';
import { type Account, firstAccount, makeKey } from './account.ts';
import type { FlowiseInstall } from './install.ts';
import { forgetRunning, type Kept, keep, keptIn, notedRunning, noteRunning } from './kept.ts';
import { freePort, isFree, PortTaken, usualPort } from './ports.ts';
import { eachLine } from './process.ts';

export interface StartOptions {
  install: FlowiseInstall;
  /** Where Flowise keeps its database, keys and files. */
  data: string;
  /** 'usual': the port it had before, at first Flowise's own or the next free one. Left out: any free port. */
  port?: number | 'usual';
  signal: AbortSignal;
  /** At least PATH and HOME; of the rest, only Flowise's own variables reach it. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Further environment variables of Flowise. */
  settings?: Record<string, string>;
  onLine?(line: string): void;
}

export interface RunningFlowise {
  url: string;
  apiKey: string;
  /** The account to sign in with in a browser. */
  account: Account;
  pid: number;
  /** Settled when Flowise has ended, for whatever reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** A Flowise that was running before anybody looked. */
export interface FoundFlowise extends RunningFlowise {
  /** The process that started it and still looks after it; undefined when that process is gone. */
  starter: number | undefined;
}

const STARTING_MS = 180_000;
const STOPPING_MS = 1_000;
const ENDING_MS = 2_000;
const LOOK_EVERY_MS = 250;
const PING_MS = 2_000;
const MOST_PORTS_TRIED = 5;
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SystemRoot',
  'USERPROFILE',
  // Flowise's own, for people who know them: the first lets flows call a model on this machine.
  'HTTP_SECURITY_CHECK',
  'HTTP_DENY_LIST',
  'TOOL_FUNCTION_BUILTIN_DEP',
  'TOOL_FUNCTION_EXTERNAL_DEP',
  'FLOWISE_FILE_SIZE_LIMIT',
  'LOG_LEVEL',
];

const http = new HttpClient();

/** Starts an installed Flowise on loopback, with an account and a key of its own that are kept in its folder. */
export async function startFlowise(options: StartOptions): Promise<RunningFlowise> {
  const kept = await keptIn(options.data);
  const wanted = options.port === 'usual' ? kept.port : options.port;
  if (wanted !== undefined) return startAt(wanted, options, kept);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startAt(options.port === 'usual' ? await usualPort() : await freePort(), options, kept);
    } catch (error) {
      // It was free a moment ago.
      if (!(error instanceof PortTaken) || attempt === MOST_PORTS_TRIED) throw error;
    }
  }
}

async function startAt(port: number, options: StartOptions, kept: Kept): Promise<RunningFlowise> {
  const { data, signal } = options;
  if (!(await isFree(port))) throw new PortTaken(port);
  const url = addressOf(port);
  const child = await spawned(options, kept, port);
  try {
    await noteRunning(data, { pid: child.pid as number, port, starter: process.pid, at: Date.now() });
    await answering(url, () => endOf(child), signal, data);
    if (endOf(child)) throw notStarted(String(endOf(child)), data);
    const { apiKey, account } = await signedIn(url, { ...kept, port }, data);
    const ended = new Promise<void>((resolve) => (endOf(child) ? resolve() : child.once('exit', () => resolve())));
    return { url, apiKey, account, pid: child.pid as number, ended, stop: () => stopped(child, data) };
  } catch (error) {
    const ended = await endsSoon(child, signal);
    await stopped(child, data);
    throw ended && !(await isFree(port)) ? new PortTaken(port) : error;
  }
}

/** The Flowise of this folder if it already runs, started by another process or by one that was killed since. */
export async function findFlowise({ data, signal }: Pick<StartOptions, 'data' | 'signal'>): Promise<FoundFlowise | undefined> {
  const note = await notedRunning(data);
  if (!note) return undefined;
  const { pid, port, starter } = note;
  const url = addressOf(port);
  const kept = await keptIn(data);
  try {
    await answering(url, () => (isRunning(pid) ? undefined : 'it ended'), signal, data);
    const { apiKey, account } = await signedIn(url, { ...kept, port }, data);
    const alone = !isRunning(starter);
    return { url, apiKey, account, pid, ended: gone(pid), stop: () => ending(pid, data), starter: alone ? undefined : starter };
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure || error instanceof TransportError)) throw error;
    return undefined;
  }
}

/** Where the Flowise of this folder answers, if it does. */
export async function flowiseAddress(data: string): Promise<string | undefined> {
  const note = await notedRunning(data);
  return note && (await pings(addressOf(note.port))) ? addressOf(note.port) : undefined;
}

function addressOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Its output goes to a file, so that it survives the end of this process. */
async function spawned(options: StartOptions, kept: Kept, port: number): Promise<ChildProcess> {
  const logs = join(options.data, 'logs');
  await mkdir(logs, { recursive: true });
  const log = options.onLine ? undefined : await open(join(logs, 'output.log'), 'w');
  const output = log?.fd ?? 'pipe';
  try {
    const child = spawn(process.execPath, [join('bin', 'run'), 'start'], {
      cwd: options.install.directory,
      env: environmentOf(options, kept, port),
      stdio: ['ignore', output, output],
    });
    if (options.onLine) eachLine(child, options.onLine);
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return child;
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new Failure('unavailable', `Flowise did not start: its program is not in ${options.install.directory}`, {
      fix: { instruction: 'Remove the folder engines/flowise-… of MILLRACE_HOME and install it again', command: 'engine add flowise' },
      cause,
    });
  } finally {
    await log?.close();
  }
}

function environmentOf({ data, environment, settings }: StartOptions, kept: Kept, port: number): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  return {
    ...Object.fromEntries(passed),
    HOST: '127.0.0.1',
    PORT: String(port),
    APP_URL: addressOf(port),
    DATABASE_PATH: data,
    SECRETKEY_PATH: data,
    LOG_PATH: join(data, 'logs'),
    BLOB_STORAGE_PATH: join(data, 'files'),
    DISABLE_FLOWISE_TELEMETRY: 'true',
    JWT_AUTH_TOKEN_SECRET: kept.jwt,
    JWT_REFRESH_TOKEN_SECRET: kept.refresh,
    EXPRESS_SESSION_SECRET: kept.session,
    ...settings,
  };
}

async function signedIn(url: string, kept: Kept, data: string): Promise<{ apiKey: string; account: Account }> {
  const account = { email: 'owner@millrace.local', password: kept.password };
  await firstAccount(url, account);
  const apiKey = kept.apiKey && (await accepts(url, kept.apiKey)) ? kept.apiKey : await makeKey(url, account);
  await keep(data, { ...kept, apiKey });
  return { apiKey, account };
}

async function accepts(url: string, key: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}` };
  const { status } = await http.request({ method: 'GET', url: `${url}/api/v1/chatflows?page=1&limit=1`, headers });
  return status === 200;
}

async function answering(url: string, end: () => string | undefined, signal: AbortSignal, data: string): Promise<void> {
  const until = performance.now() + STARTING_MS;
  while (performance.now() < until) {
    if (signal.aborted) throw new Failure('cancelled', 'Starting Flowise was stopped');
    const ended = end();
    if (ended) throw notStarted(ended, data);
    if (await pings(url)) return;
    await sleep(LOOK_EVERY_MS);
  }
  throw notStarted(`it did not answer within ${STARTING_MS / 1000} seconds`, data);
}

async function pings(url: string): Promise<boolean> {
  try {
    const { status } = await http.request({ method: 'GET', url: `${url}/api/v1/ping`, timeoutMs: PING_MS });
    return status === 200;
  } catch (error) {
    if (error instanceof TransportError) return false;
    throw error;
  }
}

function notStarted(why: string, data: string): Failure {
  return new Failure('unavailable', `Flowise did not start: ${why}`, {
    fix: { instruction: `What it said is in ${join(data, 'logs', 'output.log')}` },
  });
}

function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `it was ended by ${signalCode}`;
  return exitCode === null ? undefined : `it ended with exit code ${exitCode}`;
}

/** A Flowise that lost its port to another ends a moment later, while the other one answers in its place. */
async function endsSoon(child: ChildProcess, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + ENDING_MS;
  while (!endOf(child) && !signal.aborted && performance.now() < until) await sleep(LOOK_EVERY_MS);
  return endOf(child) !== undefined;
}

async function stopped(child: ChildProcess, data: string): Promise<void> {
  if (!endOf(child)) {
    const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGTERM');
    await Promise.race([exit, sleep(STOPPING_MS, undefined, { ref: false })]);
    if (!endOf(child)) child.kill('SIGKILL');
    await exit;
  }
  await forgetRunning(data);
}

async function ending(pid: number, data: string): Promise<void> {
  const left = performance.now() + STOPPING_MS;
  if (isRunning(pid)) process.kill(pid, 'SIGTERM');
  while (isRunning(pid) && performance.now() < left) await sleep(LOOK_EVERY_MS);
  if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  while (isRunning(pid)) await sleep(LOOK_EVERY_MS);
  await forgetRunning(data);
}

async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
}

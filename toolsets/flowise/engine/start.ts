import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@millrace/kernel';
import { request } from 'undici';
import { firstAccount, makeKey } from './account.ts';
import type { FlowiseInstall } from './install.ts';
import { eachLine } from './process.ts';

export interface StartOptions {
  install: FlowiseInstall;
  /** Where Flowise keeps its database, keys and files. */
  data: string;
  /** A free one when left out. */
  port?: number;
  signal: AbortSignal;
  /** At least PATH and HOME; nothing else of it reaches Flowise unless named in `settings`. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Further environment variables of Flowise. */
  settings?: Record<string, string>;
  onLine?(line: string): void;
}

export interface RunningFlowise {
  url: string;
  apiKey: string;
  /** The account to sign in with in a browser. */
  account: { email: string; password: string };
  pid: number;
  stop(): Promise<void>;
}

const STARTING_MS = 180_000;
const STOPPING_MS = 10_000;
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
];

interface Secrets {
  password: string;
  jwt: string;
  refresh: string;
  session: string;
  apiKey?: string;
}

/** Starts an installed Flowise on loopback, with an account and a key of its own that are kept in its folder. */
export async function startFlowise(options: StartOptions): Promise<RunningFlowise> {
  await mkdir(options.data, { recursive: true, mode: 0o700 });
  const secrets = await keptSecrets(options.data);
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join('bin', 'run'), 'start'], {
    cwd: options.install.directory,
    env: environmentOf(options, secrets, port, url),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  eachLine(child, (line) => options.onLine?.(line));
  try {
    await answering(url, child, options.signal);
    const account = { email: 'owner@millrace.local', password: secrets.password };
    await firstAccount(url, account);
    const apiKey = await workingKey(url, account, secrets, options.data);
    return { url, apiKey, account, pid: child.pid as number, stop: () => stopped(child) };
  } catch (error) {
    await stopped(child);
    throw error;
  }
}

function environmentOf({ data, environment, settings }: StartOptions, secrets: Secrets, port: number, url: string): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
  return {
    ...Object.fromEntries(passed),
    HOST: '127.0.0.1',
    PORT: String(port),
    APP_URL: url,
    DATABASE_PATH: data,
    SECRETKEY_PATH: data,
    LOG_PATH: join(data, 'logs'),
    BLOB_STORAGE_PATH: join(data, 'files'),
    DISABLE_FLOWISE_TELEMETRY: 'true',
    JWT_AUTH_TOKEN_SECRET: secrets.jwt,
    JWT_REFRESH_TOKEN_SECRET: secrets.refresh,
    EXPRESS_SESSION_SECRET: secrets.session,
    ...settings,
  };
}

async function keptSecrets(data: string): Promise<Secrets> {
  const file = join(data, 'millrace.json');
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Secrets;
  } catch {
    const made = { password: `${secret(12)}aA1!`, jwt: secret(32), refresh: secret(32), session: secret(32) };
    await keepSecrets(data, made);
    return made;
  }
}

async function keepSecrets(data: string, secrets: Secrets): Promise<void> {
  await writeFile(join(data, 'millrace.json'), JSON.stringify(secrets), { mode: 0o600 });
}

function secret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

async function workingKey(url: string, account: { email: string; password: string }, secrets: Secrets, data: string): Promise<string> {
  if (secrets.apiKey && (await accepts(url, secrets.apiKey))) return secrets.apiKey;
  const apiKey = await makeKey(url, account);
  await keepSecrets(data, { ...secrets, apiKey });
  return apiKey;
}

async function accepts(url: string, key: string): Promise<boolean> {
  const { statusCode, body } = await request(`${url}/api/v1/chatflows?page=1&limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await body.dump();
  return statusCode === 200;
}

async function answering(url: string, child: ChildProcess, signal: AbortSignal): Promise<void> {
  const until = performance.now() + STARTING_MS;
  while (performance.now() < until) {
    if (signal.aborted) throw new Failure('cancelled', 'Starting Flowise was stopped');
    if (child.exitCode !== null) throw notStarted(`it ended with exit code ${child.exitCode}`);
    const answer = await request(`${url}/api/v1/ping`, { headersTimeout: 2_000 }).catch(() => undefined);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await sleep(250);
  }
  throw notStarted(`it did not answer within ${STARTING_MS / 1000} seconds`);
}

function notStarted(why: string): Failure {
  return new Failure('unavailable', `Flowise did not start: ${why}`, {
    fix: { instruction: 'Its log is in the folder "logs" beside its data' },
  });
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  await Promise.race([gone, sleep(STOPPING_MS, undefined, { ref: false })]);
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await gone;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Failure('unavailable', 'No free port was found');
  return address.port;
}

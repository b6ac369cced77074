/**
 * A real n8n for tests: installed once into a cache outside the checkout, started on free loopback ports with an owner and an API key.
 * `node scripts/real-n8n.ts` installs it; `node scripts/real-n8n.ts start` starts it and prints where it is.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sharedCache } from '../test/harness/n8n-pack.ts';

export const REAL_N8N_VERSION = '2.41.1';
/** Newer versions of some dependencies are not available from the registry. */
const RESOLVED_BEFORE = '2026-09-25';
const KEY = 'a key of the tests, for nothing else';
const OWNER = { email: 'owner@example.com', firstName: 'Test', lastName: 'Owner', password: 'Correct-horse-7' };

export interface RealN8n {
  url: string;
  apiKey: string;
  /** The cookie of a signed-in owner, for what the public API cannot do. */
  cookie: string;
  owner: { email: string; password: string };
  stop(): Promise<void>;
}

const run = promisify(execFile);

function installFolder(): string {
  return join(sharedCache(), 'real-n8n', REAL_N8N_VERSION);
}

export async function installRealN8n(say: (text: string) => void): Promise<void> {
  const folder = installFolder();
  const marker = join(folder, 'millrace-ready');
  if (existsSync(marker)) return;
  say(`Installing n8n ${REAL_N8N_VERSION} for the tests into ${folder} (about ten minutes, once)`);
  await mkdir(folder, { recursive: true });
  if (!existsSync(join(folder, 'node_modules/n8n/bin/n8n'))) {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { n8n: REAL_N8N_VERSION } }));
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', `--before=${RESOLVED_BEFORE}`];
    await run('npm', ['install', ...options], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  }
  say('Building its database driver');
  const env = {
    ...process.env,
    npm_config_nodedir: dirname(dirname(process.execPath)),
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  };
  await run('npm', ['rebuild', 'sqlite3'], { cwd: folder, maxBuffer: 64 * 1024 * 1024, env });
  await writeFile(marker, '');
}

/** Starts a separate instance for the caller, with an owner and a key. */
export async function startRealN8n(say: (text: string) => void = () => {}): Promise<RealN8n> {
  await installRealN8n(say);
  const template = join(sharedCache(), 'real-n8n', `${REAL_N8N_VERSION}-home`);
  if (!existsSync(join(template, 'key'))) await makeTemplate(template, say);
  const home = await mkdtemp(join(tmpdir(), 'millrace-real-n8n-'));
  await cp(template, home, { recursive: true });
  const server = await launch(home, say);
  const stop = async () => {
    await end(server.process);
    await rm(home, { recursive: true, force: true });
  };
  try {
    return { url: server.url, apiKey: await readFile(join(home, 'key'), 'utf8'), cookie: await signIn(server.url), owner: OWNER, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A home with migrations done, an owner and a key, so that later starts are quick. */
async function makeTemplate(template: string, say: (text: string) => void): Promise<void> {
  const home = `${template}.${process.pid}`;
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  const { process: server, url } = await launch(home, say);
  try {
    const cookie = cookieOf(await post(url, '/rest/owner/setup', OWNER));
    await writeFile(join(home, 'key'), await makeKey(url, cookie));
  } finally {
    await end(server);
  }
  await rename(home, template).catch(() => rm(home, { recursive: true, force: true }));
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  const patience = setTimeout(() => server.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(patience);
}

async function launch(home: string, say: (text: string) => void): Promise<{ process: ChildProcess; url: string }> {
  const [port, brokerPort] = await Promise.all([freePort(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  say(`Starting n8n at ${url}`);
  const server = spawn(process.execPath, [join(installFolder(), 'node_modules/n8n/bin/n8n'), 'start'], {
    cwd: home,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: home,
      N8N_USER_FOLDER: home,
      N8N_PORT: String(port),
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_ENCRYPTION_KEY: KEY,
      N8N_RUNNERS_BROKER_PORT: String(brokerPort),
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
      N8N_PERSONALIZATION_ENABLED: 'false',
      N8N_SECURE_COOKIE: 'false',
      N8N_LOG_LEVEL: 'warn',
      WEBHOOK_URL: `${url}/`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(home, 'n8n.log'));
  server.stdout.pipe(log, { end: false });
  server.stderr.pipe(log, { end: false });
  await answering(url, server, home).catch(async (error: unknown) => {
    await end(server);
    throw error;
  });
  return { process: server, url };
}

async function answering(url: string, server: ChildProcess, home: string): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) break;
    const ready = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
    await ready?.body?.cancel();
    if (ready?.ok) return;
    await sleep(250);
  }
  const log = await readFile(join(home, 'n8n.log'), 'utf8').catch(() => '');
  throw new Error(`n8n did not start: ${log.slice(-2000)}`);
}

async function signIn(url: string): Promise<string> {
  return cookieOf(await post(url, '/rest/login', { emailOrLdapLoginId: OWNER.email, password: OWNER.password }));
}

async function makeKey(url: string, cookie: string): Promise<string> {
  const headers = { Cookie: cookie, 'browser-id': 'tests' };
  const { data: scopes } = (await (await fetch(`${url}/rest/api-keys/scopes`, { headers })).json()) as { data: string[] };
  const response = await post(url, '/rest/api-keys', { label: `tests ${randomUUID()}`, scopes, expiresAt: null }, cookie);
  const { data } = (await response.json()) as { data: { rawApiKey: string } };
  return data.rawApiKey;
}

async function post(url: string, path: string, body: unknown, cookie = ''): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'browser-id': 'tests', ...(cookie && { Cookie: cookie }) };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`n8n answered ${response.status} to ${path}: ${(await response.text()).slice(0, 500)}`);
  return response;
}

function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

if (import.meta.main) {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await installRealN8n(say);
  if (process.argv[2] === 'start') {
    const instance = await startRealN8n(say);
    say(`N8N_API_URL=${instance.url}\nN8N_API_KEY=${instance.apiKey}`);
    process.once('SIGINT', () => void instance.stop().then(() => process.exit(0)));
  }
}

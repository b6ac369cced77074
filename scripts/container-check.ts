// After npm run build: builds the image with buildah and runs it, without a daemon and without pulling anything. Where that
// is impossible it prints the reason and exits with 0.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { modernMeta, modernRequest, StdioProcess } from '../test/harness/process.ts';
import { writeBase } from './release/container-base.ts';
import { hostPlatform } from './release/natives.ts';
import { packRelease } from './release/pack.ts';

const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'millrace-container-'));
const TOKEN = 'a-token-for-the-container-check';
const PORT = 4797;

/** Storage for this check only; nothing of it stays on the machine. */
const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs'];

function buildah(...args: string[]): string {
  return execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function runArguments(container: string, ...command: string[]): string[] {
  return [
    ...storage,
    'run',
    '--isolation',
    'chroot',
    '--env',
    `MILLRACE_TOKEN=${TOKEN}`,
    '--env',
    `MILLRACE_PORT=${PORT}`,
    container,
    '--',
    ...command,
  ];
}

interface ImageConfig {
  User: string;
  Healthcheck?: { Test: string[] };
  ExposedPorts: object;
  Entrypoint: string[];
}

const say = (text: string) => void process.stdout.write(`${text}\n`);

function check(what: string, holds: boolean): void {
  if (!holds) throw new Error(`the container fails: ${what}`);
  say(`ok  ${what}`);
}

/** A base image instead of the official one: this machine's Node, npm and the few programs that the build calls. */
function buildBase(): void {
  const files = join(work, 'base');
  writeBase(files);
  const container = buildah('from', 'scratch');
  buildah('copy', container, files, '/');
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
  execFileSync('buildah', [...storage, 'run', '--isolation', 'chroot', container, '--', 'node', '--version'], { stdio: 'pipe' });
  buildah('commit', container, 'millrace-base');
}

function buildImage(): void {
  const context = join(work, 'context');
  mkdirSync(context);
  for (const file of ['Dockerfile', '.dockerignore']) cpSync(join(root, file), join(context, file));
  packRelease(join(context, 'release'), [hostPlatform()]);
  buildah(
    'bud',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--build-arg',
    'BASE=localhost/millrace-base',
    '--tag',
    'millrace',
    context,
  );
}

async function answers(server: ChildProcess): Promise<boolean> {
  while (server.exitCode === null) {
    const reply = await fetch(`http://127.0.0.1:${PORT}/healthz`).catch(() => undefined);
    if (reply) return reply.ok;
    await sleep(100);
  }
  return false;
}

async function checkHttp(container: string, healthCheck: string[]): Promise<void> {
  const isHealthy = () => spawnSync('buildah', runArguments(container, ...healthCheck)).status === 0;
  check('the health check fails while nothing listens', !isHealthy());
  const server = spawn('buildah', runArguments(container, 'millrace', 'serve'), { stdio: 'ignore' });
  try {
    check('serve answers /healthz', await answers(server));
    check('the health check passes', isHealthy());
    const { body } = await modernRequest(`http://127.0.0.1:${PORT}`, TOKEN, 'tools/list', {}, {});
    check('serve answers tools/list', JSON.stringify(body).includes('create_todo'));
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.once('exit', resolve));
  }
}

async function checkStdio(container: string): Promise<void> {
  const server = new StdioProcess(runArguments(container, 'millrace'), process.env as Record<string, string>, '/', 'buildah');
  const { result } = await server.request('tools/list', { _meta: modernMeta() });
  check('stdio answers tools/list', JSON.stringify(result).includes('create_todo'));
  const todo = await server.callTool('create_todo', { title: 'Ship it' });
  check('it keeps a todo', JSON.stringify(todo.result).includes('Ship it'));
  await server.close();
}

async function checkImage(): Promise<void> {
  const container = buildah('from', 'localhost/millrace');
  const { Docker } = JSON.parse(buildah('inspect', container)) as { Docker: { config: ImageConfig } };
  const { User, Healthcheck, ExposedPorts, Entrypoint } = Docker.config;
  check('the image starts millrace and exposes 4747', Entrypoint[0] === 'millrace' && '4747/tcp' in ExposedPorts);
  const uid = execFileSync('buildah', runArguments(container, 'node', '-p', 'process.getuid()'), { encoding: 'utf8' }).trim();
  check('it runs as an unprivileged user', User === '1000:1000' && uid === '1000');
  const [, ...healthCheck] = Healthcheck?.Test ?? [];
  check('it has a health check', healthCheck.length > 0);
  await checkHttp(container, healthCheck);
  await checkStdio(container);
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string | Buffer; message: string };
  return (String(stderr ?? '').trim() || message).split('\n')[0] ?? '';
}

try {
  let reason: string | undefined;
  try {
    buildBase();
  } catch (error) {
    reason = firstLine(error);
  }
  if (reason === undefined) {
    buildImage();
    await checkImage();
  } else {
    say(`skipped: the container image cannot be built and run here (${reason})`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/**
 * A separate Postgres for the tests: Debian's server on a free loopback port, as an unprivileged user, in a temporary
 * folder. `node scripts/postgres.ts <command…>` runs the command with TEST_DATABASE_URL set and stops the server afterwards.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const INSTALLED = '/usr/lib/postgresql';
const SYSTEM_USER = 'postgres';

export interface TestPostgres {
  url: string;
  stop(): void;
}

/** Undefined when no server is installed here. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const programs = findPrograms();
  if (!programs) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  const data = join(folder, 'data');
  const run = (program: string, ...args: string[]) => {
    const command = [join(programs, program), ...args];
    // The server refuses to run as root. Its output goes to a file: an inherited pipe would never close.
    if (asRoot) execFileSync('su', [SYSTEM_USER, '-s', '/bin/sh', '-c', command.map(quoted).join(' ')], { stdio: 'ignore', cwd: folder });
    else execFileSync(command[0] as string, command.slice(1), { stdio: 'ignore', cwd: folder });
  };
  const port = await freePort();
  const settings = `-h 127.0.0.1 -p ${port} -k ${folder} -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200`;
  const stop = () => {
    try {
      run('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    run('initdb', '-D', data, '-U', SYSTEM_USER, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
    run('pg_ctl', 'start', '-D', data, '-l', join(folder, 'log'), '-o', settings, '-w');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { url: `postgres://${SYSTEM_USER}@127.0.0.1:${port}/postgres`, stop };
}

function findPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  const versions = readdirSync(INSTALLED)
    .filter((version) => existsSync(join(INSTALLED, version, 'bin', 'initdb')))
    .sort((a, b) => Number(b) - Number(a));
  return versions[0] && join(INSTALLED, versions[0], 'bin');
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, SYSTEM_USER], { encoding: 'utf8' }));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

async function main(command: string[]): Promise<number> {
  const postgres = await startPostgres();
  if (!postgres) process.stderr.write('No Postgres is installed here (apt-get install postgresql-15): its tests are skipped.\n');
  const stop = () => postgres?.stop();
  process.once('SIGINT', () => {});
  process.once('SIGTERM', () => {});
  try {
    const env = { ...process.env, ...(postgres && { TEST_DATABASE_URL: postgres.url }) };
    const child = spawn(command[0] as string, command.slice(1), { stdio: 'inherit', env });
    return await new Promise((resolve) => {
      child.on('error', () => resolve(127));
      child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
    });
  } finally {
    stop();
  }
}

if (import.meta.main) {
  const command = process.argv.slice(2);
  if (command.length === 0) {
    process.stderr.write('Usage: node scripts/postgres.ts <command…>\n');
    process.exit(2);
  }
  process.exit(await main(command));
}

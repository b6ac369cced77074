import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, modernRequest, StdioProcess, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';

let folder: ReturnType<typeof temporaryFolder>;
let env: Record<string, string>;
beforeEach(() => {
  folder = temporaryFolder();
  env = cleanEnvironment(folder.path, { MILLRACE_TOOLSETS: 'todo', MILLRACE_PORT: '0' });
});
afterEach(() => folder[Symbol.dispose]());

/** Runs a command that is expected to end by itself. */
function millrace(args: string[], environment = env): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    env: environment,
    encoding: 'utf8',
    input: '',
    timeout: 15_000,
  });
  return { status, stdout, stderr };
}

describe('errors are sentences that explain what to do', () => {
  test('an old Node', () => {
    const script = `Object.defineProperty(process.versions, 'node', { value: '18.20.0' }); require('node:fs').existsSync = () => false; require(${JSON.stringify(LAUNCHER)});`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toBe('Millrace needs Node 22.18 or newer; this is 18.20.0. Install a newer Node and start it again.\n');
  });

  test('no home directory', () => {
    const { status, stderr } = millrace(['serve'], { PATH: env.PATH ?? '', HOME: '/' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('There is no home directory to keep data in\nSet MILLRACE_HOME')]);
  });

  test('a home that is a file or cannot be made', () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, 'x');
    for (const home of [file, join(file, 'below')]) {
      const { status, stderr } = millrace([], { ...env, MILLRACE_HOME: home });
      expect(status, stderr).toBe(1);
      expect(stderr).toMatch(/^millrace: .*file/);
      expect(stderr).not.toContain('    at ');
    }
    expect(readFileSync(file, 'utf8')).toBe('x');
  });

  test('a database that is damaged', () => {
    mkdirSync(env.MILLRACE_HOME as string, { recursive: true });
    const path = join(env.MILLRACE_HOME as string, 'millrace.db');
    writeFileSync(path, 'this is not a database, but a text that is long enough to be taken for one'.repeat(100));
    const { status, stderr } = millrace([]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/damaged or not a database[\s\S]*mv /)]);
    expect(readFileSync(path, 'utf8')).toContain('this is not a database');
  });

  test('a database of a newer version', () => {
    millrace(['user', 'list']);
    const database = new Database(join(env.MILLRACE_HOME as string, 'millrace.db'));
    database.prepare("INSERT INTO schema_migrations (name, applied_at) VALUES ('todo-9999-future', '2030-01-01')").run();
    database.close();
    const { status, stderr } = millrace([]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/newer version of Millrace.*todo-9999-future[\s\S]*Update Millrace/)]);
  });

  test('a port that is taken', async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) =>
      holder.listen(0, '127.0.0.1', () => resolve((holder.address() as { port: number }).port)),
    );
    const { status, stderr } = await ended(['serve', '--port', String(port)]);
    holder.close();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(`Port ${port} is taken by another program\nChoose another port: .*millrace(\\.js)? serve --port ${port + 1}`),
    ]);
  });

  test('a wrong flag, setting or command', () => {
    expect(millrace(['--prot', '1']).stderr).toContain('Did you mean --port?');
    expect(millrace(['servr']).stderr).toMatch(/There is no command "servr"\nDid you mean: .*millrace(\.js)? serve$/m);
    expect(millrace([], { ...env, MILLRACE_PORT: 'x' }).stderr).toContain('MILLRACE_PORT is "x": it must be a number');
  });

  test.skipIf(process.getuid?.() === 0 && !existsSync('/usr/bin/setpriv'))('a folder that may not be written to', () => {
    const home = env.MILLRACE_HOME as string;
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o500);
    chmodSync(folder.path, 0o755);
    const [command, ...args] =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath] : [process.execPath];
    const { status, stderr } = spawnSync(command as string, [...args, LAUNCHER], { env, encoding: 'utf8', input: '' });
    chmodSync(home, 0o700);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^millrace: .*cannot be/)]);
  });
});

function ended(args: string[]): Promise<{ status: number | null; stderr: string }> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { env });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on('exit', (status) => resolve({ status, stderr })));
}

describe('nothing is lost', () => {
  verifies('kernel-shared-home', 'when several servers start at once on a new home', async () => {
    const servers = Array.from({ length: 4 }, () => new StdioProcess([LAUNCHER], env));
    const answers = await Promise.all(servers.map((server, number) => server.callTool('create_todo', { title: `todo ${number}` }, {}, {})));
    for (const answer of answers) expect(answer.result).toMatchObject({ structuredContent: { success: true } });
    const { result } = await (servers[0] as StdioProcess).callTool('read_todos', {}, {}, {});
    expect(result).toMatchObject({ structuredContent: { count: 4 } });
    await Promise.all(servers.map((server) => server.close()));
  });

  test('when the disk is full: the call fails, and the server lives', async () => {
    const token = 'a-token-for-the-test-of-full-disks';
    const server = await new HttpProcess([LAUNCHER, 'serve'], { ...env, MILLRACE_TOKEN: token }).listening();
    const call = async (name: string, parameters: unknown) =>
      (await modernRequest(server.url, token, 'tools/call', { name, arguments: parameters }, {})).body.result as {
        structuredContent: Record<string, unknown>;
      };
    expect((await call('create_todo', { title: 'before' })).structuredContent).toMatchObject({ success: true });
    const database = new Database(join(env.MILLRACE_HOME as string, 'millrace.db'));
    // The file may not grow: SQLite answers SQLITE_FULL, as on a full disk.
    const limit = spawnSync('prlimit', ['--pid', String(server.child.pid), '--fsize=65536:65536'], { encoding: 'utf8' });
    expect(limit.status, limit.stderr).toBe(0);
    const answers = [];
    for (let number = 0; number < 60; number++)
      answers.push((await call('create_todo', { title: `t${number}`, description: 'x'.repeat(5000) })).structuredContent);
    const failed = answers.filter((answer) => answer.success === false);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ error: 'Failed to create todo' });
    spawnSync('prlimit', ['--pid', String(server.child.pid), '--fsize=unlimited']);
    const saved = answers.filter((answer) => answer.success === true).length + 1;
    expect(database.prepare('SELECT count(*) AS count FROM todos').get()).toEqual({ count: saved });
    database.close();
    await server.kill();
  });

  test('when a client vanishes in the middle of a call', async () => {
    const server = new StdioProcess([LAUNCHER], env);
    await server.callTool('create_todo', { title: 'kept' }, {}, {});
    void server.callTool('create_todo', { title: 'maybe' }, {}, {});
    server.child.stdin.destroy();
    server.child.stdout.destroy();
    expect(await server.exited).toBe(0);
    const next = new StdioProcess([LAUNCHER], env);
    expect(JSON.stringify((await next.callTool('read_todos', {}, {}, {})).result)).toContain('kept');
    await next.close();
  });
});

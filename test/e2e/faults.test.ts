import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { LAUNCHER, launcher } from '../harness/package.ts';
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

  test('a port beside others that are taken: one that is free is suggested', async () => {
    const listening = (port: number) => {
      const holder = createServer();
      onTestFinished(() => void holder.close());
      return new Promise<number>((resolve) => {
        // Somebody else may hold the second: that serves as well.
        holder.once('error', () => resolve(port));
        holder.listen(port, '127.0.0.1', () => resolve((holder.address() as { port: number }).port));
      });
    };
    const port = await listening(0);
    await listening(port + 1);
    const { stderr } = await ended(['serve', '--port', String(port)]);
    const [, suggested] = /serve --port (\d+)/.exec(stderr) ?? [];
    expect([0, port, port + 1]).not.toContain(Number(suggested));
  });

  test('a port on which Millrace itself runs already', async () => {
    const running = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
    const { status, stderr } = await ended(['serve', '--port', new URL(running.url).port]);
    await running.stop();
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`Millrace already runs at ${running.url}\nUse the one that runs, or choose another port`),
    ]);
  });

  test('a home that is a file is called that by init and serve', () => {
    const home = join(folder.path, 'file');
    writeFileSync(home, 'x');
    for (const command of [['init', '--yes'], ['serve']]) {
      const { status, stderr } = millrace(command, { ...env, MILLRACE_HOME: home });
      expect([status, stderr]).toEqual([1, `millrace: ${home} is not a folder\nSet MILLRACE_HOME to a folder of yours\n`]);
    }
    const { stderr } = millrace(['serve'], { ...env, MILLRACE_HOME: join(home, 'below') });
    expect(stderr).toMatch(/^millrace: The folder .* cannot be made\nCheck that its parent folder/);
  });

  test.skipIf(process.platform === 'win32')('a working directory that was deleted', () => {
    const gone = join(folder.path, 'gone');
    mkdirSync(gone);
    const { stderr } = spawnSync('sh', ['-c', 'rmdir "$PWD" && exec "$0" "$1" doctor', process.execPath, LAUNCHER], {
      cwd: gone,
      env,
      encoding: 'utf8',
    });
    expect(stderr).toContain('The folder that this was started in no longer exists\nChange to a folder that exists');
    expect(stderr).not.toContain('    at ');
  });

  test('names that no tool has', () => {
    const all = { ...env, MILLRACE_TOOLSETS: 'flowmind,n8n,flowise,flowrag,todo' };
    const { status, stderr } = millrace([], { ...all, MILLRACE_TOOLS: 'create_tood' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/No tool is named "create_tood" .*MILLRACE_TOOLS.*\nNearest: create_todo/)]);
    expect(millrace(['--exclude-tools', 'nothing_of_this_name'], all).stderr).toContain('No tool is named "nothing_of_this_name"');
    expect(millrace(['doctor'], { ...all, MILLRACE_TOOLS: 'create_tood' }).stdout).toMatch(/NO +tools +No tool is named "create_tood"/);
  });

  test('an address of n8n that is none breaks the n8n instance, and nothing else', () => {
    const { stdout } = millrace(['doctor'], { ...env, MILLRACE_TOOLSETS: 'n8n,todo', N8N_API_URL: 'localhost:5678', N8N_API_KEY: 'key' });
    expect(stdout).toMatch(/ok +tools +\d+ tools of n8n, todo/);
    expect(stdout).toMatch(/NO +n8n instance +N8N_API_URL is not an address/);
  });

  test('a missing key of the language model is not blamed on the storage', () => {
    const { stdout } = millrace(['doctor'], { ...env, MILLRACE_TOOLSETS: 'flowmind,todo', MILLRACE_MODEL_PROVIDER: 'openai' });
    expect(stdout).toMatch(/NO +configuration \(flowmind\) .*OPENAI_API_KEY/);
    expect(stdout).not.toMatch(/NO +storage/);
  });

  test('one toolset that cannot be made does not take the doctor down, whatever the others are doing', () => {
    for (const [name, value, words] of [
      ['MILLRACE_TIME_ZONE', 'Mars/Base', 'Not a time zone'],
      ['FLOWISE_MODEL_INPUTS', '{bad', 'it must be a JSON object'],
    ] as const) {
      const { stdout, stderr } = millrace(['doctor'], { ...env, MILLRACE_TOOLSETS: 'flowmind,flowise,todo', [name]: value });
      expect(stdout, stderr).toMatch(new RegExp(`NO +configuration \\(\\w+\\) ${name} is "${value.replace('{', '\\{')}": ${words}`));
      expect(stdout).toMatch(/\d things? (is|are) broken/);
      expect(stderr).toBe('');
    }
  });

  test('a server that does not start: the doctor reports it beside what is wrong', () => {
    const { stdout } = millrace(['doctor'], { ...env, MILLRACE_TOOLSETS: 'n8n,todo', MILLRACE_N8N_PROCESSES: '0' });
    expect(stdout).toMatch(/NO +configuration \(n8n\) MILLRACE_N8N_PROCESSES/);
    expect(stdout).toMatch(/NO +tools +none: the server does not start/);
  });

  test('connecting and disconnecting at once, or nobody', () => {
    expect(millrace(['connect', 'cursor', '--write', '--remove'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot be used together'),
    });
    for (const flag of ['--write', '--remove'])
      expect(millrace(['connect', flag])).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/needs the name of an assistant\nUse one of: claude, /),
      });
  });

  test('a data directory that does not exist is not made by reading', () => {
    const data = join(folder.path, 'nope');
    const { status, stderr } = millrace(['flowrag', 'stats', '--data', data]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`There is no index in ${data}`)]);
    expect(existsSync(data)).toBe(false);
    const docs = join(folder.path, 'no-docs');
    const { stderr: warned } = spawnSync(process.execPath, [launcher('flowrag-mcp'), '--docs', docs], {
      env: { ...env, MILLRACE_LOG_LEVEL: 'warn' },
      cwd: folder.path,
      encoding: 'utf8',
      input: '',
    });
    expect(warned).toContain('the documents folder does not exist');
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

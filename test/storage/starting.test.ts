import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '@millrace/kernel';
import { openSqlite, openStorage, type SqliteStore } from '@millrace/storage';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../requirements.ts';
import { onEachDatabase } from './databases.ts';

const clock = { now: () => new Date() };

/** Opens the storage in a process of its own and prints what the script says. */
async function inProcess(place: { home: string; databaseUrl?: string }, script: string): Promise<string> {
  const source = `
    import { openStorage } from '@millrace/storage';
    const storage = await openStorage({ ...${JSON.stringify(place)}, clock: { now: () => new Date() }, migrations: [] });
    ${script}
    await storage.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', source], {
    cwd: import.meta.dirname,
  });
  return stdout.trim();
}

onEachDatabase('starting', (database) => {
  test('succeeds for several processes at once on a new place', async () => {
    const script = `console.log((await storage.users.list()).length, (await storage.keys.get('a')).toString('hex'));`;
    const printed = await Promise.all(Array.from({ length: 4 }, () => inProcess(database().place, script)));
    expect(new Set(printed).size).toBe(1);
    expect(printed[0]).toMatch(/^1 [0-9a-f]{64}$/);
  });

  test('survives connections that the server cuts', async () => {
    const { store, users, audit } = await database().open();
    if (database().dialect === 'postgres') {
      const pids = sql<{ pid: number }>`SELECT pg_terminate_backend(pg_backend_pid()) AS pid`;
      await expect(pids.execute(store.db)).rejects.toMatchObject({ code: 'storage' });
    }
    expect(await users.list()).toHaveLength(1);
    expect((await audit.read()).rows).toEqual([]);
  });

  test('can be repeated, and closing twice does no harm', async () => {
    const storage = await database().open();
    await storage.close();
    await storage.close();
    expect(await (await database().open()).users.list()).toHaveLength(1);
  });
});

describe('starting on SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const open = (home: string) => openStorage({ home, clock, migrations: [] });
  const failureOf = async (home: string): Promise<Failure> => {
    const error = await open(home).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  };

  test('makes folders and files that only their owner can read', async () => {
    const home = join(folder, 'deep', 'home');
    const storage = await open(home);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect([mode(join(folder, 'deep')), mode(home)]).toEqual(['700', '700']);
    for (const file of ['millrace.db', 'millrace.db-wal', 'audit.db', 'audit.db-wal']) expect(mode(join(home, file))).toBe('600');
    await storage.close();
  });

  test('keeps domain data with synchronous FULL and the audit log in a file of its own', async () => {
    const storage = await open(folder);
    const { connection } = storage.store as SqliteStore<unknown>;
    expect(connection.pragma('synchronous', { simple: true })).toBe(2);
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(connection.prepare("SELECT name FROM sqlite_master WHERE name = 'tool_invocations'").all()).toEqual([]);
    await storage.close();
  });

  test.each(['millrace.db', 'audit.db'])('says that %s is damaged, and touches nothing', async (file) => {
    const rubbish = 'this is not a database at all '.repeat(100);
    writeFileSync(join(folder, file), rubbish);
    const failure = await failureOf(folder);
    expect(failure).toMatchObject({ code: 'storage', message: `${join(folder, file)} is damaged or not a database` });
    expect(failure.fix?.instruction).toContain('mv ');
    expect(readFileSync(join(folder, file), 'utf8')).toBe(rubbish);
  });

  test('says that the folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await failureOf(join(folder, 'file', 'home'))).toMatchObject({
      code: 'storage',
      message: `The folder ${join(folder, 'file', 'home')} cannot be made`,
    });
  });

  test('says that the file cannot be written', async () => {
    mkdirSync(join(folder, 'millrace.db'));
    expect(await failureOf(folder)).toMatchObject({
      code: 'storage',
      message: `${join(folder, 'millrace.db')} cannot be opened for writing`,
    });
  });

  test('says that the disk is full, loses nothing and continues when there is room', async () => {
    const storage = await open(folder);
    const { connection } = storage.store as SqliteStore<unknown>;
    const pages = connection.pragma('page_count', { simple: true }) as number;
    connection.pragma(`max_page_count = ${pages}`);
    const fill = async () => {
      for (let index = 0; index < 2000; index += 1) await storage.users.add({ name: `user ${index} ${'x'.repeat(80)}` });
    };
    const full = await fill().catch((reason: unknown) => reason);
    expect(full).toMatchObject({ code: 'storage', message: `The disk that holds ${join(folder, 'millrace.db')} is full` });
    connection.pragma('max_page_count = 1000000');
    const before = (await storage.users.list()).length;
    await storage.users.add({ name: 'after' });
    expect(await storage.users.list()).toHaveLength(before + 1);
    await storage.close();
  });

  verifies(
    'kernel-audit-cost',
    'writes an audit row with one insert, done when it is answered, and those of one turn together',
    async () => {
      const storage = await open(folder);
      const at = new Date();
      const call = {
        userId: 'owner',
        messageId: null,
        parentId: null,
        tool: 't',
        parameters: {},
        result: {},
        status: 'success',
        errorCode: null,
        durationMs: 1,
        at,
      } as const;
      const reader = openSqlite({ path: join(folder, 'audit.db'), synchronous: 'NORMAL', readOnly: true });
      const version = () => reader.pragma('data_version', { simple: true }) as number;
      for (const id of ['a', 'b', 'c']) {
        const before = version();
        await storage.audit.record({ id, ...call });
        expect(version()).toBe(before + 1);
      }
      const before = version();
      await Promise.all(['d', 'e'].map((id) => storage.audit.record({ id, ...call })));
      expect(version()).toBe(before + 1);
      expect(reader.prepare('SELECT id FROM tool_invocations').pluck().all()).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(
        reader.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'tool_invocations'").pluck().get(),
      ).toBe(1);
      reader.close();
      await storage.close();
    },
  );

  test('loads neither the Postgres driver nor the limiters', async () => {
    const script = `
      import { createRequire } from 'node:module';
      const paths = Object.keys(createRequire(import.meta.url).cache);
      console.log(['better-sqlite3', 'pg', 'pg-pool', 'rate-limiter-flexible'].filter((name) => paths.some((path) => path.includes('/' + name + '/'))));`;
    expect(await inProcess({ home: folder }, script)).toBe("[ 'better-sqlite3' ]");
  });
});

describe('starting on Postgres', () => {
  test('says that the server cannot be reached, without the password', async () => {
    const error = await openStorage({ home: '/nowhere', databaseUrl: 'postgres://ada:hush@127.0.0.1:1/x', clock, migrations: [] }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'storage',
      message: 'The database server cannot be reached',
      fix: { instruction: 'Check that it runs, and the host and port in DATABASE_URL' },
    });
    expect(JSON.stringify(error)).not.toContain('hush');
  });

  test('says that the address is not one', async () => {
    const error = await openStorage({ home: '/nowhere', databaseUrl: 'not an address', clock, migrations: [] }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'storage',
      fix: { instruction: 'Set DATABASE_URL to postgres://user:password@host:port/database' },
    });
  });
});

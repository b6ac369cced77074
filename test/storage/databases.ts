import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, type Migration, openStorage, type Storage, type StorageOptions } from '@millrace/storage';
import pg from 'pg';
import { afterEach, beforeEach, describe, test } from 'vitest';

const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL;
const SKIPPED = 'skipped: TEST_DATABASE_URL names no Postgres (node scripts/postgres.ts <command> starts one)';

/** A clock that stands still until a test moves it. */
class TestClock {
  time = Date.parse('2026-01-04T10:30:00.000Z');
  now(): Date {
    return new Date(this.time);
  }
  advance(ms: number): void {
    this.time += ms;
  }
}

/** A new, empty database for one test; several storages can be opened on it, as several processes would. */
export interface TestDatabase {
  dialect: Dialect;
  clock: TestClock;
  /** What openStorage needs to reach it. */
  place: { home: string; databaseUrl?: string };
  open(options?: Partial<StorageOptions> & { migrations?: readonly Migration[] }): Promise<Storage>;
}

interface Place {
  home: string;
  databaseUrl?: string;
  remove(): Promise<void>;
}

/** The same suite on SQLite and on a real Postgres. */
export function onEachDatabase(title: string, suite: (database: () => TestDatabase) => void): void {
  describe(`${title} on SQLite`, () => suite(freshDatabase('sqlite', makeHome)));
  if (TEST_DATABASE_URL === undefined) {
    process.stdout.write(`${title} on Postgres: ${SKIPPED}\n`);
    describe(`${title} on Postgres`, () => test.skip(SKIPPED, () => {}));
    return;
  }
  const url = TEST_DATABASE_URL;
  describe(`${title} on Postgres`, () => suite(freshDatabase('postgres', () => makeSchema(url))));
}

function freshDatabase(dialect: Dialect, make: () => Promise<Place>): () => TestDatabase {
  let current: TestDatabase | undefined;
  let place: Place;
  let opened: Storage[];
  beforeEach(async () => {
    place = await make();
    opened = [];
    const clock = new TestClock();
    const { remove: _remove, ...where } = place;
    current = {
      dialect,
      clock,
      place: where,
      async open(options = {}) {
        const storage = await openStorage({ ...where, clock, migrations: [], ...options });
        opened.push(storage);
        return storage;
      },
    };
  });
  afterEach(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
    await place.remove();
  });
  return () => {
    if (!current) throw new Error('the database is made before each test');
    return current;
  };
}

async function makeHome(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  return { home: join(folder, 'home'), remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** A schema of its own: runs at the same time don't meet. */
async function makeSchema(url: string): Promise<Place> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE SCHEMA ${schema}`);
  const scoped = new URL(url);
  scoped.searchParams.set('options', `-c search_path=${schema}`);
  return { home: '/nowhere', databaseUrl: scoped.href, remove: () => query(url, `DROP SCHEMA ${schema} CASCADE`) };
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, test } from 'vitest';

const TEST_DATABASE_URL = process.env.TEST_DATABASE_URL;
const SKIPPED = 'skipped: TEST_DATABASE_URL names no Postgres (node scripts/postgres.ts <command> starts one)';

/** Where one test keeps its data: a new folder, or a new schema of a Postgres. */
export type Place = { dialect: 'sqlite'; folder: string } | { dialect: 'postgres'; databaseUrl: string };

/** A clock that stands still until a test moves it. */
export class TestClock {
  time = Date.parse('2026-01-04T10:30:00.000Z');
  now(): Date {
    return new Date(this.time);
  }
  advance(ms: number): void {
    this.time += ms;
  }
}

/** The same suite on SQLite and on a real Postgres, in a new place for each test. */
export function onEachPlace(title: string, suite: (place: () => Place) => void): void {
  describe(`${title} on SQLite`, () => suite(freshPlace(makeFolder)));
  if (TEST_DATABASE_URL === undefined) {
    process.stdout.write(`${title} on Postgres: ${SKIPPED}\n`);
    describe(`${title} on Postgres`, () => test.skip(SKIPPED, () => {}));
    return;
  }
  const url = TEST_DATABASE_URL;
  describe(`${title} on Postgres`, () => suite(freshPlace(() => makeSchema(url))));
}

type Made = Place & { remove(): Promise<void> };

function freshPlace(make: () => Promise<Made>): () => Place {
  let current: Made | undefined;
  beforeEach(async () => {
    current = await make();
  });
  afterEach(() => current?.remove());
  return () => {
    if (!current) throw new Error('the place is made before each test');
    return current;
  };
}

async function makeFolder(): Promise<Made> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  return { dialect: 'sqlite', folder, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

/** A schema of its own: runs at the same time don't meet. */
async function makeSchema(url: string): Promise<Made> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await query(url, `CREATE SCHEMA ${schema}`);
  const scoped = new URL(url);
  scoped.searchParams.set('options', `-c search_path=${schema}`);
  return { dialect: 'postgres', databaseUrl: scoped.href, remove: () => query(url, `DROP SCHEMA ${schema} CASCADE`) };
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dumpCollection } from '../testing/dump.ts';
import { type TestFlowrag, testFlowrag, wordEmbedder } from '../testing/flowrag.ts';
import { readCollectionId, writeCollectionId } from './metadata.ts';

const url = process.env.TEST_DATABASE_URL;
const reason = url ? await withoutVectors(url) : 'TEST_DATABASE_URL is not set';
if (reason) process.stderr.write(`FlowRAG on Postgres is not tested: ${reason}\n`);

async function withoutVectors(database: string): Promise<string | undefined> {
  const pool = new pg.Pool({ connectionString: database });
  try {
    await pool.query('CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await pool.end();
  }
}

const DOCUMENTS: Record<string, string> = {
  'platform.md':
    '# Platform\n\n[DATABASE] Ledger: every booking\nCheckout --[PRODUCES]--> Kafka: orders\nAnalytics --[CONSUMES]--> Kafka\nKafka aka event bus\n',
  'deep/orders.md': "# Orders\n\nOrders are taken by the Checkout. It's Kafka's turn then.\n",
  'other.txt': 'Apollo Eleven\n\nLanded on the moon.\n',
};

async function dropCollection({ folder }: TestFlowrag): Promise<void> {
  const id = await readCollectionId(join(folder, 'data'));
  const pool = new pg.Pool({ connectionString: url });
  await pool.query(`DROP SCHEMA IF EXISTS flowrag_${id} CASCADE`);
  await pool.end();
}

describe.skipIf(reason)('a collection on Postgres', () => {
  let flowrag: TestFlowrag;

  beforeAll(async () => {
    flowrag = await testFlowrag({ databaseUrl: url as string });
    for (const [path, text] of Object.entries(DOCUMENTS)) flowrag.write(path, text);
    const reply = await flowrag.call('flowrag_index');
    expect(reply.isError, reply.text).toBe(false);
  });
  afterAll(async () => {
    await dropCollection(flowrag);
    await flowrag.close();
  });

  test('a user who may create neither extension nor schema learns what is needed', async () => {
    const role = `reader_${process.pid}`;
    const pool = new pg.Pool({ connectionString: url });
    await pool.query(`CREATE ROLE ${role} LOGIN`);
    try {
      const address = new URL(url as string);
      address.username = role;
      const refused = await testFlowrag({ databaseUrl: address.href });
      const reply = await refused.call('flowrag_stats');
      expect(reply.isError).toBe(true);
      expect(reply.text).toContain('it needs pgvector and the right to create a schema');
      await refused.close();
    } finally {
      await pool.query(`DROP ROLE ${role}`);
      await pool.end();
    }
  });

  test('answers as the one on SQLite does', async () => {
    const lite = await testFlowrag();
    for (const [path, text] of Object.entries(DOCUMENTS)) lite.write(path, text);
    await lite.call('flowrag_index');
    for (const [tool, parameters] of [
      ['flowrag_stats', {}],
      ['flowrag_entities', { query: 'a' }],
      ['flowrag_entities', { type: 'database' }],
      ['flowrag_relations', { entity: 'event bus' }],
      ['flowrag_trace', { entity: 'Checkout', direction: 'downstream' }],
      ['flowrag_path', { from: 'Checkout', to: 'Analytics' }],
    ] as const) {
      expect((await flowrag.call(tool, parameters)).text).toBe((await lite.call(tool, parameters)).text);
    }
    for (const mode of ['hybrid', 'local', 'global', 'naive']) {
      const reply = await flowrag.call('flowrag_search', { query: 'Who takes orders?', mode, limit: 1 });
      expect(reply.isError, reply.text).toBe(false);
      expect((reply.structured as { results: { path: string }[] }).results[0]?.path).toMatch(/orders|platform/);
    }
    for (const query of ["' OR 1=1; --", '!!! & | <-> :*', '🙂'])
      expect((await flowrag.call('flowrag_search', { query })).isError).toBe(false);
    const expected = await dumpCollection(await lite.services.collection());
    const found = await dumpCollection(await flowrag.services.collection());
    expect(JSON.parse(JSON.stringify(found).replace(/"vectors":\[\[.*?\]\],/, ''))).toEqual(
      JSON.parse(JSON.stringify(expected).replace(/"vectors":\[\[.*?\]\],/, '')),
    );
    await lite.close();
  });

  test('ranks words as the one on SQLite does: the same chunks, the same scores', async () => {
    const texts: Record<string, string> = {
      'a.md': '# Café orders\n\n## Running\n\nRelational ponies ran happily; the naïve runner order-taking in 1995, v2.10 and abc123.\n',
      'b.md': "# The Müller's flies\n\nGenerously generated generations: don't organise organisations at 3e5 or 42%.\n",
      'c.txt': 'Runner\n\nrunning runs ran runner, orders ordered ordering an order; user@example.com or https://example.com/a_b?c=d.\n',
      'd.md': '# Пример\n\nСлово и ещё слово, straße, 東京, the the the the and of.\n',
    };
    const [lite, big] = [await testFlowrag(), await testFlowrag({ databaseUrl: url as string })];
    try {
      for (const one of [lite, big]) {
        for (const [path, text] of Object.entries(texts)) one.write(path, text);
        await one.call('flowrag_index');
      }
      const ranked = async (one: TestFlowrag, words: string[]) => {
        const collection = await one.services.collection();
        const hits = await collection.search.lexical(words, 10);
        const chunks = new Map((await collection.chunks(hits.map((hit) => hit.chunkId))).map((chunk) => [chunk.id, chunk.path]));
        return hits.map(({ chunkId, score }) => `${chunks.get(chunkId)} ${score.toFixed(5)}`);
      };
      for (const query of [
        'running orders order',
        'cafe NAIVE 1995',
        'generation organisation',
        'слово the',
        'example com abc123',
        'strasse 42',
        'nothing',
      ])
        expect(await ranked(big, query.split(' ')), query).toEqual(await ranked(lite, query.split(' ')));
    } finally {
      await dropCollection(big);
      await Promise.all([lite.close(), big.close()]);
    }
  });

  test('follows edits and deletions, and its name is in the metadata', async () => {
    flowrag.write('platform.md', '# Platform\n\nCheckout --[USES]--> Ledger\n');
    flowrag.remove('other.txt');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({
      documents: 2,
      changed: ['platform.md'],
      removed: ['other.txt'],
    });
    expect((await flowrag.call('flowrag_relations', { entity: 'Checkout' })).text).toBe('Checkout --[USES]--> Ledger (platform.md:L3)');
    const meta = JSON.parse(readFileSync(join(flowrag.folder, 'data/flowrag.meta.json'), 'utf8'));
    expect(meta.collection).toMatch(/^[0-9a-f]{12}$/);
    const again = await testFlowrag({ folder: flowrag.folder, databaseUrl: url as string });
    expect((await again.call('flowrag_stats')).text).toContain('Documents: 2');
    expect((await again.catalog.catalog.contexts()).map((context) => context.uri)).toContain('tool://flowrag/docs');
    await again.close();
  });

  test('a collection of a newer program is left alone', async () => {
    const { db } = (await flowrag.services.collection()).store;
    await sql`INSERT INTO schema_migrations (name, applied_at) VALUES ('flowrag-9999-later', '')`.execute(db);
    const older = await testFlowrag({ folder: flowrag.folder, databaseUrl: url as string });
    expect((await older.call('flowrag_stats')).text).toContain('newer version');
    await older.close();
    await sql`DELETE FROM schema_migrations WHERE name = 'flowrag-9999-later'`.execute(db);
  });

  test('takes vectors of another length after force', async () => {
    const other = await testFlowrag({
      folder: flowrag.folder,
      databaseUrl: url as string,
      config: { embedder: { provider: 'openai', model: 'other', dimensions: 32, baseUrl: 'http://127.0.0.1:9/v1' } },
      embedder: wordEmbedder({ provider: 'openai', model: 'other', dimensions: 32, fingerprint: async () => 'other' }),
    });
    expect((await other.call('flowrag_index', { force: true })).isError).toBe(false);
    expect((await other.call('flowrag_search', { query: 'orders', mode: 'naive' })).isError).toBe(false);
    const { search } = await other.services.collection();
    await search.prepare(32);
    await search.prepare(3000);
    await other.close();
  });
});

describe('the name of a collection', () => {
  test('is kept beside the data, and a server that cannot be reached is a clear failure', async () => {
    const flowrag = await testFlowrag({ databaseUrl: 'postgres://nobody@127.0.0.1:9/none' });
    const reply = await flowrag.call('flowrag_stats');
    expect(reply.isError).toBe(true);
    expect(reply.text).toContain('The database server cannot be reached');
    await writeCollectionId(join(flowrag.folder, 'data'), 'abcdef123456');
    expect(await readCollectionId(join(flowrag.folder, 'data'))).toBe('abcdef123456');
    await flowrag.close();
  });
});

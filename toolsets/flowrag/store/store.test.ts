import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dumpCollection, metaOf } from '../testing/dump.ts';
import { testFlowrag } from '../testing/flowrag.ts';
import type { Collection } from './collection.ts';
import type { Contribution } from './contribution.ts';
import { openSqliteCollection } from './open.ts';
import { SignatureIndex, signatureOf } from './signatures.ts';
import { CollectionWriter } from './writer.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowrag-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const now = () => new Date('2026-01-01T00:00:00Z');

function unit(values: readonly number[]): Float32Array {
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(values, (value) => value / norm);
}

/** A document of one chunk a vector. */
export function contribution(path: string, vectors: readonly Float32Array[], text = 'text'): Contribution {
  return {
    ...{ path, hash: path, title: path, format: 'markdown', fields: {}, bytes: 1, modifiedMs: 1, stamp: '' },
    chunks: vectors.map((vector, ordinal) => ({
      ...{ ordinal, text: `${text} ${ordinal}`, startLine: 1, endLine: 1, headings: [], tokens: 1 },
      ...{ embedHash: `${path}${ordinal}`, vector, names: [{ name: path, role: 'title' as const }] },
    })),
    entities: [],
    aliases: [],
    relations: [],
  };
}

async function opened(): Promise<[Collection, CollectionWriter]> {
  const collection = await openSqliteCollection(join(folder, 'data/flowrag.db'), now());
  return [collection, new CollectionWriter(collection, now)];
}

describe('signatures', () => {
  test('the candidates hold the nearest vectors, whatever the number of dimensions', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(),
        (dimensions, count, limit, seed) => {
          let state = seed + 1;
          const random = () => {
            state = (state * 1_664_525 + 1_013_904_223) >>> 0;
            return state / 2 ** 32 - 0.5;
          };
          const index = new SignatureIndex(dimensions);
          const vectors = Array.from({ length: count }, () => unit(Array.from({ length: dimensions }, random)));
          for (const [id, vector] of vectors.entries()) index.add(id + 1, signatureOf(vector));
          const query = unit(Array.from({ length: dimensions }, random));
          const found = index.candidates(query, limit);
          expect(found).toHaveLength(Math.min(limit, count));
          const estimate = (vector: Float32Array) => vector.reduce((sum, value, at) => sum + (value > 0 ? (query[at] as number) : 0), 0);
          const kept = new Set(found);
          const worst = Math.min(...found.map((id) => estimate(vectors[id - 1] as Float32Array)));
          for (const [id, vector] of vectors.entries()) if (!kept.has(id + 1)) expect(estimate(vector)).toBeLessThanOrEqual(worst + 1e-4);
          expect(index.last).toBe(count);
        },
      ),
    );
    expect(new SignatureIndex(8).last).toBe(0);
  });

  test('a large collection finds the nearest chunks too, also after changes', async () => {
    const [collection, writer] = await opened();
    let state = 5;
    const random = () => {
      state = (state * 1_664_525 + 1_013_904_223) >>> 0;
      return state / 2 ** 32 - 0.5;
    };
    const vectors = Array.from({ length: 4200 }, () => unit(Array.from({ length: 16 }, random)));
    for (let start = 0; start < 4200; start += 600) await writer.replace(contribution(`${start}.md`, vectors.slice(start, start + 600)));
    const query = vectors[1234] as Float32Array;
    expect((await collection.search.nearest(query, 3))[0]).toEqual({ chunkId: 1235, score: expect.closeTo(1, 5) });
    await writer.remove(['1200.md']);
    const after = await collection.search.nearest(query, 5);
    expect(after).toHaveLength(5);
    expect(after.map(({ chunkId }) => chunkId).filter((id) => id > 1200 && id <= 1800)).toEqual([]);
    await writer.replace(contribution('new.md', [query]));
    expect((await collection.search.nearest(query, 1))[0]?.score).toBeCloseTo(1, 5);
    expect((await collection.search.lexical(['text', 'text'], 3)).length).toBe(3);
    await collection.close();
  });
});

describe('a collection on SQLite', () => {
  test('answers for ids that exist, in the order asked for', async () => {
    const [collection, writer] = await opened();
    await writer.replace(contribution('a.md', [unit([1, 0]), unit([0, 1])]));
    await writer.replace(contribution('b.md', [unit([1, 1])]));
    expect((await collection.chunks([3, 99, 1])).map((chunk) => [chunk.id, chunk.path])).toEqual([
      [3, 'b.md'],
      [1, 'a.md'],
    ]);
    expect((await collection.chunks([1, 2])).map((chunk) => [chunk.documentId, chunk.ordinal])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(await collection.namesOfChunks([1])).toEqual([{ chunkId: 1, name: 'a.md', role: 'title', documents: 1 }]);
    expect(await collection.chunksWithNames(['a.md'], { roles: ['title'], mostDocuments: 1 })).toHaveLength(2);
    expect(await collection.chunksWithNames(['a.md'], { mostDocuments: 0 })).toEqual([]);
    expect(await collection.chunksWithNames(['a.md'], { roles: ['mention'] })).toEqual([]);
    expect(await collection.search.lexical([], 5)).toEqual([]);
    expect(await collection.search.lexical(['"', '*'], 5)).toEqual([]);
    expect(await metaOf(collection, 'generation')).toBe('2');
    await collection.close();
  });

  test('vectors of another length are not compared', async () => {
    const [collection, writer] = await opened();
    await writer.replace(contribution('a.md', [unit([1, 0, 0])]));
    await writer.replace(contribution('b.md', [unit([1, 0])]));
    expect((await collection.search.nearest(unit([1, 0]), 5)).map(({ chunkId }) => chunkId)).toEqual([2]);
    await collection.close();
  });

  test('a damaged file, a folder in its place, and a database of a newer program are clear failures', async () => {
    mkdirSync(join(folder, 'data'), { recursive: true });
    writeFileSync(join(folder, 'data/flowrag.db'), 'this is not a database, but it is long enough to look like one'.repeat(20));
    await expect(opened()).rejects.toThrow('is damaged or not a database');
    rmSync(join(folder, 'data/flowrag.db'));
    const [collection] = await opened();
    await collection.store.db
      .insertInto('schema_migrations' as never)
      .values({ name: 'flowrag-9999-later', applied_at: '' } as never)
      .execute();
    await collection.close();
    await expect(opened()).rejects.toThrow('newer version');
    const blocked = join(folder, 'data/flowrag.db/below/flowrag.db');
    await expect(openSqliteCollection(blocked, now())).rejects.toThrow(/^The data directory .* cannot be made$/);
  });

  test('a failed write changes nothing', async () => {
    const [collection, writer] = await opened();
    await writer.replace(contribution('a.md', [unit([1, 0])]));
    const bad = contribution('a.md', [unit([0, 1])]);
    const twice = { ordinal: 0, key: 'k', name: 'K', type: 'T', description: '', fields: {} };
    await expect(writer.replace({ ...bad, entities: [twice, twice] })).rejects.toThrow();
    expect((await collection.search.nearest(unit([1, 0]), 1))[0]?.score).toBeCloseTo(1, 5);
    expect(await metaOf(collection, 'generation')).toBe('1');
    await collection.close();
  });
});

describe('names that mean one thing', () => {
  test('an alias joins entities of several documents, an ambiguous one none', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'Apache Kafka aka Kafka\nCheckout --[PRODUCES]--> Apache Kafka\n');
    flowrag.write('b.md', 'Analytics --[CONSUMES]--> Kafka\n');
    flowrag.write('c.md', 'Orders API aka API\n');
    await flowrag.call('flowrag_index');
    const trace = () => flowrag.call('flowrag_trace', { entity: 'Checkout', direction: 'downstream' });
    expect((await trace()).text.split('\n')[0]).toBe('Checkout → Apache Kafka → Analytics');
    expect((await flowrag.call('flowrag_entities', { query: 'api' })).text).toBe('[SERVICE] Orders API (also API)');
    flowrag.write('d.md', 'Billing API aka API\n');
    await flowrag.call('flowrag_index');
    const { entities } = (await flowrag.call('flowrag_entities', { query: 'api' })).structured as {
      entities: { name: string; aliases: string[] }[];
    };
    expect(entities.map(({ name, aliases }) => [name, aliases])).toEqual([
      ['Billing API', []],
      ['Orders API', []],
    ]);
    flowrag.remove('a.md');
    await flowrag.call('flowrag_index');
    expect((await flowrag.call('flowrag_entities', { query: 'kafka' })).text).toBe('[SERVICE] Kafka');
    await flowrag.close();
  });

  test('aliases of the configuration come, change and go', async () => {
    const flowrag = await testFlowrag({ config: { schema: { aliases: { Kafka: ['event bus', 'kafka'], Shop: ['Checkout'] } } } });
    flowrag.write('a.md', 'Checkout --[PRODUCES]--> event bus\n');
    await flowrag.call('flowrag_index');
    expect((await flowrag.call('flowrag_relations', { entity: 'Checkout' })).text).toBe('Shop --[PRODUCES]--> Kafka (a.md:L1)');
    await flowrag.catalog.catalog.close();
    const changed = await testFlowrag({ folder: flowrag.folder, config: { schema: { aliases: { Broker: ['event bus'] } } } });
    await changed.call('flowrag_index');
    expect((await changed.call('flowrag_relations', { entity: 'Checkout' })).text).toBe('Checkout --[PRODUCES]--> Broker (a.md:L1)');
    await changed.close();
    await flowrag.close();
  });

  test('names that point at each other are still one entity', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'Alpha aka Beta\nBeta aka Alpha\n');
    await flowrag.call('flowrag_index');
    expect((await flowrag.call('flowrag_stats')).text).toContain('Entities: 1');
    await flowrag.close();
  });

  test('what shares chunks is counted, and the graph can be read as a whole', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'Checkout --[PRODUCES]--> Kafka\n[TEAM] Payments: money\n');
    await flowrag.call('flowrag_index');
    const store = await flowrag.services.collection();
    const { entities, relations } = await dumpCollection(store);
    expect(entities).toMatchObject([{ id: 'checkout' }, { id: 'kafka' }, { id: 'payments' }]);
    expect(relations).toMatchObject([{ source_id: 'checkout', target_id: 'kafka', type: 'PRODUCES', confidence: 0.9, inferred: 0 }]);
    expect(await store.entitiesByKey(['kafka', 'nobody'])).toEqual([{ key: 'kafka', entityId: 'kafka' }]);
    expect(await store.chunksOfEntities(['kafka'])).toEqual([{ entityId: 'kafka', chunkId: 1 }]);
    expect((await store.entitiesById(['payments', 'nobody', 'kafka'])).map(({ id }) => id)).toEqual(['payments', 'kafka']);
    await flowrag.close();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@millrace/storage';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { metaOf } from '../testing/dump.ts';
import type { Collection } from './collection.ts';
import { openSqliteCollection } from './open.ts';

let folder: string;
let collection: Collection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flowrag-sliced-'));
  collection = await openSqliteCollection(join(folder, 'flowrag.db'), new Date(0));
});
afterEach(async () => {
  await collection.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Works for longer than a slice lasts. */
function toil(): void {
  for (const end = performance.now() + 10; performance.now() < end; );
}

function write(keys: readonly string[], each: (key: string) => void = () => {}, signal?: AbortSignal): Promise<void> {
  return collection.transactions.run(function* (db) {
    for (const key of keys) {
      toil();
      each(key);
      yield* run(db.insertInto('meta').values({ key, value: 'x' }));
    }
  }, signal);
}

describe('a transaction in slices', () => {
  test('is not visible before its end, and reading continues meanwhile', async () => {
    const seen: Promise<string | undefined>[] = [];
    await write(['a', 'b', 'c'], () => seen.push(metaOf(collection, 'a')));
    expect(await Promise.all(seen)).toEqual([undefined, undefined, undefined]);
    expect([await metaOf(collection, 'a'), await metaOf(collection, 'c')]).toEqual(['x', 'x']);
  });

  test('leaves nothing behind when it is stopped or fails, and the next one is not held up', async () => {
    const stop = new AbortController();
    const stopped = write(['a', 'b', 'c'], (key) => key === 'b' && stop.abort(new Error('enough')), stop.signal);
    const failing = write(['d', 'd']);
    const next = write(['e']);
    await expect(stopped).rejects.toThrow('enough');
    await expect(failing).rejects.toThrow('already exists');
    await next;
    await expect(write(['f'], undefined, stop.signal)).rejects.toThrow('enough');
    expect(await Promise.all(['a', 'd', 'e', 'f'].map((key) => metaOf(collection, key)))).toEqual([undefined, undefined, 'x', undefined]);
  });

  test('those of one process come one after the other, and closing waits for them', async () => {
    const order: string[] = [];
    const both = [write(['a', 'b'], (key) => order.push(key)), write(['c'], (key) => order.push(key))];
    await collection.close();
    await Promise.all(both);
    expect(order).toEqual(['a', 'b', 'c']);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { processName } from '@millrace/storage';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CollectionWriter } from '../store/writer.ts';
import { dumpCollection } from '../testing/dump.ts';
import { testFlowrag } from '../testing/flowrag.ts';

const SCRIPT = join(import.meta.dirname, '../testing/index-process.ts');

function start(
  folder: string,
  delayMs: number,
  most?: number,
): { child: ChildProcess; output: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [SCRIPT, folder, String(delayMs), ...(most === undefined ? [] : [String(most)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece;
  });
  return { child, output: () => text, ended: new Promise((resolve) => child.on('exit', (code) => resolve(code))) };
}

async function withDocuments(count: number) {
  const flowrag = await testFlowrag();
  for (let index = 0; index < count; index++)
    flowrag.write(`${index}.md`, `# Note ${index}\n\nService ${index} --[USES]--> Kafka: orders ${index}\n`);
  return flowrag;
}

describe('indexing by several processes', () => {
  test('a run that was killed is continued by the next one, once another machine has let go', async () => {
    const flowrag = await withDocuments(12);
    const killed = start(flowrag.folder, 100, 7);
    await expect.poll(() => killed.output().split('embedded').length, { timeout: 15_000 }).toBeGreaterThan(5);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const half = await (await flowrag.services.collection()).counts();
    expect(half.documents).toBeGreaterThan(0);
    expect(half.documents).toBeLessThan(12);
    // A holder on another machine is waited for until its lease ends.
    const { db } = (await flowrag.services.collection()).store;
    await db
      .updateTable('leases')
      .set({ holder: 'elsewhere 1 x', expires_at: Date.now() + 400 })
      .execute();
    const reply = await flowrag.call('flowrag_index');
    expect(reply.structured).toMatchObject({ documents: 12, unchanged: half.documents });
    const fresh = await withDocuments(12);
    await fresh.call('flowrag_index');
    expect(await dumpCollection(await flowrag.services.collection())).toEqual(await dumpCollection(await fresh.services.collection()));
    await fresh.close();
    await flowrag.close();
  }, 40_000);

  test('the lease of a dead process of this machine holds nobody up', async () => {
    const flowrag = await withDocuments(1);
    const { db } = (await flowrag.services.collection()).store;
    const expires_at = Date.now() + 600_000;
    const holder = processName.replace(` ${process.pid} `, ' 99999999 ');
    await db.insertInto('leases').values({ name: 'index', holder, expires_at }).execute();
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ documents: 1 });
    await flowrag.close();
  });

  test('a long run keeps its lease', async () => {
    const flowrag = await withDocuments(1);
    const collection = await flowrag.services.collection();
    const expiry = async () => (await collection.store.db.selectFrom('leases').select('expires_at').executeTakeFirst())?.expires_at ?? 0;
    const writer = new CollectionWriter(collection, () => new Date());
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await writer.alone({}, async () => {
      const first = await expiry();
      vi.advanceTimersByTime(10_000);
      await expect.poll(expiry).toBeGreaterThan(first);
    });
    expect(await expiry()).toBe(0);
    await flowrag.close();
  });

  test('two at once do not collide: one waits, and finds everything done', async () => {
    const flowrag = await withDocuments(8);
    const both = [start(flowrag.folder, 30), start(flowrag.folder, 30)];
    expect(await Promise.all(both.map((one) => one.ended))).toEqual([0, 0]);
    const replies = both.map((one) => JSON.parse(one.output().trim().split('\n').at(-1) ?? '') as { documents: number; added: string[] });
    expect(replies.map((reply) => reply.documents)).toEqual([8, 8]);
    expect(replies.flatMap((reply) => reply.added)).toHaveLength(8);
    expect(both.map((one) => one.output().split('embedded').length - 1).sort()).toEqual([0, 8]);
    await flowrag.close();
  }, 40_000);

  test('a second call in one process waits too and can be cancelled, and the first one continues', async () => {
    const flowrag = await withDocuments(4);
    const { embed } = flowrag.embedder;
    const gate = Promise.withResolvers<void>();
    flowrag.embedder.embed = async (texts, options) => {
      await gate.promise;
      return embed(texts, options);
    };
    const messages: string[] = [];
    const first = flowrag.call('flowrag_index');
    await expect
      .poll(async () => (await (await flowrag.services.collection()).store.db.selectFrom('leases').selectAll().execute()).length)
      .toBe(1);
    const stop = new AbortController();
    const second = flowrag.catalog.call('flowrag_index', { force: true }, undefined, {
      signal: stop.signal,
      progress: (_done, _total, message) => messages.push(message ?? ''),
    });
    await expect.poll(() => messages).toContain('Waiting for another indexing run to finish');
    stop.abort();
    expect((await second).text).toContain('cancelled');
    gate.resolve();
    expect((await first).structured).toMatchObject({ documents: 4 });
    await flowrag.close();
  });
});

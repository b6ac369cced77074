import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type TestFlowrag, type TestFlowragOptions, testFlowrag } from './testing/flowrag.ts';

async function flowrag(options: TestFlowragOptions = {}) {
  const made = await testFlowrag(options);
  onTestFinished(() => made.close());
  return made;
}

const checksOf = async ({ catalog }: TestFlowrag) => (await catalog.catalog.toolsets[0]?.checks?.()) ?? [];

test('documents that are not indexed yet are optional, and fine once they are', async () => {
  const made = await flowrag();
  made.write('a.md', '[SERVICE] Checkout: shop\n');
  expect(await checksOf(made)).toMatchObject([
    { name: 'FlowRAG documents', state: 'ok' },
    { name: 'FlowRAG index', state: 'optional', fix: { command: 'flowrag index' } },
  ]);
  await made.call('flowrag_index', {});
  expect((await checksOf(made))[1]).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^1 document in \S+$/) });
});

test('an index without entities is fine for searching only', async () => {
  const made = await flowrag();
  made.write('a.md', 'Hello\n');
  await made.call('flowrag_index');
  const detail = expect.stringContaining('0 entities: search works, but the graph tools have nothing to show');
  expect((await checksOf(made))[1]).toMatchObject({ state: 'ok', detail, fix: { instruction: expect.stringContaining('extractor') } });
  Object.assign(made.services.configuration, { extractor: { provider: 'gemini' } });
  expect((await checksOf(made))[1]).toEqual({ name: 'FlowRAG index', state: 'ok', detail });
});

test('an index whose last run was broken off or killed is not called complete', async () => {
  const made = await flowrag();
  made.write('a.md', '[SERVICE] Checkout: shop\n');
  await made.call('flowrag_index');
  const { embed } = made.embedder;
  made.embedder.embed = async () => Promise.reject(new Error('gone'));
  made.write('b.md', 'more\n');
  await made.call('flowrag_index');
  const unfinished = {
    state: 'optional',
    detail: expect.stringContaining('the last run has not finished'),
    fix: { command: 'flowrag index' },
  };
  expect((await checksOf(made))[1]).toMatchObject(unfinished);
  made.embedder.embed = embed;
  await made.call('flowrag_index');
  expect((await checksOf(made))[1]).toMatchObject({ state: 'ok' });
  // A first run that is killed leaves documents and no metadata.
  rmSync(join(made.folder, 'data/flowrag.meta.json'));
  expect((await checksOf(made))[1]).toMatchObject(unfinished);
});

test('no folder is optional, one that is gone is broken', async () => {
  const gone = await flowrag({ config: { docs: './gone' } });
  expect((await checksOf(gone))[0]).toMatchObject({ state: 'broken', fix: { command: 'init' } });
  Object.assign(gone.services.configuration, { docs: undefined });
  expect((await checksOf(gone))[0]).toMatchObject({ state: 'optional', fix: { command: 'init' } });
});

test('an index of another embedder, and one that cannot be opened, are broken', async () => {
  const made = await flowrag();
  made.write('a.md', '# A\n\nHello\n');
  await made.call('flowrag_index', {});
  Object.assign(made.services.configuration, { embedder: { provider: 'gemini' } });
  expect((await checksOf(made))[1]).toMatchObject({ state: 'broken', fix: { command: 'flowrag index --force' } });
  const unreachable = await flowrag({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
  expect((await checksOf(unreachable))[1]).toMatchObject({
    state: 'broken',
    fix: { instruction: expect.stringContaining('DATABASE_URL') },
  });
});

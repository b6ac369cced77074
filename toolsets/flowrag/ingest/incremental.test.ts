import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { dumpCollection } from '../testing/dump.ts';
import { lineExtractor, type TestFlowrag, testFlowrag, wordEmbedder } from '../testing/flowrag.ts';

const PATHS = ['a.md', 'b.md', 'c.txt', 'deep/d.md', 'deep/er/e.md'];
const LINES = [
  'Checkout --[PRODUCES]--> Kafka: orders',
  'Analytics --[CONSUMES]--> Kafka',
  'KAFKA --[USES]--> Ledger: bookings',
  'Ledger --[PRODUCES?]--> Dashboard',
  '[DATABASE] Ledger: the ledger of everything',
  '[TEAM] Payments: money',
  'Kafka aka event bus',
  'Checkout aka shop',
  'Ledger aka event bus',
  'Ledger aka Main Ledger',
  '[SERVICE] event bus: carries events',
  'A note about orders and Apollo Eleven.',
  '## Part',
  '',
];

const content = fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 8 }).map((lines) => `# Note\n\n${lines.join('\n')}\n`);
const path = fc.constantFrom(...PATHS);
const change = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), path, to: path }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'index' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), after: fc.integer({ min: 0, max: 3 }) }) },
);

/** Applies one change; files live in a map too, so that what can be removed and renamed is known. */
async function apply(
  flowrag: TestFlowrag,
  files: Set<string>,
  step: typeof change extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<void> {
  if (step.kind === 'write') {
    flowrag.write(step.path, step.content);
    files.add(step.path);
  } else if (step.kind === 'remove') {
    flowrag.remove(step.path);
    files.delete(step.path);
  } else if (step.kind === 'rename' && files.has(step.path) && step.to !== step.path) {
    flowrag.rename(step.path, step.to);
    files.delete(step.path);
    files.add(step.to);
  } else if (step.kind === 'index') {
    const reply = await flowrag.call('flowrag_index', { force: files.size === 0 });
    expect(reply.isError, reply.text).toBe(false);
  } else if (step.kind === 'crash') await crashingRun(flowrag, step.after);
}

/** A run that dies after some embeddings, as a failing model or a cancelled call would make it. */
async function crashingRun(flowrag: TestFlowrag, after: number): Promise<void> {
  let left = after;
  const { embed } = flowrag.embedder;
  flowrag.embedder.embed = async (texts, options) => {
    if (left-- <= 0) throw new Error('crash');
    return embed(texts, options);
  };
  await flowrag.call('flowrag_index');
  flowrag.embedder.embed = embed;
}

const MERGES = { schema: { aliases: { Dashboard: ['Payments'] } } };

describe('an index that follows its documents', () => {
  verifies(
    'flowrag-index-equals-rebuild',
    'equals a fresh one after any edits, deletions, renames and crashes',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 14 }), fc.boolean(), async (steps, merges) => {
          const flowrag = await testFlowrag(merges ? { config: MERGES } : {});
          const files = new Set<string>();
          try {
            for (const step of steps) await apply(flowrag, files, step);
            const reply = await flowrag.call('flowrag_index', { force: files.size === 0 });
            expect(reply.isError, reply.text).toBe(false);
            const incremental = await dumpCollection(await flowrag.services.collection());
            await flowrag.catalog.catalog.close();
            rmSync(join(flowrag.folder, 'data'), { recursive: true, force: true });
            const fresh = await testFlowrag({ folder: flowrag.folder, ...(merges && { config: MERGES }) });
            await fresh.call('flowrag_index');
            expect(incremental).toEqual(await dumpCollection(await fresh.services.collection()));
            await fresh.close();
          } finally {
            await flowrag.close();
          }
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  verifies('flowrag-index-skips-unchanged', 'skips unchanged files, and processes all of them with force', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', '# A\n\nabout orders\n');
    flowrag.write('b.md', '# B\n\nabout bookings\n');
    await flowrag.call('flowrag_index');
    const { embedder } = flowrag;
    expect(embedder.embedded).toHaveLength(2);
    flowrag.write('b.md', '# B\n\nabout bookings and money\n');
    const second = await flowrag.call('flowrag_index', {});
    expect(second.structured).toMatchObject({ unchanged: 1, changed: ['b.md'], added: [], removed: [] });
    expect(embedder.embedded).toHaveLength(3);
    const forced = await flowrag.call('flowrag_index', { force: true });
    expect(forced.structured).toMatchObject({ unchanged: 0, changed: ['a.md', 'b.md'] });
    await flowrag.close();
  });

  test('a touched file with the same content is not processed again, a same-sized edit is', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', '# A\n\nabout orders\n');
    await flowrag.call('flowrag_index');
    flowrag.write('a.md', '# A\n\nabout orders\n');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ unchanged: 1, changed: [] });
    flowrag.write('a.md', '# A\n\nabout errors\n');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ unchanged: 0, changed: ['a.md'] });
    await flowrag.close();
  });

  test('a file that was not touched for a while is not even read', async () => {
    const flowrag = await testFlowrag({ clock: { now: () => new Date(Date.now() + 60_000) } });
    flowrag.write('a.md', '# A\n\nabout orders\n');
    await flowrag.call('flowrag_index');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ unchanged: 1, changed: [] });
    flowrag.write('a.md', '# A\n\nabout errors\n');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ unchanged: 0, changed: ['a.md'] });
    await flowrag.close();
  });

  test('an edit embeds only the chunks that changed, a rename none', async () => {
    const flowrag = await testFlowrag();
    const section = (name: string) => `## ${name}\n\n${`${name} words `.repeat(35)}\n\n`;
    flowrag.write('a.md', `# Title\n\n${section('one')}${section('two')}${section('three')}`);
    await flowrag.call('flowrag_index');
    const { embedded } = flowrag.embedder;
    const before = embedded.length;
    flowrag.write('a.md', `# Title\n\n${section('one')}${section('zwei')}${section('three')}`);
    await flowrag.call('flowrag_index');
    expect(embedded.length).toBe(before + 1);
    flowrag.rename('a.md', 'renamed.md');
    const reply = await flowrag.call('flowrag_index');
    expect(reply.structured).toMatchObject({ added: ['renamed.md'], removed: ['a.md'] });
    expect(embedded.length).toBe(before + 1);
    await flowrag.close();
  });

  verifies('flowrag-index-stale-skipped', 'counts unchanged files as stale after a schema change, and renews them by force', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', '[SERVICE] Checkout: shop\n\n[PLANET] Mars: red\n');
    await flowrag.call('flowrag_index');
    await flowrag.catalog.catalog.close();
    const changed = await testFlowrag({ folder: flowrag.folder, config: { schema: { entityTypes: ['SERVICE', 'PLANET'] } } });
    const reply = await changed.call('flowrag_index');
    expect(reply.structured).toMatchObject({ unchanged: 1, stale: 1, entities: 1 });
    expect(reply.text).toContain('1 unchanged document is stale');
    expect((await changed.call('flowrag_index', { dryRun: true })).text).toContain('1 unchanged document is stale');
    const renewed = await changed.call('flowrag_index', { force: true });
    expect(renewed.structured).toMatchObject({ unchanged: 0, stale: 0, entities: 2 });
    await changed.close();
    await flowrag.close();
  });

  test('a dry run says what would change and changes nothing', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'one');
    flowrag.write('b.md', 'two');
    await flowrag.call('flowrag_index');
    flowrag.write('b.md', 'three');
    flowrag.remove('a.md');
    for (let index = 0; index < 40; index++) flowrag.write(`new/${index}.md`, 'new');
    const reply = await flowrag.call('flowrag_index', { dryRun: true });
    expect(reply.text).toContain('Dry run: 40 would be added, 1 processed again, 1 removed, 0 are unchanged.');
    expect(reply.text).toContain('… and 12 more');
    expect((await flowrag.call('flowrag_stats')).text).toContain('Documents: 2');
    await flowrag.close();
  });

  test('an index is not emptied by a folder in which nothing can be read', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'one');
    await flowrag.call('flowrag_index');
    flowrag.remove('a.md');
    flowrag.write('broken.pdf', '%PDF-1.4 garbage');
    const refused = await flowrag.call('flowrag_index');
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('so the only document would be removed');
    expect((await flowrag.call('flowrag_stats')).text).toContain('Documents: 1');
    await flowrag.close();
  });

  test('an index whose docs folder has become empty is kept, and only force empties it', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('a.md', 'one');
    flowrag.write('b.md', 'two');
    await flowrag.call('flowrag_index');
    const metadata = () => readFileSync(join(flowrag.folder, 'data/flowrag.meta.json'), 'utf8');
    const before = metadata();
    flowrag.remove('a.md');
    flowrag.remove('b.md');
    flowrag.write('image.png', 'not a document');
    const refused = await flowrag.call('flowrag_index');
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(
      'has no documents that can be indexed, so all 2 documents would be removed from the index. Nothing was changed.',
    );
    expect(refused.text).toContain('call flowrag_index with force: true');
    expect(metadata()).toBe(before);
    const dry = await flowrag.call('flowrag_index', { dryRun: true });
    expect(dry.isError).toBe(false);
    expect(dry.text).toContain(
      '2 removed, 0 are unchanged.\nThe docs folder has no documents that can be indexed. Only `force: true` empties',
    );
    expect((await flowrag.call('flowrag_stats')).text).toContain('Documents: 2');
    flowrag.write('c.md', 'three');
    expect((await flowrag.call('flowrag_index')).structured).toMatchObject({ added: ['c.md'], removed: ['a.md', 'b.md'] });
    flowrag.remove('c.md');
    expect((await flowrag.call('flowrag_index')).text).toContain('so the only document would be removed');
    expect((await flowrag.call('flowrag_index', { force: true })).structured).toMatchObject({ documents: 0, removed: ['c.md'] });
    await flowrag.close();
  });

  test('a damaged file is reported as skipped and logged only at debug level', async () => {
    const flowrag = await testFlowrag();
    flowrag.write('broken.pdf', '%PDF-1.4 garbage');
    const reply = await flowrag.call('flowrag_index');
    expect(reply.text).toContain('Skipped 1 file:\n- broken.pdf: it is not a readable PDF');
    expect(flowrag.logged.map(({ level }) => level)).toEqual(['debug']);
    flowrag.write('another.pdf', '%PDF-1.4 garbage');
    expect((await flowrag.call('flowrag_index')).text).toContain('Skipped 2 files:');
    await flowrag.close();
  });

  test('documents without entities are reported as such', async () => {
    const flowrag = await testFlowrag();
    const none = 'No entities were found: search works, but the graph tools have nothing to show.';
    expect((await flowrag.call('flowrag_index')).text).not.toContain(none);
    flowrag.write('a.md', 'Nothing but words.');
    expect((await flowrag.call('flowrag_index')).text).toContain(none);
    flowrag.write('b.md', '[SERVICE] Checkout: shop');
    expect((await flowrag.call('flowrag_index')).text).not.toContain(none);
    await flowrag.close();
  });

  test('a cancelled run stops at once and leaves a valid index that the next run completes', async () => {
    const slow = wordEmbedder();
    const stop = new AbortController();
    slow.embed = (texts, { signal }) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        if (slow.embedded.length < 3) resolve(wordEmbedder().embed(texts, { kind: 'passage' }));
        slow.embedded.push(...texts);
      });
    const flowrag = await testFlowrag({ embedder: slow });
    for (let index = 0; index < 8; index++) flowrag.write(`${index}.md`, `# N ${index}\n\nnote ${index}\n`);
    const running = flowrag.catalog.call('flowrag_index', {}, undefined, { signal: stop.signal });
    await expect.poll(async () => (await (await flowrag.services.collection()).counts()).documents).toBe(3);
    const cancelledAt = performance.now();
    stop.abort();
    // The embedder would never answer: that the call ends at all is the doing of the cancellation.
    expect((await running).text).toContain('cancelled');
    expect(performance.now() - cancelledAt).toBeLessThan(1000);
    await flowrag.catalog.catalog.close();
    const again = await testFlowrag({ folder: flowrag.folder });
    expect((await again.call('flowrag_index')).structured).toMatchObject({ documents: 8, unchanged: 3 });
    await again.close();
    await flowrag.close();
  });

  test('a failing extractor or embedder fails the run, and what was done is kept', async () => {
    let calls = 0;
    const { extract } = lineExtractor();
    const failing = lineExtractor({
      async extract(...parameters) {
        if (++calls > 2) throw new Error('gone');
        return extract(...parameters);
      },
    });
    const flowrag = await testFlowrag({ extractor: failing });
    for (let index = 0; index < 6; index++) flowrag.write(`${index}.md`, `# N ${index}\n\nnote ${index}\n`);
    const reply = await flowrag.call('flowrag_index');
    expect(reply.isError).toBe(true);
    expect(reply.text).toBe(`Internal error\nIf it happens again, look for ${reply.failure?.details['id']} in the log of the server.`);
    expect((await flowrag.call('flowrag_stats')).text).toContain('Documents: 2');
    await flowrag.close();
  });

  test('extractions of a model are kept, and asked for again when content, schema or version change', async () => {
    let asked = 0;
    const paid = (version: string) =>
      lineExtractor({
        version,
        async extract(...parameters) {
          asked++;
          return { ...(await lineExtractor().extract(...parameters)), tokens: { input: 1, output: 1 } };
        },
      });
    const flowrag = await testFlowrag({ extractor: paid('1') });
    flowrag.write('a.md', '[SERVICE] Checkout: shop\n');
    await flowrag.call('flowrag_index');
    await flowrag.call('flowrag_index', { force: true });
    expect(asked).toBe(1);
    expect((await flowrag.call('flowrag_entities')).text).toBe('[SERVICE] Checkout: shop');
    await flowrag.catalog.catalog.close();
    const newer = await testFlowrag({ folder: flowrag.folder, extractor: paid('2') });
    await newer.call('flowrag_index', { force: true });
    expect(asked).toBe(2);
    newer.write('a.md', '[SERVICE] Checkout: the shop\n');
    await newer.call('flowrag_index');
    expect(asked).toBe(3);
    await newer.close();
    await flowrag.close();
  });

  test('a data folder inside the docs folder is not indexed', async () => {
    const flowrag = await testFlowrag({ config: { docs: '.', data: './data' } });
    flowrag.write('a.md', 'one');
    mkdirSync(join(flowrag.folder, 'data'), { recursive: true });
    const reply = await flowrag.call('flowrag_index');
    expect((reply.structured as { added: string[] }).added).toEqual(['docs/a.md', 'flowrag.config.json']);
    await flowrag.close();
  });
});

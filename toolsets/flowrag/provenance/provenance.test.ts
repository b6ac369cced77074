import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import { configHash, readMetadata } from '../store/metadata.ts';
import { lineExtractor, type TestFlowrag, testFlowrag, wordEmbedder } from '../testing/flowrag.ts';

const metaOf = (flowrag: TestFlowrag) => JSON.parse(readFileSync(join(flowrag.folder, 'data/flowrag.meta.json'), 'utf8'));

async function indexed(options: Parameters<typeof testFlowrag>[0] = {}): Promise<TestFlowrag> {
  const flowrag = await testFlowrag(options);
  flowrag.write('a.md', '# Orders\n\nCheckout --[PRODUCES]--> Kafka: orders\n');
  const reply = await flowrag.call('flowrag_index');
  expect(reply.isError, reply.text).toBe(false);
  return flowrag;
}

/** The same folder, opened again with something changed. */
async function reopened(flowrag: TestFlowrag, options: Parameters<typeof testFlowrag>[0]): Promise<TestFlowrag> {
  await flowrag.catalog.catalog.close();
  return testFlowrag({ folder: flowrag.folder, ...options });
}

const OTHER = { embedder: { provider: 'openai', model: 'other', dimensions: 32, baseUrl: 'http://127.0.0.1:9/v1' } };
const otherEmbedder = () => wordEmbedder({ provider: 'openai', model: 'other', dimensions: 32, fingerprint: async () => 'other' });
const CHANGED = 'Embedder changed. Re-index required (`force: true`).';

describe('the metadata file', () => {
  verifies('flowrag-meta-file', 'is written after each run', async () => {
    const flowrag = await indexed();
    const meta = metaOf(flowrag);
    expect(meta).toEqual({
      configHash: expect.stringMatching(/^[0-9a-f]{8}$/),
      embedder: { provider: 'local', model: 'words', dimensions: 64, weights: 'words-64' },
      extractor: { provider: 'rules', model: 'rules' },
      schema: {
        entityTypes: ['SERVICE', 'DATABASE', 'PROTOCOL', 'TEAM', 'CONCEPT'],
        relationTypes: ['USES', 'PRODUCES', 'CONSUMES', 'OWNS', 'DEPENDS_ON'],
      },
      lastIndexedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      documentCount: 1,
    });
    expect(meta.configHash).toBe(configHash(meta));
    flowrag.write('b.md', 'more');
    await flowrag.call('flowrag_index');
    expect(metaOf(flowrag).documentCount).toBe(2);
    await flowrag.close();
  });

  verifies('flowrag-keys-from-environment', 'no key is written to the data directory', async () => {
    const flowrag = await indexed({ environment: { GEMINI_API_KEY: 'sk-very-secret' } });
    expect(readFileSync(join(flowrag.folder, 'data/flowrag.meta.json'), 'utf8')).not.toContain('very-secret');
    await flowrag.close();
  });

  verifies(
    ['flowrag-change-embedder', 'flowrag-change-graph-tools-warn', 'flowrag-change-force-mends'],
    'a changed embedder blocks the search until force',
    async () => {
      const before = await indexed();
      const flowrag = await reopened(before, { config: OTHER, embedder: otherEmbedder() });
      await expect.poll(() => flowrag.logged.map(({ level, message }) => `${level} ${message}`)).toContain(`warn ${CHANGED}`);
      const search = await flowrag.call('flowrag_search', { query: 'orders' });
      expect(search.isError).toBe(true);
      expect(search.text.split('\n')[0]).toBe(CHANGED);
      for (const [tool, parameters] of [
        ['flowrag_entities', {}],
        ['flowrag_relations', { entity: 'Kafka' }],
        ['flowrag_trace', { entity: 'Checkout', direction: 'downstream' }],
        ['flowrag_path', { from: 'Checkout', to: 'Kafka' }],
        ['flowrag_stats', {}],
      ] as const) {
        const reply = await flowrag.call(tool, parameters);
        expect(reply.isError).toBe(false);
        expect(reply.text.split('\n')[0]).toBe(CHANGED);
        expect(reply.structured).toMatchObject({ warnings: [CHANGED] });
      }
      expect((await flowrag.call('flowrag_index')).text.split('\n')[0]).toBe(CHANGED);
      expect((await flowrag.call('flowrag_index', { force: true })).isError).toBe(false);
      const repaired = await flowrag.call('flowrag_search', { query: 'orders' });
      expect(repaired.isError, repaired.text).toBe(false);
      expect(metaOf(flowrag).embedder).toMatchObject({ provider: 'openai', model: 'other', dimensions: 32 });
      await flowrag.close();
      await before.close();
    },
  );

  test('other weights under the same name are another embedder', async () => {
    const before = await indexed();
    const flowrag = await reopened(before, { embedder: wordEmbedder({ fingerprint: async () => 'retrained' }) });
    expect((await flowrag.call('flowrag_search', { query: 'orders' })).text.split('\n')[0]).toBe(CHANGED);
    await flowrag.call('flowrag_index', { force: true });
    expect((await flowrag.call('flowrag_search', { query: 'orders' })).isError).toBe(false);
    await flowrag.close();
    await before.close();
  });

  verifies('flowrag-change-minor', 'changed types and a changed extractor only warn', async () => {
    const before = await indexed();
    const flowrag = await reopened(before, {
      config: { schema: { entityTypes: ['SERVICE'] }, extractor: { provider: 'gemini' } },
      environment: { GEMINI_API_KEY: 'k' },
      extractor: lineExtractor({ provider: 'gemini', model: 'gemini-3-flash-preview' }),
    });
    await expect
      .poll(() => flowrag.logged.map(({ message }) => message))
      .toEqual(['Schema changed. New types will apply to next indexing.', 'Extractor changed. New extractions may differ.']);
    const reply = await flowrag.call('flowrag_search', { query: 'orders' });
    expect(reply.isError).toBe(false);
    expect(reply.text).not.toContain('changed');
    await flowrag.close();
    await before.close();
  });

  verifies('flowrag-change-data-path', 'a new data directory is a fresh start without a warning', async () => {
    const before = await indexed();
    const flowrag = await reopened(before, { config: { ...OTHER, data: './elsewhere' }, embedder: otherEmbedder() });
    expect((await flowrag.call('flowrag_stats')).text).toBe('Documents: 0, Chunks: 0, Entities: 0, Relations: 0, Vectors: 0');
    expect(flowrag.logged).toEqual([]);
    expect((await flowrag.call('flowrag_index')).isError).toBe(false);
    expect(existsSync(join(flowrag.folder, 'elsewhere/flowrag.db'))).toBe(true);
    await flowrag.close();
    await before.close();
  });

  test('a damaged file is reported', async () => {
    const before = await indexed();
    const path = join(before.folder, 'data/flowrag.meta.json');
    writeFileSync(path, '{');
    const flowrag = await reopened(before, {});
    await expect.poll(() => flowrag.logged.map(({ message }) => message)).toEqual(['the metadata of the index could not be read']);
    expect((await flowrag.call('flowrag_stats')).text).toContain('cannot be read as the metadata of an index');
    renameSync(path, `${path}.old`);
    mkdirSync(path);
    await expect(readMetadata(join(before.folder, 'data'))).rejects.toThrow('cannot be read');
    await flowrag.close();
    await before.close();
  });
});

describe('the collection as a context', () => {
  test('is there once it has documents', async () => {
    const flowrag = await testFlowrag();
    const published = async () => (await flowrag.catalog.catalog.contexts()).filter((context) => context.uri === 'tool://flowrag/docs');
    expect(await published()).toEqual([]);
    flowrag.write('a.md', '# Orders\n\nCheckout --[PRODUCES]--> Kafka: orders\n');
    await flowrag.call('flowrag_index');
    const [context] = await published();
    expect(context).toMatchObject({
      type: 'tool',
      name: 'Documents: docs',
      description: 'A collection of 1 document to answer questions from, about Checkout, Kafka.',
      variables: { required: ['query'] },
      action: { tool: 'flowrag_search', parameters: {} },
    });
    await flowrag.close();
  });

  test('has a name of letters and digits, whatever the folder is called', async () => {
    const flowrag = await testFlowrag({ config: { docs: './docs/Übersicht & mehr' } });
    flowrag.write('Übersicht & mehr/a.md', 'text');
    await flowrag.call('flowrag_index');
    const uris = (await flowrag.catalog.catalog.contexts()).map((context) => context.uri);
    expect(uris.filter((uri) => !uri.includes('flowrag-'))).toEqual(['tool://flowrag/ubersicht-mehr']);
    await flowrag.catalog.catalog.close();
    const gone = await testFlowrag({ folder: flowrag.folder, config: { docs: './docs/???' } });
    expect((await gone.catalog.catalog.contexts()).map((context) => context.uri)).toContain('tool://flowrag/collection');
    renameSync(join(flowrag.folder, 'data/flowrag.db'), join(flowrag.folder, 'data/moved.db'));
    await gone.catalog.catalog.close();
    const lost = await testFlowrag({ folder: flowrag.folder });
    expect(
      (await lost.catalog.catalog.contexts()).filter(
        (context) => context.action.parameters.query === undefined && context.name.startsWith('Documents'),
      ),
    ).toEqual([]);
    await lost.catalog.catalog.close();
    writeFileSync(join(flowrag.folder, 'data/flowrag.db'), 'not a database at all, but long enough to be taken for one'.repeat(20));
    const damaged = await testFlowrag({ folder: flowrag.folder });
    expect((await damaged.catalog.catalog.contexts()).filter((context) => context.name.startsWith('Documents'))).toEqual([]);
    await damaged.close();
    await flowrag.close();
  });
});

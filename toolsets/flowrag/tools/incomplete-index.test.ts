import { expect, test } from 'vitest';
import { type TestFlowrag, testFlowrag } from '../testing/flowrag.ts';

const ASKED = [
  ['flowrag_search', { query: 'orders' }],
  ['flowrag_entities', {}],
  ['flowrag_relations', { entity: 'Kafka' }],
  ['flowrag_trace', { entity: 'Checkout', direction: 'downstream' }],
  ['flowrag_path', { from: 'Checkout', to: 'Kafka' }],
  ['flowrag_stats', {}],
] as const;

async function expectWarning(flowrag: TestFlowrag, warnings: string[]): Promise<void> {
  for (const [tool, parameters] of ASKED) {
    const reply = await flowrag.call(tool, parameters);
    expect(reply.structured, tool).toMatchObject({ warnings });
    for (const warning of warnings) expect(reply.text.split('\n')[0], tool).toBe(warning);
  }
}

const running = (held: string) =>
  `The index is incomplete: indexing is still running, and ${held} in it so far. Run flowrag_index to wait for it, then ask again.`;

test('every answer from an index that is being made or was interrupted says that it is incomplete', async () => {
  const flowrag = await testFlowrag();
  flowrag.write('a.md', '# Orders\n\nCheckout --[PRODUCES]--> Kafka: orders\n');
  flowrag.write('b.md', 'held back\n');
  const { embed } = flowrag.embedder;
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  flowrag.embedder.embed = async (texts, options) => {
    if (options.kind === 'passage') await (texts.some((text) => text.includes('held back')) ? second : first).promise;
    return embed(texts, options);
  };
  const run = flowrag.call('flowrag_index');
  const collection = await flowrag.services.collection();
  await expect.poll(() => collection.isBeingIndexed({ now: () => new Date() })).toBe(true);
  for (const [tool, parameters] of [ASKED[0], ASKED[1]])
    expect((await flowrag.call(tool, parameters)).structured).toMatchObject({ warnings: [running('0 documents are')] });
  first.resolve();
  await expect.poll(async () => (await collection.counts()).documents).toBe(1);
  await expectWarning(flowrag, [running('1 document is')]);
  expect((await flowrag.call('flowrag_relations', { entity: 'Warehouse' })).text).toContain(running('1 document is'));

  second.reject(new Error('gone'));
  expect((await run).isError).toBe(true);
  await expectWarning(flowrag, [
    'The index is incomplete: the last indexing run did not finish, and 1 document is in it so far. Run flowrag_index to continue it, then ask again.',
  ]);
  flowrag.embedder.embed = embed;
  await flowrag.call('flowrag_index');
  await expectWarning(flowrag, []);
  await flowrag.close();
});

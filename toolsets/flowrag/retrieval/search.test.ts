import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../../test/requirements.ts';
import type { Collection } from '../store/collection.ts';
import { collectionOf, type TestDocument, wordEmbedder } from '../testing/collection.ts';
import { SEARCH_MODES, type SearchMode } from './question.ts';
import { rankByWords, search } from './search.ts';

const NOISE: TestDocument[] = Array.from({ length: 12 }, (_, index) => ({
  path: `noise/n${index}.md`,
  title: `Noise ${index}`,
  texts: [`Paragraph ${index} about weather, gardens and the price of bread in winter.`],
}));

const DOCUMENTS: TestDocument[] = [
  {
    path: 'films/seas.md',
    title: 'Seas (film)',
    texts: ['Seas is a 1947 drama film directed by Sofia Kendall and starring Esther Rasmussen.'],
  },
  {
    path: 'people/kendall.md',
    title: 'Sofia Kendall',
    texts: ['She was French and grew up in Valbourne.', 'Later years in exile.', 'Her garden.'],
  },
  { path: 'people/rasmussen.md', title: 'Esther Rasmussen', texts: ['An actress of the silent era.'] },
  { path: 'places/valbourne.md', title: 'Valbourne', texts: ['A town with a market and 4,000 people. Its festival honours Anton Karas.'] },
  { path: 'people/karas.md', title: 'Notes', texts: ['In his youth Anton Karas played the zither.'] },
  { path: 'terms/flow.md', title: 'flow control', texts: ['Keeps a sender from drowning a receiver.'] },
  { path: 'terms/firehose.md', title: 'Firehose', texts: ['What happens when flow control is missing. See [the guide](../guide.md).'] },
  { path: 'guide.md', title: 'A guide', texts: ['Read this first.'] },
  {
    path: 'systems/orders.md',
    title: 'Orders',
    texts: ['The checkout machinery writes what it sells.'],
    entities: [
      { name: 'Order Service', type: 'SERVICE' },
      { name: 'Ledger', type: 'DATABASE' },
    ],
    relations: [{ source: 'Order Service', type: 'USES', target: 'Ledger' }],
  },
  {
    path: 'systems/ledger.md',
    title: 'Bookkeeping',
    texts: ['Double entry, as monks invented it.'],
    entities: [{ name: 'Ledger', type: 'DATABASE' }],
  },
  {
    path: 'systems/team.md',
    title: 'Who does what',
    texts: ['People behind the machinery.'],
    entities: [{ name: 'Order Service', type: 'SERVICE' }],
    relations: [],
  },
  ...NOISE,
];

let collection: Collection;
beforeAll(async () => {
  collection = await collectionOf(DOCUMENTS);
});
afterAll(() => collection.close());

const ask = (query: string, mode: SearchMode = 'hybrid', more: object = {}) =>
  search(collection, wordEmbedder, { query, mode, limit: 5, ...more });
const paths = async (query: string, mode: SearchMode = 'hybrid', more: object = {}) =>
  (await ask(query, mode, more)).map(({ path }) => path);

describe('hybrid', () => {
  test('follows from the document that the question names to the one that answers', async () => {
    const hits = await ask('Where was the director of film Seas born?');
    expect(hits.slice(0, 2).map(({ path }) => path)).toEqual(['films/seas.md', 'people/kendall.md']);
    expect(hits[0]).toMatchObject({
      title: 'Seas (film)',
      startLine: 1,
      endLine: 9,
      explanation: expect.stringMatching(/^named in the query, words .*vector .*graph \d+ %/),
    });
    expect(hits[1]).toMatchObject({
      source: 'graph',
      explanation: expect.stringContaining('linked from films/seas.md by “sofia kendall”'),
    });
  });

  test('the explanation of a linked document names the document that links to it', async () => {
    const hits = await ask('Which guide does the Firehose page point to?');
    expect(hits.find(({ path }) => path === 'guide.md')?.explanation).toContain('linked from terms/firehose.md by a link');
  });

  test('the words of the question beside a name decide which link is followed first', async () => {
    const order = await paths('Who was the director of Seas?');
    expect(order.indexOf('people/kendall.md')).toBeLessThan(order.indexOf('people/rasmussen.md'));
    const starring = await paths('Who was starring in Seas?');
    expect(starring.indexOf('people/rasmussen.md')).toBeLessThan(starring.indexOf('people/kendall.md'));
  });

  test('links go by terms in lower case, by files, by shared names and by entities', async () => {
    expect(await paths('firehose')).toEqual(expect.arrayContaining(['terms/firehose.md', 'terms/flow.md', 'guide.md']));
    expect(await paths('Valbourne festival')).toEqual(expect.arrayContaining(['places/valbourne.md', 'people/karas.md']));
    expect(await paths('checkout machinery writes what it sells')).toEqual(
      expect.arrayContaining(['systems/orders.md', 'systems/ledger.md', 'systems/team.md']),
    );
  });

  test('a question without any known name or word still gets the nearest', async () => {
    expect((await ask('zzz qqq')).length).toBeGreaterThan(0);
  });
});

describe('local', () => {
  test('begins with the entities of the query and their neighbours', async () => {
    const hits = await ask('what does order-service do', 'local');
    expect(hits.map(({ path }) => path)).toEqual(expect.arrayContaining(['systems/orders.md', 'systems/team.md', 'systems/ledger.md']));
    expect(hits[0]).toMatchObject({ source: 'graph', explanation: expect.stringContaining('speaks of what the query names') });
  });

  test('begins with the nearest chunks where the query names nothing', async () => {
    const [hit] = await ask('double entry monks', 'local');
    expect(hit).toMatchObject({
      path: 'systems/ledger.md',
      source: 'vector',
      explanation: expect.stringContaining('nothing in the query is a known entity'),
    });
    expect((await ask('double entry monks', 'local')).some(({ explanation }) => explanation.startsWith('neighbourhood'))).toBe(true);
  });
});

describe('global', () => {
  test('gives chunks of several themes, with what ties each together', async () => {
    const hits = await ask('film director Valbourne weather bread machinery', 'global', { limit: 8 });
    expect(new Set(hits.map(({ explanation }) => /theme \d+/.exec(explanation)?.[0])).size).toBeGreaterThan(1);
    expect(hits.every(({ source }) => source === 'graph')).toBe(true);
    expect(hits.some(({ explanation }) => explanation.includes('“sofia kendall”'))).toBe(true);
    expect(await ask('film director Valbourne weather bread machinery', 'global', { limit: 8 })).toEqual(hits);
  });

  test('depends on the query', async () => {
    expect(await paths('zither youth', 'global')).not.toEqual(await paths('price of bread', 'global'));
  });
});

test('naive: the score is the cosine, the source is the vector', async () => {
  const [hit] = await ask('double entry as monks invented it', 'naive');
  expect(hit).toMatchObject({
    path: 'systems/ledger.md',
    source: 'vector',
    explanation: expect.stringMatching(/^vector 0\.\d\d \(rank 1\)$/),
  });
});

verifies('flowrag-search-score-order', 'scores fall from 1 to 0 in every mode, whatever is asked', async () => {
  const words = fc.constantFrom(
    'Seas',
    'director',
    'Sofia Kendall',
    'order-service',
    'bread',
    '"',
    '*',
    'OR',
    '(',
    '😀',
    'NEAR',
    "'; DROP TABLE chunks; --",
    'flow control',
    '',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(words, { maxLength: 8 }),
      fc.constantFrom(...SEARCH_MODES),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (parts, mode, limit, distinct) => {
        const hits = await search(collection, wordEmbedder, {
          query: parts.join(' '),
          mode,
          limit,
          ...(distinct && { distinct: 'document' as const }),
        });
        expect(hits.length).toBeLessThanOrEqual(limit);
        const scores = hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
        for (const { source } of hits) expect(['vector', 'graph']).toContain(source);
        if (distinct) expect(new Set(hits.map(({ path }) => path)).size).toBe(hits.length);
      },
    ),
    { numRuns: 60 },
  );
});

describe('answers are bounded', () => {
  test('by a budget of tokens, but one hit always comes', async () => {
    expect(await ask('film director', 'hybrid', { tokenBudget: 1 })).toHaveLength(1);
    const some = await ask('film director', 'hybrid', { tokenBudget: 45 });
    expect(some.length).toBeGreaterThan(1);
    expect(some.length).toBeLessThan(5);
  });

  test('one hit a document where that is asked for', async () => {
    const found = await paths('Sofia Kendall Valbourne exile garden', 'naive', { distinct: 'document' });
    expect(found.filter((path) => path === 'people/kendall.md')).toHaveLength(1);
  });
});

test('words alone rank documents for comparison', async () => {
  expect((await rankByWords(collection, 'double entry monks', 10)).map(({ path }) => path)).toEqual(['systems/ledger.md']);
  expect(await rankByWords(collection, '???', 10)).toEqual([]);
});

test('an empty collection answers nothing, in any mode', async () => {
  const empty = await collectionOf([]);
  for (const mode of SEARCH_MODES) expect(await search(empty, wordEmbedder, { query: 'anything', mode, limit: 5 })).toEqual([]);
  await empty.close();
});

test('a cancelled search is refused', async () => {
  await expect(ask('x', 'naive', { signal: AbortSignal.abort() })).rejects.toThrow();
});

test('an embedder that gives no vector leaves words and links', async () => {
  const mute = { ...wordEmbedder, embed: async () => [] };
  const [hit] = await search(collection, mute, { query: 'double entry monks', mode: 'hybrid', limit: 3 });
  expect(hit).toMatchObject({ path: 'systems/ledger.md', score: 0.05 });
});

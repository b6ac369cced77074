import { getEventListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '@millrace/models';
import { migrate, openSqlite, SqliteStore } from '@millrace/storage';
import { expect, onTestFinished, test } from 'vitest';
import { parseContext } from '../../contexts/parse.ts';
import type { ContextDefinition } from '../../flow/context.ts';
import { type ContextTables, contextMigrations } from '../../migrations.ts';
import { ContextIndex, unit } from '../index/context-index.ts';
import { directionOf, indexedByWords } from '../index/context-texts.ts';
import { Embeddings, fromBytes, toBytes } from '../index/embeddings.ts';
import { gramsOf, LexicalIndex, wordsOf } from '../index/lexical-index.ts';
import { Discovery, type DiscoveryOptions } from './discovery.ts';
import { expectedNearness, fitnesses, UNFITTED } from './fit.ts';
import { heldOut } from './held-out.ts';
import { measureFit } from './measure-fit.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CLOCK = { now: () => new Date() };

function context(id: string, description: string, examples: string[] = []): ContextDefinition {
  const { definition } = parseContext(JSON.stringify({ metadata: { type: 'pattern', id, name: id, description }, examples }), {
    kind: 'workspace',
  });
  if (!definition) throw new Error(id);
  return definition;
}

function listed(contexts: ContextDefinition[]) {
  const listeners = new Set<(uris: string[]) => void>();
  let current = contexts;
  const registry: DiscoveryOptions['registry'] = {
    shared: async () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const change = (next: ContextDefinition[]) => {
    current = next;
    for (const listener of listeners) listener([]);
  };
  return { registry, change };
}

/** Texts that share words point in similar directions. */
function wordEmbedder(): Embedder & { embedded: string[] } {
  const embedded: string[] = [];
  const vector = (text: string) => {
    const sum = new Float32Array(64);
    for (const word of wordsOf(text)) {
      const [gram = 0] = gramsOf(word);
      for (let at = 0; at < 6; at++) {
        const place = (gram >>> (at * 5)) % 64;
        sum[place] = (sum[place] as number) + 1;
      }
    }
    return unit(sum);
  };
  return {
    provider: 'test',
    model: 'words',
    dimensions: 64,
    maxTokens: 100,
    fingerprint: async () => 'words-1',
    countTokens: async () => 1,
    close: async () => {},
    embedded,
    embed: async (texts, { kind }) => {
      if (kind === 'passage') embedded.push(...texts);
      return texts.map(vector);
    },
  };
}

async function memory() {
  const store = new SqliteStore<ContextTables>(openSqlite({ path: ':memory:', synchronous: 'NORMAL' }));
  await migrate(store, contextMigrations, new Date());
  return store;
}

const GARDEN = context('garden', 'Plans a garden', ['plant roses in the garden', 'lay out a garden bed', 'which flowers for the garden']);
const KITCHEN = context('kitchen', 'Cooks a meal', ['cook soup in the kitchen', 'bake bread tonight', 'what can we cook for dinner']);
const GARAGE = context('garage', 'Repairs a car', [
  'repair the car in the garage',
  'change the tyres of the car',
  'the engine makes a noise',
]);

test('contexts are found by meaning and words; a change is taken in, and only what is new is embedded', async () => {
  const store = await memory();
  const embedder = wordEmbedder();
  const { registry, change } = listed([GARDEN, KITCHEN]);
  const discovery = new Discovery({ registry, embeddings: new Embeddings(store, embedder), store, clock: CLOCK, log: QUIET });
  const first = async (request: string) => (await discovery.search(request)).candidates[0]?.context.uri;
  expect(await first('cook a soup for dinner')).toBe('pattern://kitchen');
  expect(await first('plant flowers in the garden')).toBe('pattern://garden');
  const before = embedder.embedded.length;
  change([GARDEN, GARAGE]);
  expect(await first('change the tyres of my car')).toBe('pattern://garage');
  expect(embedder.embedded.slice(before).sort()).toEqual([...GARAGE.examples, 'garage: Repairs a car'].sort());
  const { candidates, contextsSearched } = await discovery.search('cook a soup for dinner');
  expect(contextsSearched).toBe(2);
  expect(candidates.map((candidate) => candidate.context.uri)).not.toContain('pattern://kitchen');
  await discovery.close();
});

test('a restart finds the index as it was, without embedding anything', async () => {
  const store = await memory();
  const open = (embedder: Embedder) =>
    new Discovery({
      registry: listed([GARDEN, KITCHEN, GARAGE]).registry,
      embeddings: new Embeddings(store, embedder),
      store,
      clock: CLOCK,
      log: QUIET,
    });
  const discovery = open(wordEmbedder());
  const found = await discovery.search('repair the engine of the car');
  await discovery.close();
  const later = wordEmbedder();
  const again = open(later);
  const refound = await again.search('repair the engine of the car');
  expect(later.embedded).toEqual([]);
  expect(refound.fit).toEqual(found.fit);
  expect(refound.candidates.map(({ context, fitness }) => [context.uri, fitness])).toEqual(
    found.candidates.map(({ context, fitness }) => [context.uri, fitness]),
  );
  await again.close();
});

test('vectors that came with the product are not computed again; those of another model or a broken file are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'vectors.bin');
  const builder = new Embeddings(await memory(), wordEmbedder());
  const made = await builder.of(GARDEN.examples);
  await writeFile(file, await builder.packed());
  const embedder = wordEmbedder();
  const known = await new Embeddings(await memory(), embedder, { file, log: QUIET }).of([...GARDEN.examples, 'something new']);
  for (const [text, vector] of made) expect(known.get(text)).toEqual(vector);
  expect(embedder.embedded).toEqual(['something new']);
  const other = { ...wordEmbedder(), fingerprint: async () => 'words-2' };
  await new Embeddings(await memory(), other, { file, log: QUIET }).of(GARDEN.examples);
  expect(other.embedded).toEqual(GARDEN.examples);
  for (const content of ['', 'not a file of vectors']) {
    await writeFile(file, content);
    const careful = wordEmbedder();
    expect(await new Embeddings(await memory(), careful, { file, log: QUIET }).of(GARDEN.examples)).toEqual(made);
    expect(careful.embedded).toEqual(GARDEN.examples);
  }
});

test('without a model, or with one that fails, contexts are found by their words', async () => {
  const broken: Embedder = {
    ...wordEmbedder(),
    embed: async () => {
      throw new Error('no weights');
    },
  };
  for (const embedder of [undefined, broken]) {
    const store = await memory();
    const discovery = new Discovery({
      registry: listed([GARDEN, KITCHEN, GARAGE]).registry,
      embeddings: embedder && new Embeddings(store, embedder),
      store,
      clock: CLOCK,
      log: QUIET,
    });
    const { candidates, indicesUsed } = await discovery.search('bake some bread');
    expect(candidates[0]?.context.uri).toBe('pattern://kitchen');
    expect(indicesUsed).toEqual(['tfidf']);
    await discovery.close();
  }
});

test('an empty index answers with nothing', async () => {
  const store = await memory();
  const discovery = new Discovery({
    registry: listed([]).registry,
    embeddings: new Embeddings(store, wordEmbedder()),
    store,
    clock: CLOCK,
    log: QUIET,
  });
  expect((await discovery.search('anything at all')).candidates).toEqual([]);
  await discovery.close();
});

test('a search leaves no listener on the signal of its caller', async () => {
  const store = await memory();
  const { registry } = listed([GARDEN]);
  const discovery = new Discovery({ registry, embeddings: undefined, store, clock: CLOCK, log: QUIET });
  const { signal } = new AbortController();
  await discovery.search('plant roses', { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await discovery.close();
});

test('words are lower case without endings, and names of tools are split', () => {
  expect(wordsOf('Meetings, create_todo and createTodo!')).toEqual(['meet', 'create', 'todo', 'and', 'create', 'todo']);
  expect(wordsOf('東京 hotel')).toEqual(['東', '京', 'hotel']);
  expect(gramsOf('one two three')).toHaveLength(5);
});

test('the lexical index scores the cosine with each context, also after additions', () => {
  const index = new LexicalIndex();
  const sentences = (...texts: string[]) => texts.map(gramsOf);
  index.build([
    { slot: 0, sentences: sentences('red apple', 'green apple') },
    { slot: 1, sentences: sentences('blue car', 'fast car') },
  ]);
  index.add([{ slot: 2, sentences: sentences('yellow boat') }]);
  const scores = index.scores(gramsOf('a green apple'), 3);
  expect(scores[0]).toBeGreaterThan(0.3);
  expect([scores[1], scores[2]]).toEqual([0, 0]);
  expect(index.scores(gramsOf('yellow boat'), 3)[2]).toBeCloseTo(1, 5);
});

test('a vector of bytes keeps its direction', () => {
  const vector = unit(Float32Array.from({ length: 384 }, (_, at) => Math.sin(at)));
  const back = fromBytes(toBytes(vector));
  const cosine = vector.reduce((sum, value, at) => sum + value * (back[at] as number), 0);
  expect(cosine).toBeGreaterThan(0.999);
});

test('more examples bring a fitting request nearer', () => {
  const nearness = [0, 1, 3, 10, 20].map((examples) => expectedNearness(examples, UNFITTED));
  expect(nearness).toEqual(nearness.toSorted((a, b) => a - b));
});

test('contexts that are mistaken for each other are turned apart, and can be turned back', async () => {
  const direction = (...parts: number[]) => unit(Float32Array.from({ length: 8 }, (_, at) => parts[at] ?? 0));
  const of = (uri: string, ...examples: Float32Array[]) => ({
    texts: { uri, name: uri, description: '', condition: '', examples: examples.map((_, at) => `${uri} ${at}`) },
    vectors: { description: direction(1), examples },
  });
  const trains = of('trains', direction(9, 3), direction(9, 2, 1), direction(9, 4));
  const planes = of('planes', direction(9, 0, 3), direction(9, 1, 2), direction(9, 0, 4));
  const index = new ContextIndex(8);
  index.put([trains, planes].map(({ texts }) => indexedByWords(texts)));
  for (const { texts, vectors } of [trains, planes]) index.embed(texts.uri, directionOf(vectors));
  const examples = [trains, planes].flatMap(({ texts, vectors }, slot) => heldOut(slot, texts, vectors, 3));
  const lead = () => {
    const { semantic } = index.scores(direction(9, 2.5, 1), []);
    return (semantic[0] as number) - (semantic[1] as number);
  };
  const before = lead();
  index.turn((await measureFit(index, examples, true, async () => {})).turns);
  expect(lead()).toBeGreaterThan(before);
  index.turn(new Map());
  expect(lead()).toBe(before);
});

test('a request that several contexts come near to fits better than one that is near to a single one', () => {
  const best = (...semantic: number[]) =>
    Math.max(
      ...fitnesses(
        { semantic: Float32Array.from(semantic), lexical: new Float32Array(semantic.length) },
        new Float32Array(semantic.length),
        UNFITTED,
      ),
    );
  expect(best(0.5, 0.1, 0.1)).toBeCloseTo(0.5, 2);
  expect(best(0.5, 0.45, 0.45)).toBeGreaterThan(0.52);
});

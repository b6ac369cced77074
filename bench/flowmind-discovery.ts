import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '@millrace/models';
import { localEmbedder } from '@millrace/models';
import { openStorage } from '@millrace/storage';
import { parseContext } from '../toolsets/flowmind/contexts/parse.ts';
import { Registry } from '../toolsets/flowmind/contexts/registry.ts';
import { Discovery, type DiscoveryOptions } from '../toolsets/flowmind/discovery/fit/discovery.ts';
import { Embeddings } from '../toolsets/flowmind/discovery/index/embeddings.ts';
import type { ContextDefinition } from '../toolsets/flowmind/flow/context.ts';
import { contextMigrations } from '../toolsets/flowmind/migrations.ts';

/**
 * How well and how fast FlowMind finds contexts. Quality: everyday requests, of which each context gets a few as examples and the
 * others are asked; on one set mechanisms and weights were chosen; on the other only the thresholds were looked at. Speed: ten thousand contexts with
 * made-up vectors. `node bench/flowmind-discovery.ts [contexts]`
 */
const SETS = {
  chosen: { folder: '../test/contract/flowmind-discovery/fixtures/', title: 'The set on which mechanisms and weights were chosen' },
  unseen: { folder: './flowmind-intents/', title: 'A second set, on which only the thresholds were looked at' },
} as const;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const CLOCK = { now: () => new Date() };

interface Intent {
  id: string;
  name: string;
  description: string;
  sentences: string[];
}

interface Requests {
  intents: Intent[];
  outside: string[];
}

async function readIntents(set: keyof typeof SETS): Promise<Requests> {
  const folder = new URL(SETS[set].folder, import.meta.url).pathname;
  const intents: Intent[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort()) {
    if (file === 'outside.txt') continue;
    for (const line of (await readFile(join(folder, file), 'utf8')).split('\n').filter(Boolean)) {
      if (!line.startsWith('== ')) intents.at(-1)?.sentences.push(line);
      else {
        const [id = '', name = '', description = ''] = line.slice(3).split(' | ');
        intents.push({ id, name, description, sentences: [] });
      }
    }
  }
  return { intents, outside: (await readFile(join(folder, 'outside.txt'), 'utf8')).split('\n').filter(Boolean) };
}

function contextOf(intent: Intent, examples: readonly string[]): ContextDefinition {
  const text = JSON.stringify({
    metadata: { type: 'pattern', id: intent.id, name: intent.name, description: intent.description },
    examples,
  });
  const { definition } = parseContext(text, { kind: 'workspace' });
  if (!definition) throw new Error(`${intent.id} does not parse`);
  return definition;
}

/** A registry of contexts that are simply there. */
function fixedRegistry(contexts: ContextDefinition[]): DiscoveryOptions['registry'] {
  return { shared: async () => contexts, onChange: () => () => {} };
}

interface Quality {
  first: number;
  topFive: number;
  auroc: number;
  kept: number;
  refused: number;
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sentences in a random order: the same in every run, different for each fold. */
function mixed(sentences: readonly string[], fold: number): string[] {
  const order = (sentence: string) => createHash('sha256').update(`${fold} ${sentence}`).digest('hex');
  return sentences
    .map((sentence) => ({ sentence, key: order(sentence) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ sentence }) => sentence);
}

type Ranked = { uri: string; score: number }[];

async function measured(intents: Intent[], outside: string[], fold: number, rank: (request: string) => Promise<Ranked>): Promise<Quality> {
  const inside: number[] = [];
  let first = 0;
  let topFive = 0;
  for (const intent of intents) {
    for (const request of mixed(intent.sentences, fold).slice(10)) {
      const ranked = await rank(request);
      const uri = `pattern://${intent.id}`;
      if (ranked[0]?.uri === uri) first++;
      if (ranked.slice(0, 5).some((each) => each.uri === uri)) topFive++;
      inside.push(ranked[0]?.score ?? -1);
    }
  }
  const beyond: number[] = [];
  for (const request of outside) beyond.push((await rank(request))[0]?.score ?? -1);
  return {
    first: first / inside.length,
    topFive: topFive / inside.length,
    auroc: auroc(inside, beyond),
    kept: inside.filter((score) => score >= 0).length / inside.length,
    refused: beyond.filter((score) => score < 0).length / beyond.length,
  };
}

function auroc(inside: number[], outside: number[]): number {
  let wins = 0;
  for (const a of inside) for (const b of outside) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins / (inside.length * outside.length);
}

/** The recipe to beat: the centroid of the examples' embeddings plus half the cosine with their TF-IDF centroid, one threshold for all. */
async function baseline(
  embedder: Embedder,
  intents: Intent[],
  examples: number,
  fold: number,
): Promise<(request: string) => Promise<Ranked>> {
  const chosen = intents.map((intent) =>
    examples > 0 ? mixed(intent.sentences, fold).slice(0, examples) : [`${intent.name}: ${intent.description}`],
  );
  const frequency = new Map<string, number>();
  for (const sentence of chosen.flat()) for (const gram of new Set(gramsOf(sentence))) frequency.set(gram, (frequency.get(gram) ?? 0) + 1);
  const total = chosen.flat().length;
  const weighed = (text: string) => {
    const weights = new Map<string, number>();
    for (const gram of gramsOf(text)) weights.set(gram, Math.log(1 + total / (1 + (frequency.get(gram) ?? 0))));
    return unitMap(weights);
  };
  const centroids = await Promise.all(
    chosen.map(async (sentences) => {
      const vectors = await embedder.embed(sentences, { kind: 'passage' });
      const sum = new Float32Array(embedder.dimensions);
      for (const vector of vectors)
        vector.forEach((value, at) => {
          sum[at] = (sum[at] as number) + value;
        });
      const length = Math.hypot(...sum);
      const words = new Map<string, number>();
      for (const sentence of sentences) for (const [gram, weight] of weighed(sentence)) words.set(gram, (words.get(gram) ?? 0) + weight);
      return { vector: sum.map((value) => value / length), words: unitMap(words) };
    }),
  );
  return async (request) => {
    const [vector] = await embedder.embed([request], { kind: 'query' });
    const words = weighed(request);
    return intents
      .map((intent, at) => {
        const { vector: centroid, words: own } = centroids[at] as (typeof centroids)[number];
        let meaning = 0;
        centroid.forEach((value, index) => {
          meaning += value * ((vector as Float32Array)[index] as number);
        });
        let lexical = 0;
        for (const [gram, weight] of words) lexical += weight * (own.get(gram) ?? 0);
        return { uri: `pattern://${intent.id}`, score: meaning + 0.5 * lexical };
      })
      .sort((a, b) => b.score - a.score);
  };
}

function gramsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...words, ...words.slice(1).map((word, at) => `${words[at]} ${word}`)];
}

function unitMap(weights: Map<string, number>): Map<string, number> {
  const length = Math.hypot(...weights.values()) || 1;
  return new Map([...weights].map(([gram, weight]) => [gram, weight / length]));
}

const FOLDS = [0, 1, 2];

async function quality(embedder: Embedder, { intents, outside }: Requests, examples: number): Promise<{ ours: Quality; plain: Quality }> {
  const ours: Quality[] = [];
  const plain: Quality[] = [];
  for (const fold of FOLDS) {
    const contexts = intents.map((intent) => contextOf(intent, mixed(intent.sentences, fold).slice(0, examples)));
    ours.push(
      await inFolder(async (home) => {
        const storage = await openStorage({ home, clock: CLOCK, migrations: contextMigrations });
        const discovery = new Discovery({
          registry: fixedRegistry(contexts),
          embeddings: new Embeddings(storage.store, embedder),
          store: storage.store,
          clock: CLOCK,
          log: QUIET,
        });
        await discovery.ready();
        const rank = async (request: string) =>
          (await discovery.search(request, { most: 5 })).candidates.map(({ context, fitness }) => ({ uri: context.uri, score: fitness }));
        const result = await measured(intents, outside, fold, rank);
        await discovery.close();
        await storage.close();
        return result;
      }),
    );
    plain.push(await measured(intents, outside, fold, await baseline(embedder, intents, examples, fold)));
  }
  return { ours: mean(ours), plain: mean(plain) };
}

function mean(values: Quality[]): Quality {
  const keys = ['first', 'topFive', 'auroc', 'kept', 'refused'] as const;
  return Object.fromEntries(
    keys.map((key) => [key, values.reduce((sum, value) => sum + value[key], 0) / values.length]),
  ) as unknown as Quality;
}

/** Vectors computed from the words, to measure everything but the model. */
const madeUp: Embedder = {
  provider: 'made-up',
  model: 'words',
  dimensions: 384,
  maxTokens: 256,
  fingerprint: async () => 'made-up',
  countTokens: async (text) => text.length / 4,
  embed: async (texts) => texts.map(vectorOf),
  close: async () => {},
};

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(384);
  for (const word of text.split(' ')) {
    let seed = 7;
    for (const char of word) seed = Math.imul(seed ^ char.charCodeAt(0), 0x01000193);
    for (let step = 0; step < 12; step++) {
      seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
      const at = Math.abs(seed) % 384;
      vector[at] = (vector[at] as number) + (seed & 1 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

async function speed(count: number): Promise<Record<string, number>> {
  const { intents } = await readIntents('chosen');
  return inFolder(async (home) => {
    const folder = join(home, 'contexts');
    await mkdir(folder);
    const words = intents
      .flatMap((intent) => intent.sentences)
      .join(' ')
      .split(' ');
    for (let at = 0; at < count; at++) await writeFile(join(folder, `context-${at}.yaml`), madeUpContext(at, words));
    const open = async () => {
      const started = performance.now();
      const storage = await openStorage({ home, clock: CLOCK, migrations: contextMigrations });
      const registry = new Registry({
        folders: [folder],
        library: undefined,
        published: async () => [],
        store: storage.store,
        clock: CLOCK,
        log: QUIET,
        watch: false,
      });
      const contexts = await registry.shared();
      const read = performance.now() - started;
      const discovery = new Discovery({
        registry,
        embeddings: new Embeddings(storage.store, madeUp),
        store: storage.store,
        clock: CLOCK,
        log: QUIET,
      });
      await discovery.ready();
      return { storage, discovery, contexts: contexts.length, read, ready: performance.now() - started };
    };
    const cold = await open();
    await searchTimes(cold.discovery, intents);
    const before = process.cpuUsage();
    const times = await searchTimes(cold.discovery, intents);
    const { user, system } = process.cpuUsage(before);
    await cold.discovery.close();
    await cold.storage.close();
    const warm = await open();
    await warm.discovery.close();
    await warm.storage.close();
    return {
      'contexts loaded': cold.contexts,
      'first start, with parsing and indexing (ms)': cold.ready,
      'later start: files looked at and definitions read (ms)': warm.read,
      'later start: ready to search (ms)': warm.ready,
      'search p50 (ms)': times[Math.floor(times.length / 2)] ?? 0,
      'search, processor time (ms)': (user + system) / 1000 / times.length,
      'search p95 (ms)': times[Math.floor(times.length * 0.95)] ?? 0,
    };
  });
}

async function searchTimes(discovery: Discovery, intents: Intent[]): Promise<number[]> {
  const times: number[] = [];
  for (const intent of intents) {
    for (const request of intent.sentences.slice(0, 3)) times.push((await discovery.search(request)).searchMs);
  }
  return times.sort((a, b) => a - b);
}

function madeUpContext(at: number, words: readonly string[]): string {
  const sentence = (line: number) =>
    Array.from({ length: 8 }, (_, word) => words[(at * 131 + line * 37 + word * 11) % words.length]).join(' ');
  const examples = Array.from({ length: 10 }, (_, line) => `  - ${JSON.stringify(sentence(line))}`).join('\n');
  return `metadata:\n  type: workflow\n  id: context-${at}\n  name: Context ${at}\n  description: ${JSON.stringify(sentence(11))}\nexamples:\n${examples}\nflow:\n  - step: Do it\n    instruction: Do what is wanted\n`;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

const write = (line: string) => void process.stdout.write(`${line}\n`);
const embedder = await localEmbedder({ folders: [] });
write('## FlowMind: finding the right context');
for (const set of ['unseen', 'chosen'] as const) {
  const requests = await readIntents(set);
  const asked = requests.intents.reduce((sum, intent) => sum + intent.sentences.length - 10, 0);
  write(`\n### ${SETS[set].title}\n`);
  write(
    `${requests.intents.length} contexts, ${asked} requests that belong to one of them, ${requests.outside.length} that belong to none; mean of ${FOLDS.length} folds.\n`,
  );
  write('| examples a context | | right one first | in the top five | AUROC | kept | refused |');
  write('|---|---|---|---|---|---|---|');
  for (const examples of [10, 5, 1, 0]) {
    const { ours, plain } = await quality(embedder, requests, examples);
    const row = (name: string, each: Quality, threshold: boolean) =>
      write(
        `| ${examples || 'none, name and description only'} | ${name} | ${percent(each.first)} | ${percent(each.topFive)} | ${each.auroc.toFixed(3)} | ${threshold ? percent(each.kept) : '–'} | ${threshold ? percent(each.refused) : '–'} |`,
      );
    row('Millrace', ours, true);
    row('centroid + 0.5 × TF-IDF', plain, false);
  }
}
await embedder.close();
const count = Number(process.argv[2] ?? 10_000);
write(`\n## With ${count.toLocaleString('en')} contexts of 10 examples (made-up vectors, so without the model)\n`);
write('| | |');
write('|---|---|');
for (const [name, value] of Object.entries(await speed(count))) write(`| ${name} | ${value.toFixed(value < 100 ? 1 : 0)} |`);

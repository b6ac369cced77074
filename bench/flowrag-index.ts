import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localEmbedder } from '@millrace/models';
import { LAUNCHER } from '../test/harness/package.ts';
import { StdioProcess } from '../test/harness/process.ts';
import { embeddedText } from '../toolsets/flowrag/document/chunk.ts';
import { rulesExtractor } from '../toolsets/flowrag/extraction/rules.ts';
import { Indexer, type IndexerParts } from '../toolsets/flowrag/ingest/indexer.ts';
import { chunkNames } from '../toolsets/flowrag/names/names.ts';
import { search } from '../toolsets/flowrag/retrieval/search.ts';
import { graphSchema } from '../toolsets/flowrag/schema.ts';
import { configHash, writeMetadata } from '../toolsets/flowrag/store/metadata.ts';
import { openSqliteCollection } from '../toolsets/flowrag/store/open.ts';
import { CollectionWriter } from '../toolsets/flowrag/store/writer.ts';
import { Corpus, ENGLISH } from './flowrag-prose.ts';
import { cpuSeconds, memoryMb } from './processes.ts';

/** node bench/flowrag-index.ts [chunks for the search figures, 100000 when not given] */
const CHUNKS = Number(process.argv[2] ?? 100_000);
const DIMENSIONS = 384;
const CHUNKS_A_DOCUMENT = 10;
const folder = mkdtempSync(join(tmpdir(), 'flowrag-bench-'));
const now = () => new Date();
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const rows: [what: string, figure: string, goal: string][] = [];

if (process.argv[3] === 'search') await searchFigures(process.argv[4] as string);
else {
  try {
    await embeddingFigures();
    await indexingFigures();
    await unchangedFigures();
    await buildLarge(join(folder, 'large'));
    // A separate process, so that its memory is that of a server that only searches.
    const output = execFileSync(process.execPath, ['--expose-gc', import.meta.filename, String(CHUNKS), 'search', join(folder, 'large')], {
      encoding: 'utf8',
    });
    rows.push(...(JSON.parse(output) as typeof rows));
    await serverFigures(join(folder, 'large'));
    process.stdout.write(`| what | figure | goal |\n|---|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |\n`).join('')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

async function embeddingFigures(): Promise<void> {
  const corpus = new Corpus(3, ENGLISH);
  const texts = Array.from({ length: 240 }, () => corpus.text(600));
  const embedder = await localEmbedder({ folders: [] });
  const [, first] = await timed(() => embedder.embed(['warm up', 'and again', 'both', 'sessions', 'now', 'please'], { kind: 'passage' }));
  const [, milliseconds] = await timed(() => embedder.embed(texts, { kind: 'passage' }));
  const [, query] = await timed(async () => {
    for (let index = 0; index < 50; index++) await embedder.embed([`query ${index}`], { kind: 'query' });
  });
  await embedder.close();
  const single = await localEmbedder({ folders: [], sessions: 1 });
  await single.embed(['warm up'], { kind: 'passage' });
  const [, alone] = await timed(() => single.embed(texts.slice(0, 120), { kind: 'passage' }));
  await single.close();
  rows.push(['model loads on first use', `${first.toFixed(0)} ms`, '']);
  rows.push([
    'embedding, chunks of 600 characters',
    `${((texts.length * 1000) / milliseconds).toFixed(0)} a second`,
    '≥ 60 on two idle cores',
  ]);
  rows.push(['… with one session instead of one per core', `${((120 * 1000) / alone).toFixed(0)} a second`, 'baseline']);
  rows.push(['query embedding', `${(query / 50).toFixed(1)} ms`, '']);
}

async function makeIndexer(data: string, embedder: IndexerParts['embedder']) {
  const collection = await openSqliteCollection(join(data, 'flowrag.db'), now());
  const schema = graphSchema.parse({});
  const writer = new CollectionWriter(collection, now);
  return {
    collection,
    indexer: new Indexer({ collection, writer, embedder, extractor: rulesExtractor(schema), schema, now, log: silent }),
  };
}

function writeDocuments(root: string, count: number, characters: number): void {
  const corpus = new Corpus(5, ENGLISH);
  mkdirSync(root, { recursive: true });
  for (let index = 0; index < count; index++) {
    const sections = Array.from({ length: 3 }, () => `## ${corpus.name()}\n\n${corpus.text(characters)}\n`);
    writeFileSync(join(root, `${index}.md`), `# ${corpus.name()} ${index}\n\n${sections.join('\n')}`);
  }
}

function request(root: string) {
  const recorded = <Result>(work: () => Promise<Result>) => work();
  return { root, exclude: [], force: false, dryRun: false, signal: new AbortController().signal, progress() {}, recorded };
}

async function spending<Result>(work: () => Promise<Result>): Promise<[Result, seconds: number]> {
  const before = cpuSeconds(process.pid);
  const result = await work();
  return [result, cpuSeconds(process.pid) - before];
}

/** Embedding alone is measured before and after, so that a machine which slows down meanwhile does not count either. */
async function indexingFigures(): Promise<void> {
  const root = join(folder, 'docs');
  writeDocuments(root, 100, 600);
  const embedder = await localEmbedder({ folders: [] });
  await embedder.embed(['warm up', 'and again', 'both', 'sessions', 'now', 'please'], { kind: 'passage' });
  const first = await makeIndexer(join(folder, 'data-0'), embedder);
  await first.indexer.run(request(root));
  const ids = await first.collection.store.db.selectFrom('chunks').select('id').orderBy('document_id').orderBy('ordinal').execute();
  const chunks = await first.collection.chunks(ids.map(({ id }) => id));
  await first.collection.close();
  const texts = chunks.map((chunk) => embeddedText(chunk.title, chunk));
  const alone: number[] = [];
  const whole: number[] = [];
  for (const round of [1, 2]) {
    alone.push((await spending(() => embedder.embed(texts, { kind: 'passage' })))[1]);
    const { collection, indexer } = await makeIndexer(join(folder, `data-${round}`), embedder);
    whole.push((await spending(() => indexer.run(request(root))))[1]);
    await collection.close();
  }
  alone.push((await spending(() => embedder.embed(texts, { kind: 'passage' })))[1]);
  await embedder.close();
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [embedding, all] = [mean(alone), mean(whole)];
  rows.push([`indexing ${chunks.length} chunks of 100 files`, `${all.toFixed(2)} s of processor time`, '']);
  rows.push(['… of that, embedding the same texts alone', `${embedding.toFixed(2)} s of processor time`, 'baseline']);
  rows.push(['… everything but embedding', `${((100 * (all - embedding)) / embedding).toFixed(1)} % of the embedding`, '≤ 15 %']);
}

async function unchangedFigures(): Promise<void> {
  const root = join(folder, 'unchanged');
  writeDocuments(root, 1000, 300);
  const corpus = new Corpus(9);
  const quick: IndexerParts['embedder'] = {
    provider: 'local',
    model: 'none',
    dimensions: DIMENSIONS,
    maxTokens: 256,
    fingerprint: async () => '',
    countTokens: async (text) => text.length / 4,
    embed: async (texts) => texts.map(() => corpus.vector(DIMENSIONS)),
    close: async () => {},
  };
  const { collection, indexer } = await makeIndexer(join(folder, 'unchanged-data'), quick);
  const [, first] = await timed(() => indexer.run(request(root)));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const [, hashed] = await timed(() => indexer.run(request(root)));
  const [, again] = await timed(() => indexer.run(request(root)));
  await collection.close();
  rows.push(['index of 1,000 files without embedding', `${first.toFixed(0)} ms`, '']);
  rows.push(['re-index of 1,000 unchanged files, hashing each', `${hashed.toFixed(0)} ms`, '≤ 1,000 ms']);
  rows.push(['re-index of 1,000 unchanged files, by size and time of change', `${again.toFixed(0)} ms`, '≤ 1,000 ms']);
}

async function buildLarge(data: string): Promise<void> {
  const corpus = new Corpus(7);
  const collection = await openSqliteCollection(join(data, 'flowrag.db'), now());
  const writer = new CollectionWriter(collection, now);
  const [, milliseconds] = await timed(async () => {
    for (let document = 0; document * CHUNKS_A_DOCUMENT < CHUNKS; document++) {
      const title = `${corpus.name()} ${document}`;
      const chunks = Array.from({ length: CHUNKS_A_DOCUMENT }, (_, ordinal) => {
        const text = corpus.text(600);
        const chunk = { ordinal, text, startLine: ordinal + 1, endLine: ordinal + 1, headings: [title], tokens: 150 };
        return {
          ...chunk,
          embedHash: `${document}-${ordinal}`,
          vector: corpus.vector(DIMENSIONS),
          names: chunkNames({ title, path: `${document}.md` }, chunk),
        };
      });
      const base = { path: `${document}.md`, hash: '', title, format: 'markdown' as const, fields: {}, bytes: 1, modifiedMs: 1, stamp: '' };
      await writer.replace({ ...base, chunks, entities: [], aliases: [], relations: [] });
    }
  });
  await collection.close();
  rows.push([
    `writing ${CHUNKS} chunks (words, vectors, names)`,
    `${(milliseconds / 1000).toFixed(1)} s, ${(milliseconds / CHUNKS).toFixed(2)} ms a chunk`,
    '',
  ]);
}

async function searchFigures(data: string): Promise<void> {
  const corpus = new Corpus(11);
  const collection = await openSqliteCollection(join(data, 'flowrag.db'), now());
  const queries = Array.from({ length: 60 }, () => ({
    text: `${corpus.name()} ${corpus.text(60)} ${corpus.name()}?`,
    vector: corpus.vector(DIMENSIONS),
  }));
  const embedder = { provider: 'local', model: 'none', dimensions: DIMENSIONS, maxTokens: 256, close: async () => {} };
  const spent: Record<string, number[]> = { words: [], vectors: [], hybrid: [], naive: [] };
  const measure = async (name: string, work: () => Promise<unknown>) => spent[name]?.push((await timed(work))[1]);
  const [, cold] = await timed(() => collection.search.nearest(queries[0]?.vector as Float32Array, 10));
  for (const { text, vector } of queries) {
    const asked = { ...embedder, fingerprint: async () => '', countTokens: async () => 1, embed: async () => [vector] };
    await measure('words', () => collection.search.lexical(text.split(/\W+/), 100));
    await measure('vectors', () => collection.search.nearest(vector, 100));
    await measure('naive', () => search(collection, asked, { query: text, mode: 'naive', limit: 5 }));
    await measure('hybrid', () => search(collection, asked, { query: text, mode: 'hybrid', limit: 5 }));
  }
  global.gc?.();
  const memory = Math.round(process.memoryUsage().rss / 1e6);
  const [, brute] = await timed(async () => bruteForce(collection, queries[1]?.vector as Float32Array));
  const recall = await recallAt10(
    collection,
    queries.slice(0, 10).map((query) => query.vector),
  );
  const figures: typeof rows = [
    ['first vector search: signatures are read', `${cold.toFixed(0)} ms`, ''],
    ...Object.entries(spent).map(([name, times]): [string, string, string] => [
      `search ${name}, ${CHUNKS} chunks`,
      `p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`,
      name === 'hybrid' ? '≤ 40 ms p50' : '',
    ]),
    ['every vector compared in full', `${brute.toFixed(0)} ms`, 'baseline'],
    ['of the 10 nearest by full comparison, found (random vectors, the hardest case)', `${(recall * 100).toFixed(0)} %`, ''],
    ['memory after the searches (no model)', `${memory} MB`, '≤ 300 MB'],
  ];
  process.stdout.write(JSON.stringify(figures));
}

async function bruteForce(collection: Awaited<ReturnType<typeof openSqliteCollection>>, vector: Float32Array): Promise<number[]> {
  const best: { id: number; score: number }[] = [];
  for (let start = 1; start <= CHUNKS; start += 5000) {
    const ids = Array.from({ length: 5000 }, (_, index) => start + index);
    for (const [id, candidate] of await collection.search.vectors(ids)) {
      let score = 0;
      for (let index = 0; index < vector.length; index++) score += (vector[index] as number) * (candidate[index] as number);
      best.push({ id, score });
    }
  }
  return best
    .sort((a, b) => b.score - a.score)
    .slice(0, 10)
    .map(({ id }) => id);
}

async function recallAt10(collection: Awaited<ReturnType<typeof openSqliteCollection>>, vectors: readonly Float32Array[]): Promise<number> {
  let found = 0;
  for (const vector of vectors) {
    const exact = new Set(await bruteForce(collection, vector));
    for (const { chunkId } of await collection.search.nearest(vector, 10)) if (exact.has(chunkId)) found++;
  }
  return found / (vectors.length * 10);
}

/** The installed server, with FlowRAG alone and with all toolsets: the first search loads the model. */
async function serverFigures(data: string): Promise<void> {
  await describeLarge(data);
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, 'flowrag.config.json'), JSON.stringify({ docs: './docs', data }));
  for (const toolsets of ['flowrag', 'todo,flowrag,n8n,flowise,flowmind']) {
    const corpus = new Corpus(11);
    const server = new StdioProcess([LAUNCHER], {
      ...{ PATH: process.env.PATH ?? '', HOME: folder, MILLRACE_HOME: join(folder, 'home'), MILLRACE_WORKSPACE: workspace },
      ...{ MILLRACE_LOG_LEVEL: 'error', MILLRACE_RATE_LIMITS: 'off', MILLRACE_TOOLSETS: toolsets },
    });
    for (let query = 0; query < 60; query++) {
      const reply = await server.callTool('flowrag_search', { query: `${corpus.name()} ${corpus.text(60)} ${corpus.name()}?` }, {}, {});
      if (JSON.stringify(reply).includes('"isError":true')) throw new Error(JSON.stringify(reply).slice(0, 500));
    }
    const used = memoryMb(server.child.pid as number, 'Pss');
    rows.push([`memory of the server after 60 searches with the model, ${toolsets}`, `${used.toFixed(0)} MB`, '≤ 300 MB']);
    await server.kill();
  }
}

/** Marks the large collection as made by the bundled model. */
async function describeLarge(data: string): Promise<void> {
  const embedder = await localEmbedder({ folders: [] });
  const { entityTypes, relationTypes } = graphSchema.parse({});
  const { provider, model, dimensions } = embedder;
  const made = {
    embedder: { provider, model, dimensions, weights: await embedder.fingerprint() },
    extractor: { provider: 'rules', model: 'rules' },
    schema: { entityTypes, relationTypes },
  };
  await writeMetadata(data, { configHash: configHash(made), ...made, lastIndexedAt: now().toISOString(), documentCount: 1 });
}

function percentile(times: readonly number[], share: number): string {
  return ([...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(1);
}

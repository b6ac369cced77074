import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedder, localEmbedder } from '@millrace/models';
import { embeddedText } from '../toolsets/flowrag/document/chunk.ts';
import { EVAL_MODES, type EvalReport, evaluate } from '../toolsets/flowrag/eval/evaluate.ts';
import { embedHash } from '../toolsets/flowrag/ingest/contribution.ts';
import { chunkNames } from '../toolsets/flowrag/names/names.ts';
import type { Collection } from '../toolsets/flowrag/store/collection.ts';
import { openSqliteCollection } from '../toolsets/flowrag/store/open.ts';
import { CollectionWriter } from '../toolsets/flowrag/store/writer.ts';
import { type Corpus, makeCorpus } from './flowrag-corpus/corpus.ts';
import { encyclopaedia } from './flowrag-corpus/encyclopaedia.ts';
import { naturalCorpus } from './flowrag-corpus/natural.ts';

/**
 * node bench/flowrag-retrieval.ts [questions a set, 60 when not given] [only this set]
 *
 * Questions that need two or more documents: over pages about things that exist, over invented encyclopaedias whose pages
 * are easily mistaken for each other, and over natural passages among invented ones. The baselines are words alone (bm25) and vectors alone (naive).
 */
const QUESTIONS = Number(process.argv[2] ?? 60);

const SETS: Record<string, () => Corpus> = {
  'things that exist': () => encyclopaedia(2 * QUESTIONS),
  'two pages and comparisons': () =>
    makeCorpus({
      seed: 101,
      families: 300,
      questions: QUESTIONS,
      kinds: ['bridge', 'bridge', 'comparison', 'double', 'chain'],
      pagesPerQuestion: 10,
    }),
  'chains of three and more': () =>
    makeCorpus({ seed: 102, families: 500, questions: QUESTIONS, kinds: ['chain', 'bridge', 'description'], pagesPerQuestion: 14 }),
  'natural passages': () => {
    const natural = naturalCorpus();
    const others = makeCorpus({ seed: 103, families: 200, questions: 50, kinds: ['bridge', 'comparison'], pagesPerQuestion: 8 });
    return {
      documents: [...natural.documents, ...others.documents.map((document) => ({ ...document, id: `other-${document.id}` }))],
      questions: natural.questions,
    };
  },
};

async function collectionOf(path: string, { documents }: Corpus, embedder: Embedder): Promise<Collection> {
  const collection = await openSqliteCollection(path, new Date());
  const writer = new CollectionWriter(collection, () => new Date());
  const chunks = documents.map(({ title, text }) => ({
    ordinal: 0,
    text,
    startLine: 3,
    endLine: 3,
    headings: [title],
    tokens: Math.ceil(text.length / 4),
  }));
  const vectors = await embedder.embed(
    documents.map(({ title }, index) => embeddedText(title, chunks[index] as (typeof chunks)[number])),
    { kind: 'passage' },
  );
  for (const [index, { id, title }] of documents.entries()) {
    const chunk = chunks[index] as (typeof chunks)[number];
    const names = chunkNames({ title, path: `${id}.md` }, chunk);
    await writer.replace({
      path: `${id}.md`,
      hash: id,
      title,
      format: 'markdown',
      fields: {},
      bytes: chunk.text.length,
      modifiedMs: 0,
      stamp: 'bench',
      chunks: [{ ...chunk, embedHash: embedHash(title, chunk), vector: vectors[index] as Float32Array, names }],
      entities: [],
      aliases: [],
      relations: [],
    });
  }
  return collection;
}

function rowsOf(name: string, documents: number, { modes, questions }: EvalReport): string[] {
  const better = (value: 'ndcg' | 'allGold') =>
    Math.max(...modes.filter(({ mode }) => mode === 'bm25' || mode === 'naive').map(({ measures }) => measures[value]));
  return modes.map(({ mode, measures, milliseconds }) => {
    const gain = (value: 'ndcg' | 'allGold') => `${((measures[value] - better(value)) * 100).toFixed(1)}`;
    const cells = [
      name,
      documents,
      questions,
      mode,
      measures.ndcg.toFixed(3),
      gain('ndcg'),
      measures.recall.toFixed(3),
      measures.allGold.toFixed(3),
      gain('allGold'),
      milliseconds.toFixed(1),
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

const folder = mkdtempSync(join(tmpdir(), 'flowrag-retrieval-'));
const embedder = await localEmbedder({ folders: [] });
try {
  const rows: string[] = [];
  for (const [index, [name, make]] of Object.entries(SETS).entries()) {
    if (process.argv[3] !== undefined && process.argv[3] !== name) continue;
    const corpus = make();
    const collection = await collectionOf(join(folder, `${index}.db`), corpus, embedder);
    const questions = corpus.questions.map(({ question, gold }, line) => ({ query: question, gold: gold.map((id) => `${id}.md`), line }));
    rows.push(...rowsOf(name, corpus.documents.length, await evaluate({ store: collection, embedder, questions, modes: EVAL_MODES })));
    await collection.close();
  }
  process.stdout.write(
    `| set | documents | questions | mode | nDCG@10 | points over the better baseline | recall@10 | all-gold@10 | points over the better baseline | ms/question |\n|---|--:|--:|---|--:|--:|--:|--:|--:|--:|\n${rows.join('\n')}\n`,
  );
} finally {
  await embedder.close();
  rmSync(folder, { recursive: true, force: true });
}

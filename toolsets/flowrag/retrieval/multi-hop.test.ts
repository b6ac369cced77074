import { localEmbedder } from '@millrace/models';
import { expect, test } from 'vitest';
import { makeCorpus } from '../../../bench/flowrag-corpus/corpus.ts';
import { naturalCorpus } from '../../../bench/flowrag-corpus/natural.ts';
import { evaluate } from '../eval/evaluate.ts';
import { collectionOf } from '../testing/collection.ts';

test('questions that need several documents: hybrid finds them where words and vectors alone do not', async () => {
  const { documents, questions } = naturalCorpus();
  const others = makeCorpus({ seed: 7, families: 30, questions: 20, kinds: ['bridge', 'comparison'], pagesPerQuestion: 4 }).documents.map(
    (document) => ({ ...document, id: `other-${document.id}` }),
  );
  const embedder = await localEmbedder({ folders: [] });
  const collection = await collectionOf(
    [...documents, ...others].map(({ id, title, text }) => ({ path: `${id}.md`, title, texts: [text] })),
    embedder,
  );
  const { modes } = await evaluate({
    store: collection,
    embedder,
    questions: questions.map(({ question, gold }, index) => ({ query: question, gold: gold.map((id) => `${id}.md`), line: index + 1 })),
    modes: ['bm25', 'naive', 'hybrid'],
  });
  await collection.close();
  await embedder.close();
  const [words, vectors, hybrid] = modes.map(({ measures }) => measures);
  expect(hybrid?.ndcg).toBeGreaterThan(Math.max(words?.ndcg ?? 1, vectors?.ndcg ?? 1) + 0.05);
  expect(hybrid?.allGold).toBeGreaterThan(Math.max(words?.allGold ?? 1, vectors?.allGold ?? 1) + 0.1);
}, 60_000);

import { Failure } from '@millrace/kernel';
import type { Embedder } from '@millrace/models';
import type { KnowledgeStore, Search, SearchHit, SearchRequest, StoredChunk } from '../ports.ts';
import { findByWords } from './candidates.ts';
import { global } from './global.ts';
import { hybrid } from './hybrid.ts';
import { local } from './local.ts';
import { naive } from './naive.ts';
import { type Question, readQuestion } from './question.ts';
import type { Ranked } from './ranking.ts';
import { snippetOf, tokensOf } from './snippet.ts';
import { FILE } from './titles.ts';

/** As many chunks are looked at as may be needed to fill the limit with different documents. */
const CHUNKS_A_DOCUMENT = 4;
const LEAST_CONSIDERED = 40;
const LONGEST_VIA = 60;

export const search: Search = async (store, embedder, request) => {
  const question = readQuestion(request.query);
  const ranked = await rank(store, embedder, question, request);
  request.signal?.throwIfAborted();
  const considered = ranked.slice(0, Math.max(LEAST_CONSIDERED, request.limit * CHUNKS_A_DOCUMENT));
  const chunks = new Map((await store.chunks(considered.map(({ chunkId }) => chunkId))).map((chunk) => [chunk.id, chunk]));
  const chosen = choose(considered, chunks, request);
  const origins = await originsOf(store, chosen, chunks);
  return withinBudget(
    chosen.map((entry) => hitOf(entry, chunks.get(entry.chunkId) as StoredChunk, question, origins)),
    request.tokenBudget,
  );
};

/** The documents that words alone find, the best first: the baseline that retrieval is measured against. */
export async function rankByWords(store: KnowledgeStore, query: string, limit: number): Promise<{ path: string; title: string }[]> {
  const hits = await findByWords(store, readQuestion(query), limit * CHUNKS_A_DOCUMENT);
  const chunks = await store.chunks(hits.map(({ chunkId }) => chunkId));
  const seen = new Set<number>();
  return chunks.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId)).slice(0, limit);
}

function rank(store: KnowledgeStore, embedder: Embedder, question: Question, request: SearchRequest): Promise<Ranked[]> {
  const { mode, limit, signal } = request;
  switch (mode) {
    case 'naive':
      return naive(store, embedder, question, limit * CHUNKS_A_DOCUMENT, signal);
    case 'local':
      return local(store, embedder, question, signal);
    case 'global':
      return global(store, embedder, question, signal);
    case 'hybrid':
      return hybrid(store, embedder, question, signal);
    default:
      throw new Failure('invalid_input', `There is no search mode ${String(mode)}`);
  }
}

/** The best chunks, or the best chunk of each of the best documents. */
function choose(ranked: readonly Ranked[], chunks: ReadonlyMap<number, StoredChunk>, { limit, distinct }: SearchRequest): Ranked[] {
  const present = ranked.filter(({ chunkId }) => chunks.has(chunkId));
  if (distinct !== 'document') return present.slice(0, limit);
  const best = new Map<number, Ranked>();
  for (const entry of present) {
    const { documentId } = chunks.get(entry.chunkId) as StoredChunk;
    if (!best.has(documentId)) best.set(documentId, entry);
  }
  return [...best.values()].slice(0, limit);
}

async function originsOf(
  store: KnowledgeStore,
  chosen: readonly Ranked[],
  known: ReadonlyMap<number, StoredChunk>,
): Promise<Map<number, string>> {
  const ids = new Set(chosen.flatMap(({ by }) => (by ? [by.from] : [])));
  const missing = await store.chunks([...ids].filter((id) => !known.has(id)));
  return new Map([...known.values(), ...missing].map((chunk) => [chunk.id, chunk.path]));
}

function hitOf(entry: Ranked, chunk: StoredChunk, question: Question, origins: ReadonlyMap<number, string>): SearchHit {
  const { by } = entry;
  const origin = by && origins.get(by.from);
  const linked = by && origin && entry.source === 'graph' ? [`linked from ${origin} ${viaText(by.via)}`] : [];
  return {
    source: entry.source,
    score: Math.round(entry.score * 10_000) / 10_000,
    path: chunk.path,
    title: chunk.title,
    startLine: chunk.startLine,
    endLine: chunk.endLine,
    headings: chunk.headings,
    snippet: snippetOf(chunk.text, question.stems),
    chunkId: chunk.id,
    explanation: [...entry.reasons, ...linked].join(', '),
  };
}

function viaText(via: string): string {
  return via.startsWith(FILE) ? 'by a link' : `by “${via.slice(0, LONGEST_VIA)}”`;
}

/** The best hits whose snippets fit together; the first always comes. */
function withinBudget(hits: readonly SearchHit[], budget = Number.POSITIVE_INFINITY): SearchHit[] {
  let spent = 0;
  return hits.filter((hit, index) => {
    spent += tokensOf(hit.snippet);
    return index === 0 || spent <= budget;
  });
}

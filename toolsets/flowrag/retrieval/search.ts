import type { Embedder } from '@millrace/models';
import { FILE } from '../names/titles.ts';
import type { Collection, StoredChunk } from '../store/collection.ts';
import { findByVector, findByWords } from './candidates.ts';
import { global } from './global.ts';
import { hybrid, local } from './linked.ts';
import { type Inquiry, type Question, readQuestion, type SearchMode, type SearchRequest, stemOf } from './question.ts';
import { type Ranked, type SearchHit, unit } from './ranking.ts';

/** As many chunks are looked at as may be needed to fill the limit with different documents. */
const CHUNKS_A_DOCUMENT = 4;
const LEAST_CONSIDERED = 40;
const LONGEST_VIA = 60;
const LONGEST_SNIPPET = 320;
const CHARACTERS_A_TOKEN = 4;

/** How each mode ranks; the limit is how many chunks are wanted. */
const MODES: Readonly<Record<SearchMode, (inquiry: Inquiry, limit: number) => Promise<Ranked[]>>> = { naive, local, global, hybrid };

/** A chunk that is part of the answer, with its text. */
interface Chosen extends Ranked {
  chunk: StoredChunk;
}

/** The query is embedded only in modes that need it. */
export async function search(store: Collection, embedder: Embedder, request: SearchRequest): Promise<SearchHit[]> {
  const { query, mode, limit, signal, tokenBudget } = request;
  const question = readQuestion(query);
  const ranked = await MODES[mode]({ store, embedder, question, signal }, limit * CHUNKS_A_DOCUMENT);
  signal?.throwIfAborted();
  const considered = ranked.slice(0, Math.max(LEAST_CONSIDERED, limit * CHUNKS_A_DOCUMENT));
  const chunks = new Map((await store.chunks(considered.map(({ chunkId }) => chunkId))).map((chunk) => [chunk.id, chunk]));
  const chosen = choose(considered, chunks, request);
  const origins = await originsOf(store, chosen, chunks);
  return withinBudget(
    chosen.map((entry) => hitOf(entry, question, origins)),
    tokenBudget,
  );
}

/** The documents that words alone find, the best first: the baseline that retrieval is measured against. */
export async function rankByWords(store: Collection, query: string, limit: number): Promise<{ path: string; title: string }[]> {
  const hits = await findByWords(store, readQuestion(query), limit * CHUNKS_A_DOCUMENT);
  const chunks = await store.chunks(hits.map(({ chunkId }) => chunkId));
  const seen = new Set<number>();
  return chunks.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId)).slice(0, limit);
}

/** Vectors alone: the score is the cosine. */
async function naive(inquiry: Inquiry, limit: number): Promise<Ranked[]> {
  const hits = await findByVector(inquiry, limit);
  return hits.map(({ chunkId, score }, index) => ({
    chunkId,
    source: 'vector',
    score: unit(score),
    reasons: [`vector ${score.toFixed(2)} (rank ${index + 1})`],
  }));
}

/** The best chunks, or the best chunk of each of the best documents. */
function choose(ranked: readonly Ranked[], chunks: ReadonlyMap<number, StoredChunk>, { limit, distinct }: SearchRequest): Chosen[] {
  const seen = new Set<number>();
  const present = ranked.flatMap((entry) => {
    const chunk = chunks.get(entry.chunkId);
    if (!chunk || (distinct === 'document' && seen.has(chunk.documentId))) return [];
    seen.add(chunk.documentId);
    return [{ ...entry, chunk }];
  });
  return present.slice(0, limit);
}

/** The paths of the chunks that links came from. */
async function originsOf(
  store: Collection,
  chosen: readonly Chosen[],
  known: ReadonlyMap<number, StoredChunk>,
): Promise<Map<number, string>> {
  const ids = new Set(chosen.flatMap(({ by }) => (by ? [by.from] : [])));
  const missing = await store.chunks([...ids].filter((id) => !known.has(id)));
  return new Map([...known.values(), ...missing].map((chunk) => [chunk.id, chunk.path]));
}

function hitOf({ chunk, by, ...entry }: Chosen, question: Question, origins: ReadonlyMap<number, string>): SearchHit {
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

/** The best hits whose snippets fit the budget; always at least the first. */
function withinBudget(hits: readonly SearchHit[], budget = Number.POSITIVE_INFINITY): SearchHit[] {
  let spent = 0;
  return hits.filter((hit, index) => {
    spent += tokensOf(hit.snippet);
    return index === 0 || spent <= budget;
  });
}

/** The part of a text where most words of the question stand, in one line. */
export function snippetOf(text: string, stems: ReadonlySet<string>): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= LONGEST_SNIPPET) return flat;
  const start = bestStart(flat, stems);
  const from = start === 0 ? 0 : flat.indexOf(' ', start) + 1;
  const to = from + LONGEST_SNIPPET >= flat.length ? flat.length : Math.max(from + 1, flat.lastIndexOf(' ', from + LONGEST_SNIPPET));
  return `${from > 0 ? '… ' : ''}${flat.slice(from, to)}${to < flat.length ? ' …' : ''}`;
}

/** Where to begin so that the window holds the most different words of the question. */
function bestStart(text: string, stems: ReadonlySet<string>): number {
  const hits = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    .map((match) => ({ at: match.index, stem: stemOf(match[0].toLowerCase()) }))
    .filter(({ stem }) => stems.has(stem));
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of hits.entries()) {
    const inside = hits.slice(index).filter((hit) => hit.at < at + LONGEST_SNIPPET - LONGEST_SNIPPET / 4);
    const count = new Set(inside.map((hit) => hit.stem)).size;
    if (count > best.count) best = { at, count };
  }
  return Math.max(0, best.at - LONGEST_SNIPPET / 4);
}

/** An estimate that needs no model: English has about four characters a token. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

import type { Collection, NameCarrier } from '../store/collection.ts';
import type { ScoredChunk } from '../store/search-tables.ts';
import type { Inquiry, Question } from './question.ts';
import { count, fuse } from './ranking.ts';

/** What words and vectors find, before links are followed. */
export interface Candidates {
  lexical: ScoredChunk[];
  nearest: ScoredChunk[];
  fused: ScoredChunk[];
}

const MOST_CANDIDATES = 100;
const MOST_TITLED = 8;
const MOST_ALIASED = 3;
const MOST_MENTIONING = 10;
const BY_TITLE = 3;
const BY_ALIAS = 1;
const BY_MENTION = 0.5;
/** A name of one word may mean many things. */
const ONE_WORD = 0.5;
/** What a document that nothing else speaks for gets, where several have the same name. */
const LEAST_SHARE = 0.25;

export async function findCandidates(inquiry: Inquiry): Promise<Candidates> {
  const [lexical, nearest] = await Promise.all([
    findByWords(inquiry.store, inquiry.question, MOST_CANDIDATES),
    findByVector(inquiry, MOST_CANDIDATES),
  ]);
  return { lexical, nearest, fused: fuse([lexical, nearest]) };
}

export async function findByWords(store: Collection, question: Question, limit: number): Promise<ScoredChunk[]> {
  return question.words.length === 0 ? [] : store.search.lexical(question.words, limit);
}

export async function findByVector({ store, embedder, question, signal }: Inquiry, limit: number): Promise<ScoredChunk[]> {
  const [vector] = await embedder.embed([question.text], { kind: 'query', ...(signal && { signal }) });
  return vector ? store.search.nearest(vector, limit) : [];
}

/** Chunks of documents that the question names, or that share a name with it, with a weight for each. The longest names win. */
export async function findByName({ store, question }: Inquiry, fused: readonly ScoredChunk[]): Promise<Map<number, number>> {
  const best = fused[0]?.score ?? 1;
  const standing = new Map(fused.map(({ chunkId, score }) => [chunkId, score / best]));
  const names = [...new Set(question.names.map(({ name }) => name))];
  const titles = Map.groupBy(await store.chunksWithNames(names, { roles: ['title', 'alias'] }), (row) => row.name);
  const mentions = Map.groupBy(
    await store.chunksWithNames(names, { roles: ['mention'], mostDocuments: MOST_MENTIONING }),
    (row) => row.name,
  );
  const weights = new Map<number, number>();
  const taken = new Set<number>();
  for (const { name, start, end } of question.names) {
    const places = Array.from({ length: end - start }, (_, index) => start + index);
    if (places.some((place) => taken.has(place))) continue;
    const found = meant(titles.get(name) ?? [], name.includes(' ') ? (mentions.get(name) ?? []) : [], standing);
    if (!found) continue;
    for (const place of places) taken.add(place);
    const weight = found.weight * (name.includes(' ') ? 1 : ONE_WORD);
    const shares = found.chunkIds.map((id) => ({ id, share: LEAST_SHARE + (standing.get(id) ?? 0) }));
    const total = shares.reduce((sum, { share }) => sum + share, 0);
    for (const { id, share } of shares) count(weights, id, (weight * share) / total);
  }
  return weights;
}

/** Documents with this title, else with this alias, else those that mention it. Of too many, those that words or vectors found too. */
function meant(
  titles: readonly NameCarrier[],
  mentions: readonly NameCarrier[],
  standing: ReadonlyMap<number, number>,
): { chunkIds: number[]; weight: number } | undefined {
  const choices = [
    { rows: titles.filter((row) => row.role === 'title'), weight: BY_TITLE, most: MOST_TITLED },
    { rows: titles.filter((row) => row.role === 'alias'), weight: BY_ALIAS, most: MOST_ALIASED },
    { rows: mentions, weight: BY_MENTION, most: MOST_MENTIONING },
  ];
  for (const { rows, weight, most } of choices) {
    const all = firstChunks(rows);
    const chunkIds = all.length > most ? all.filter((id) => standing.has(id)).slice(0, most) : all;
    if (chunkIds.length > 0) return { chunkIds, weight };
  }
  return undefined;
}

/** The first chunk of each document represents it. */
function firstChunks(rows: readonly NameCarrier[]): number[] {
  const first = new Map<number, number>();
  for (const { chunkId, documentId } of rows) first.set(documentId, Math.min(chunkId, first.get(documentId) ?? chunkId));
  return [...first.values()];
}

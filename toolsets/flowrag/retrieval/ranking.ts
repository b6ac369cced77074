import type { ScoredChunk } from '../store/search-tables.ts';

export interface SearchHit {
  /** As published; a lexical share shows in the explanation. */
  source: 'vector' | 'graph';
  /** 0 to 1, higher is better, falling within a reply. */
  score: number;
  path: string;
  title: string;
  startLine: number;
  endLine: number;
  headings: string[];
  /** Around the match, bounded. */
  snippet: string;
  chunkId: number;
  /** Why it ranked: one short sentence of ours, such as "vector 0.71 (rank 1), words 12.3 (rank 2), graph 0.04". */
  explanation: string;
}

/** One chunk that a mode found, before its text is fetched. */
export interface Ranked {
  chunkId: number;
  source: 'vector' | 'graph';
  /** 0 to 1, higher is better. */
  score: number;
  /** Why it ranked, in parts that are joined to a sentence. */
  reasons: string[];
  /** The link that led to it. */
  by?: { from: number; via: string };
}

/** Where a chunk stood in the list of a single method. */
export class Ranks {
  readonly #places: ReadonlyMap<number, { rank: number; score: number }>;

  constructor(hits: readonly ScoredChunk[]) {
    this.#places = new Map(hits.map(({ chunkId, score }, index) => [chunkId, { rank: index + 1, score }]));
  }

  reason(label: string, chunkId: number): string[] {
    const place = this.#places.get(chunkId);
    return place ? [`${label} ${place.score.toFixed(2)} (rank ${place.rank})`] : [];
  }
}

export function unit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The usual constant of reciprocal rank fusion: it flattens how fast later ranks lose weight. */
const SMOOTHING = 60;

/** Joins rankings whose scores cannot be compared: each gives a chunk 1 / (60 + its rank). */
export function fuse(rankings: readonly (readonly ScoredChunk[])[]): ScoredChunk[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [index, { chunkId }] of ranking.entries()) count(scores, chunkId, 1 / (SMOOTHING + index + 1));
  }
  return [...scores].map(([chunkId, score]) => ({ chunkId, score })).sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** The least that a seed or an answer counts. */
export const WEAKEST = 0.05;

/** How near the best vector is: scores fall from there, so that a weak answer does not look like a strong one. */
export function strengthOf(nearest: readonly ScoredChunk[]): number {
  return Math.max(WEAKEST, unit(nearest[0]?.score ?? 0));
}

/** Adds to what is already counted for a key. */
export function count<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

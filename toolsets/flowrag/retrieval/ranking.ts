import type { ScoredChunk } from '../ports.ts';

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

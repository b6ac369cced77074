import type { ScoredChunk } from '../ports.ts';

/** A later rank counts less slowly than it would alone: the usual constant of reciprocal rank fusion. */
const SMOOTHING = 60;

export interface Standing {
  chunkId: number;
  score: number;
}

/** Joins rankings whose scores cannot be compared: each gives a chunk 1 / (60 + its rank). */
export function fuse(rankings: readonly (readonly ScoredChunk[])[]): Standing[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    ranking.forEach(({ chunkId }, index) => {
      scores.set(chunkId, (scores.get(chunkId) ?? 0) + 1 / (SMOOTHING + index + 1));
    });
  }
  return [...scores].map(([chunkId, score]) => ({ chunkId, score })).sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

import type { Embedder } from '@millrace/models';
import type { KnowledgeStore } from '../ports.ts';
import { findByVector } from './candidates.ts';
import type { Question } from './question.ts';
import { type Ranked, unit } from './ranking.ts';

/** Vectors alone: the score is the cosine. */
export async function naive(
  store: KnowledgeStore,
  embedder: Embedder,
  question: Question,
  limit: number,
  signal?: AbortSignal,
): Promise<Ranked[]> {
  const hits = await findByVector(store, embedder, question, limit, signal);
  return hits.map(({ chunkId, score }, index) => ({
    chunkId,
    source: 'vector',
    score: unit(score),
    reasons: [`vector ${score.toFixed(2)} (rank ${index + 1})`],
  }));
}

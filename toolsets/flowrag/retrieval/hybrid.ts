import { type Candidates, findByName, findCandidates } from './candidates.ts';
import { LinkGraph } from './links.ts';
import type { Inquiry } from './question.ts';
import { type Ranked, Ranks, unit } from './ranking.ts';
import { type Reached, walk } from './walk.ts';

const SEEDS = 20;
/** How fast the weight of a seed falls with its rank. */
const RANK_FALL = 1.5;
const RESTART = 0.5;
const ROUNDS = [24, 16, 8] as const;
const WEAKEST = 0.05;

/** Words and vectors find where to begin; a walk over the links decides what ranks. Its ranking alone is better than one fused again. */
export async function hybrid(inquiry: Inquiry): Promise<Ranked[]> {
  const candidates = await findCandidates(inquiry);
  const named = await findByName(inquiry, candidates.fused);
  const seeds = new Map(candidates.fused.slice(0, SEEDS).map(({ chunkId }, index) => [chunkId, 1 / (index + 1) ** RANK_FALL]));
  for (const [chunkId, weight] of named) seeds.set(chunkId, (seeds.get(chunkId) ?? 0) + weight);
  if (seeds.size === 0) return [];
  const reached = await walk(new LinkGraph(inquiry), seeds, { restart: RESTART, rounds: ROUNDS });
  return ranked(reached, candidates, named);
}

/** Scores fall from how near the best vector is, so that a weak answer does not look like a strong one. */
function ranked(reached: readonly Reached[], candidates: Candidates, named: ReadonlyMap<number, number>): Ranked[] {
  const [words, vectors] = [new Ranks(candidates.lexical), new Ranks(candidates.nearest)];
  const strength = Math.max(WEAKEST, unit(candidates.nearest[0]?.score ?? 0));
  const most = reached[0]?.share ?? 1;
  return reached.map(({ chunkId, share, linked, by }) => ({
    chunkId,
    source: linked > share / 2 ? 'graph' : 'vector',
    score: (strength * share) / most,
    reasons: [
      ...(named.has(chunkId) ? ['named in the query'] : []),
      ...words.reason('words', chunkId),
      ...vectors.reason('vector', chunkId),
      ...(linked > 0 ? [`graph ${Math.round((100 * linked) / share)} %`] : []),
    ],
    ...(by && { by }),
  }));
}

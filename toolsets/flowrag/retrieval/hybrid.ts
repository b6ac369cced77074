import { type Candidates, findByName, findCandidates } from './candidates.ts';
import { LinkGraph } from './links.ts';
import type { Inquiry } from './question.ts';
import { count, type Ranked, Ranks, strengthOf } from './ranking.ts';
import { type Reached, walk } from './walk.ts';

const SEEDS = 20;
/** How fast the weight of a seed falls with its rank. */
const RANK_FALL = 1.5;
const RESTART = 0.5;
const ROUNDS = [24, 16, 8] as const;

/** Words and vectors find where to begin; a walk over the links decides what ranks. Its ranking alone is better than one fused again. */
export async function hybrid(inquiry: Inquiry): Promise<Ranked[]> {
  const candidates = await findCandidates(inquiry);
  const named = await findByName(inquiry, candidates.fused);
  const seeds = new Map(candidates.fused.slice(0, SEEDS).map(({ chunkId }, index) => [chunkId, 1 / (index + 1) ** RANK_FALL]));
  for (const [chunkId, weight] of named) count(seeds, chunkId, weight);
  if (seeds.size === 0) return [];
  const reached = await walk(new LinkGraph(inquiry), seeds, { restart: RESTART, rounds: ROUNDS });
  return ranked(reached, candidates, named);
}

function ranked(reached: readonly Reached[], candidates: Candidates, named: ReadonlyMap<number, number>): Ranked[] {
  const [words, vectors] = [new Ranks(candidates.lexical), new Ranks(candidates.nearest)];
  const strength = strengthOf(candidates.nearest);
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

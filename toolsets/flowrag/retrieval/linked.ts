import { entityKey } from '../schema.ts';
import type { Collection } from '../store/collection.ts';
import type { ScoredChunk } from '../store/search-tables.ts';
import { findByName, findByVector, findCandidates } from './candidates.ts';
import { LinkGraph } from './links.ts';
import type { Inquiry } from './question.ts';
import { count, fuse, type Ranked, Ranks, strengthOf, unit, WEAKEST } from './ranking.ts';
import { type Reached, walk } from './walk.ts';

const NEAREST = 60;
/** How many of the nearest chunks are begun with when the query names nothing that is known. */
const FALLBACK = 5;
const MOST_CHUNKS_OF_ENTITY = 200;
const NEIGHBOUR = 0.5;
const INFERRED = 0.5;
const LOCAL_WALK = { restart: 0.6, rounds: [24, 12] } as const;
const HYBRID_WALK = { restart: 0.5, rounds: [24, 16, 8] } as const;
const SEEDS = 20;
/** How fast the weight of a seed falls with its rank. */
const RANK_FALL = 1.5;

/** The entities and pages that the query names, those that are related to them, and what is linked to their chunks. */
export async function local(inquiry: Inquiry): Promise<Ranked[]> {
  const [nearest, entities] = await Promise.all([findByVector(inquiry, NEAREST), entitiesNamed(inquiry)]);
  const named = await findByName(inquiry, fuse([nearest]));
  const near = new Map(nearest.map(({ chunkId, score }) => [chunkId, unit(score)]));
  const seeds = await chunksOfEntities(inquiry.store, entities, near);
  for (const [chunkId, weight] of named) count(seeds, chunkId, weight);
  const anchored = seeds.size > 0;
  if (!anchored) for (const { chunkId, score } of nearest.slice(0, FALLBACK)) seeds.set(chunkId, unit(score) + WEAKEST);
  if (seeds.size === 0) return [];
  const reached = await walk(new LinkGraph(inquiry), seeds, LOCAL_WALK);
  const vectors = new Ranks(nearest);
  const seeded = anchored ? 'speaks of what the query names' : 'nothing in the query is a known entity: nearest by vector';
  return scored(reached, nearest, ({ chunkId }) => ({
    source: anchored || !seeds.has(chunkId) ? 'graph' : 'vector',
    reasons: [seeds.has(chunkId) ? seeded : 'neighbourhood', ...vectors.reason('vector', chunkId)],
  }));
}

/** Words and vectors find where to begin; a walk over the links decides what ranks. Its ranking alone is better than one fused again. */
export async function hybrid(inquiry: Inquiry): Promise<Ranked[]> {
  const { lexical, nearest, fused } = await findCandidates(inquiry);
  const named = await findByName(inquiry, fused);
  const seeds = new Map(fused.slice(0, SEEDS).map(({ chunkId }, index) => [chunkId, 1 / (index + 1) ** RANK_FALL]));
  for (const [chunkId, weight] of named) count(seeds, chunkId, weight);
  if (seeds.size === 0) return [];
  const reached = await walk(new LinkGraph(inquiry), seeds, HYBRID_WALK);
  const [words, vectors] = [new Ranks(lexical), new Ranks(nearest)];
  return scored(reached, nearest, ({ chunkId, share, linked }) => ({
    source: linked > share / 2 ? 'graph' : 'vector',
    reasons: [
      ...(named.has(chunkId) ? ['named in the query'] : []),
      ...words.reason('words', chunkId),
      ...vectors.reason('vector', chunkId),
      ...(linked > 0 ? [`graph ${Math.round((100 * linked) / share)} %`] : []),
    ],
  }));
}

/** Scores fall from how near the best vector is, by the share of the walk. */
function scored(
  reached: readonly Reached[],
  nearest: readonly ScoredChunk[],
  found: (chunk: Reached) => Pick<Ranked, 'source' | 'reasons'>,
): Ranked[] {
  const strength = strengthOf(nearest);
  const most = reached[0]?.share ?? 1;
  return reached.map((chunk) => {
    const { chunkId, share, by } = chunk;
    return { chunkId, score: (strength * share) / most, ...found(chunk), ...(by && { by }) };
  });
}

/** Entities by the names in the query, the longest first, with their neighbours at half weight. */
async function entitiesNamed({ store, question }: Inquiry): Promise<Map<string, number>> {
  const words = question.text.match(/[\p{L}\p{N}\p{M}_./-]+/gu) ?? [];
  const keys = new Set<string>();
  for (let length = Math.min(5, words.length); length >= 1; length--) {
    for (let start = 0; start + length <= words.length; start++) keys.add(entityKey(words.slice(start, start + length).join(' ')));
  }
  const found = new Map((await store.entitiesByKey([...keys])).map(({ entityId }) => [entityId, 1]));
  for (const relation of found.size > 0 ? await store.relationsOf([...found.keys()], { inferred: true }) : []) {
    const weight = NEIGHBOUR * relation.confidence * (relation.inferred ? INFERRED : 1);
    for (const id of [relation.sourceId, relation.targetId]) found.set(id, Math.max(found.get(id) ?? 0, weight));
  }
  return found;
}

/** Each entity's weight is spread over its chunks, most to those near the query. */
async function chunksOfEntities(
  store: Collection,
  entities: ReadonlyMap<string, number>,
  near: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const seeds = new Map<number, number>();
  const rows = Map.groupBy(await store.chunksOfEntities([...entities.keys()]), (row) => row.entityId);
  for (const [entityId, chunks] of rows) {
    const shares = chunks.slice(0, MOST_CHUNKS_OF_ENTITY).map(({ chunkId }) => [chunkId, WEAKEST + (near.get(chunkId) ?? 0)] as const);
    const total = shares.reduce((sum, [, share]) => sum + share, 0);
    for (const [chunkId, share] of shares) count(seeds, chunkId, ((entities.get(entityId) ?? 0) * share) / total);
  }
  return seeds;
}

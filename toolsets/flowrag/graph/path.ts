import type { KnowledgeStore } from '../ports.ts';
import type { GraphSchema } from '../schema.ts';
import { type Hop, hopsOf } from './flow.ts';

/** The fewest hops by which data gets from one entity to the other, or nothing within the depth. */
export async function shortestPath(
  store: KnowledgeStore,
  schema: GraphSchema,
  fromId: string,
  toId: string,
  options: { maxDepth: number; inferred: boolean },
): Promise<Hop[] | undefined> {
  if (fromId === toId) return [];
  const reachedBy = new Map<string, Hop | undefined>([[fromId, undefined]]);
  let frontier = [fromId];
  for (let depth = 0; depth < options.maxDepth && frontier.length > 0; depth++) {
    const next: string[] = [];
    for (const hop of await hopsOf(store, schema, frontier, 'downstream', options.inferred)) {
      if (reachedBy.has(hop.toId)) continue;
      reachedBy.set(hop.toId, hop);
      if (hop.toId === toId) return hopsTo(reachedBy, toId);
      next.push(hop.toId);
    }
    frontier = next;
  }
  return undefined;
}

function hopsTo(reachedBy: ReadonlyMap<string, Hop | undefined>, end: string): Hop[] {
  const hops: Hop[] = [];
  for (let hop = reachedBy.get(end); hop; hop = reachedBy.get(hop.fromId)) hops.unshift(hop);
  return hops;
}

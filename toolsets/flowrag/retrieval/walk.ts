import type { Link, LinkGraph } from './links.ts';
import { count } from './ranking.ts';

/** Where a random walk that keeps coming back to its seeds spends its time. */
export interface Reached {
  chunkId: number;
  /** Its share of the whole; all shares add up to 1. */
  share: number;
  /** The part of the share that came over links, and not from being a seed. */
  linked: number;
  /** The link that brought most. */
  by?: { from: number; via: string };
}

export interface WalkOptions {
  /** How likely each step is a return to the seeds. */
  restart: number;
  /** How many chunks may be expanded in each round, seeds first. */
  rounds: readonly number[];
}

/** A few steps show where to look next; more settle the ranking. */
const STEPS_BETWEEN = 3;
const STEPS = 8;
const NEGLIGIBLE = 1e-4;

/**
 * Personalised PageRank over the surroundings of the seeds: each round expands the chunks where most of the walk is,
 * so that the cost does not depend on the size of the collection.
 */
export async function walk(graph: LinkGraph, seeds: ReadonlyMap<number, number>, { restart, rounds }: WalkOptions): Promise<Reached[]> {
  const total = [...seeds.values()].reduce((sum, weight) => sum + weight, 0);
  const home = new Map([...seeds].map(([id, weight]) => [id, weight / total]));
  let shares = new Map(home);
  for (const [index, most] of rounds.entries()) {
    const frontier = [...shares].filter(([id]) => graph.linksOf(id) === undefined).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    await graph.expand(frontier.slice(0, most).map(([id]) => id));
    shares = settle(graph, home, restart, index === rounds.length - 1 ? STEPS : STEPS_BETWEEN);
  }
  const brought = strongest(graph, shares);
  return [...shares]
    .map(([chunkId, share]) => {
      const by = brought.get(chunkId);
      return { chunkId, share, linked: Math.max(0, share - restart * (home.get(chunkId) ?? 0)), ...(by && { by }) };
    })
    .sort((a, b) => b.share - a.share || a.chunkId - b.chunkId);
}

function settle(graph: LinkGraph, home: ReadonlyMap<number, number>, restart: number, steps: number): Map<number, number> {
  let shares = new Map(home);
  for (let step = 0; step < steps; step++) {
    const next = new Map<number, number>();
    let homeward = restart;
    for (const [id, share] of shares) {
      const links = graph.linksOf(id) ?? [];
      const sum = weightOf(links);
      // A chunk that leads nowhere, or was not looked at, sends the walk home.
      if (sum === 0 || share < NEGLIGIBLE) homeward += (1 - restart) * share;
      else for (const { to, weight } of links) count(next, to, ((1 - restart) * share * weight) / sum);
    }
    for (const [id, weight] of home) count(next, id, homeward * weight);
    shares = next;
  }
  return shares;
}

function strongest(graph: LinkGraph, shares: ReadonlyMap<number, number>): Map<number, { from: number; via: string }> {
  const best = new Map<number, { from: number; via: string; amount: number }>();
  for (const [from, share] of shares) {
    const links = graph.linksOf(from) ?? [];
    const sum = weightOf(links);
    for (const { to, weight, via } of links) {
      const amount = (share * weight) / sum;
      if (amount > (best.get(to)?.amount ?? 0)) best.set(to, { from, via, amount });
    }
  }
  return new Map([...best].map(([to, { from, via }]) => [to, { from, via }]));
}

function weightOf(links: readonly Link[]): number {
  let sum = 0;
  for (const { weight } of links) sum += weight;
  return sum;
}

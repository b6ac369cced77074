import { flowOf, type GraphSchema } from '../schema.ts';
import type { Collection, StoredRelation } from '../store/collection.ts';
import type { NamedEntity } from './resolve.ts';

/** A relation seen as data on its way, whichever end is its subject. */
export interface Hop extends Pick<StoredRelation, 'type' | 'confidence' | 'inferred' | 'evidence'> {
  fromId: string;
  from: string;
  toId: string;
  to: string;
}

export type FlowDirection = 'upstream' | 'downstream';

/** Where data goes from these entities, or where it comes from: the most certain relation first where several say the same. */
export async function hopsOf(
  store: Collection,
  schema: GraphSchema,
  entityIds: readonly string[],
  direction: FlowDirection,
  inferred: boolean,
): Promise<Hop[]> {
  const wanted = new Set(entityIds);
  const best = new Map<string, Hop>();
  for (const relation of await store.relationsOf(entityIds, { inferred })) {
    const hop = hopOf(relation, schema);
    if (!hop || !wanted.has(direction === 'downstream' ? hop.fromId : hop.toId)) continue;
    const key = JSON.stringify([hop.fromId, hop.toId]);
    const before = best.get(key);
    if (!before || compareHops(hop, before) < 0) best.set(key, hop);
  }
  return [...best.values()].sort((a, b) => (a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1));
}

function hopOf(relation: StoredRelation, schema: GraphSchema): Hop | undefined {
  const flow = flowOf(schema, relation.type);
  if (flow === 'none') return undefined;
  const { sourceId, source, targetId, target, type, confidence, inferred, evidence } = relation;
  const forward = { fromId: sourceId, from: source, toId: targetId, to: target };
  const backward = { fromId: targetId, from: target, toId: sourceId, to: source };
  return { ...(flow === 'subject-to-object' ? forward : backward), type, confidence, inferred, evidence };
}

function compareHops(a: Hop, b: Hop): number {
  return Number(a.inferred) - Number(b.inferred) || b.confidence - a.confidence || (a.type < b.type ? -1 : 1);
}

/** The fewest hops by which data gets from one entity to the other, or nothing within the depth. */
export async function shortestPath(
  store: Collection,
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

export interface Trace {
  /** Names in the order in which data flows, one chain for each end that is reached. */
  chains: string[][];
  hops: Hop[];
  /** Hops that lead back to an entity of their own chain: the trace is cut there. */
  cycles: Hop[];
  /** More is connected than was followed. */
  truncated: boolean;
}

const MOST_ENTITIES = 200;

/** Follows the data step by step; each entity is entered once, by the shortest way. */
export async function traceFlow(
  store: Collection,
  schema: GraphSchema,
  start: NamedEntity,
  direction: FlowDirection,
  inferred: boolean,
): Promise<Trace> {
  const steps = new Map<string, { name: string; parent: string | undefined }>([[start.id, { name: start.name, parent: undefined }]]);
  const trace: Trace = { chains: [], hops: [], cycles: [], truncated: false };
  const inner = new Set<string>();
  let frontier = [start.id];
  while (frontier.length > 0 && !trace.truncated) {
    const next: string[] = [];
    for (const hop of await hopsOf(store, schema, frontier, direction, inferred)) {
      const [near, far, farName] = direction === 'downstream' ? [hop.fromId, hop.toId, hop.to] : [hop.toId, hop.fromId, hop.from];
      if (isAncestor(steps, far, near)) {
        trace.cycles.push(hop);
        continue;
      }
      trace.hops.push(hop);
      if (steps.has(far)) continue;
      if (steps.size >= MOST_ENTITIES) {
        trace.truncated = true;
        continue;
      }
      steps.set(far, { name: farName, parent: near });
      inner.add(near);
      next.push(far);
    }
    frontier = next;
  }
  for (const [id] of steps) if (!inner.has(id) && id !== start.id) trace.chains.push(chainTo(steps, id, direction));
  return trace;
}

type Steps = ReadonlyMap<string, { name: string; parent: string | undefined }>;

function isAncestor(steps: Steps, candidate: string, of: string): boolean {
  for (let id: string | undefined = of; id !== undefined; id = steps.get(id)?.parent) if (id === candidate) return true;
  return false;
}

function chainTo(steps: Steps, end: string, direction: FlowDirection): string[] {
  const names: string[] = [];
  for (let step = steps.get(end); step; step = step.parent === undefined ? undefined : steps.get(step.parent)) names.push(step.name);
  return direction === 'downstream' ? names.reverse() : names;
}

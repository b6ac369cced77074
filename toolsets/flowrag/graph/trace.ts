import type { KnowledgeStore } from '../ports.ts';
import type { GraphSchema } from '../schema.ts';
import { type FlowDirection, type Hop, hopsOf } from './flow.ts';
import type { NamedEntity } from './resolve.ts';

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
  store: KnowledgeStore,
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
  for (let id: string | undefined = end; id !== undefined; id = steps.get(id)?.parent) names.push(steps.get(id)?.name as string);
  return direction === 'downstream' ? names.reverse() : names;
}

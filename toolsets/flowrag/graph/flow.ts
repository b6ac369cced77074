import type { KnowledgeStore, StoredRelation } from '../ports.ts';
import { flowOf, type GraphSchema } from '../schema.ts';

/** A relation seen as data on its way, whichever end is its subject. */
export interface Hop {
  fromId: string;
  from: string;
  toId: string;
  to: string;
  type: string;
  confidence: number;
  inferred: boolean;
  evidence: StoredRelation['evidence'];
}

export type FlowDirection = 'upstream' | 'downstream';

/** Where data goes from these entities, or where it comes from: the most certain relation first where several say the same. */
export async function hopsOf(
  store: KnowledgeStore,
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

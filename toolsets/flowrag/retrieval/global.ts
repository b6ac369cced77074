import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { product } from '../store/signatures.ts';
import { findCandidates } from './candidates.ts';
import { LinkGraph } from './links.ts';
import type { Inquiry } from './question.ts';
import { count, type Ranked, Ranks, strengthOf, unit } from './ranking.ts';

// The package is CommonJS: its types put the function below `default`, where it is at run time too.
const louvain = louvainModule.default ?? louvainModule;

const CONSIDERED = 80;
/** Chunks whose vectors are at least this near belong together even without a shared name. */
const ALIKE = 0.45;
/** How much less each further chunk of the same theme counts, so that every theme is represented. */
const REPEATED = 0.6;
const NAMES_OF_THEME = 3;
const NOWHERE = new Float32Array();

/** Themes across documents: what the query touches is grouped into communities, and each is represented by its most telling chunks. */
export async function global(inquiry: Inquiry): Promise<Ranked[]> {
  const candidates = await findCandidates(inquiry);
  const relevance = new Map(candidates.fused.slice(0, CONSIDERED).map(({ chunkId, score }) => [chunkId, score]));
  const members = [...relevance.keys()];
  if (members.length === 0) return [];
  const vectors = await inquiry.store.search.vectors(members);
  const graph = new LinkGraph(inquiry);
  await graph.expand(members);
  const themes = communitiesOf(members, [...linkTies(graph, members), ...vectorTies(vectors)])
    .map((chunkIds) => ({ chunkIds, weight: chunkIds.reduce((sum, id) => sum + (relevance.get(id) ?? 0), 0) }))
    .sort((a, b) => b.weight - a.weight);
  const ranks = new Ranks(candidates.nearest);
  const strength = strengthOf(candidates.nearest);
  return themes
    .flatMap(({ chunkIds, weight }, index) => {
      const telling = mostTelling(chunkIds, relevance, vectors);
      const best = telling[0]?.value ?? 1;
      const names = namesOf(chunkIds, graph).map((name) => `“${name}”`);
      const about = `theme ${index + 1} of ${themes.length}${names.length > 0 ? ` (${names.join(', ')})` : ''}, ${chunkIds.length} chunks`;
      return telling.map(({ chunkId, value }, place): Ranked => {
        const ofAll = weight / (themes[0]?.weight ?? weight);
        const score = strength * ofAll * (value / best) * REPEATED ** place;
        return { chunkId, source: 'graph', score, reasons: [about, ...ranks.reason('vector', chunkId)] };
      });
    })
    .sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** The chunks of a theme, the most telling first: relevant to the query and near to the theme's middle. */
function mostTelling(
  chunkIds: readonly number[],
  relevance: ReadonlyMap<number, number>,
  vectors: ReadonlyMap<number, Float32Array>,
): { chunkId: number; value: number }[] {
  const middle = meanOf(chunkIds.flatMap((id) => vectors.get(id) ?? []));
  const nearness = (id: number) => unit(product(middle, vectors.get(id) ?? NOWHERE));
  return chunkIds
    .map((chunkId) => ({ chunkId, value: (relevance.get(chunkId) ?? 0) * (0.5 + 0.5 * nearness(chunkId)) }))
    .sort((a, b) => b.value - a.value || a.chunkId - b.chunkId);
}

/** The names that tie most of the theme's chunks to each other. */
function namesOf(chunkIds: readonly number[], graph: LinkGraph): string[] {
  const inside = new Set(chunkIds);
  const counts = new Map<string, number>();
  for (const id of chunkIds) {
    const names = new Set((graph.linksOf(id) ?? []).filter(({ to }) => inside.has(to)).map(({ via }) => via));
    for (const name of names) count(counts, name, 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, NAMES_OF_THEME)
    .map(([name]) => name.slice(0, 60));
}

function linkTies(graph: LinkGraph, members: readonly number[]): Tie[] {
  const inside = new Set(members);
  return members.flatMap((a) =>
    (graph.linksOf(a) ?? []).filter(({ to }) => inside.has(to)).map(({ to, weight }) => ({ a, b: to, weight })),
  );
}

function vectorTies(vectors: ReadonlyMap<number, Float32Array>): Tie[] {
  const entries = [...vectors];
  return entries.flatMap(([a, one], index) =>
    entries.slice(index + 1).flatMap(([b, other]) => {
      const nearness = product(one, other);
      return nearness >= ALIKE ? [{ a, b, weight: nearness }] : [];
    }),
  );
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sums = Float32Array.from(vectors[0] ?? [], () => 0);
  for (const vector of vectors) for (const [index, value] of vector.entries()) sums[index] = (sums[index] ?? 0) + value;
  const length = Math.hypot(...sums) || 1;
  return sums.map((value) => value / length);
}

export interface Tie {
  a: number;
  b: number;
  weight: number;
}

/** Groups of things that are tied to each other more than to the rest, the same groups for the same ties. */
export function communitiesOf(members: readonly number[], ties: readonly Tie[]): number[][] {
  const graph = new UndirectedGraph<object, { weight?: number }>();
  for (const member of members) graph.mergeNode(String(member));
  for (const { a, b, weight } of ties) {
    if (a === b || weight <= 0 || !graph.hasNode(String(a)) || !graph.hasNode(String(b))) continue;
    graph.updateEdge(String(a), String(b), ({ weight: before = 0 }) => ({ weight: before + weight }));
  }
  const groups = louvain(graph, { getEdgeWeight: 'weight', rng: steadyChoices() });
  return [...Map.groupBy(members, (member) => groups[String(member)]).values()];
}

/** Louvain visits nodes in a random order; a fixed one makes its answer repeatable. */
function steadyChoices(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

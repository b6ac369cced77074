import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';

// The package is CommonJS: its types put the function below `default`, where it is at run time too.
const louvain = louvainModule.default ?? louvainModule;

export interface Tie {
  a: number;
  b: number;
  weight: number;
}

/** Groups of things that are tied to each other more than to the rest, the same groups for the same ties. */
export function communitiesOf(members: readonly number[], ties: readonly Tie[]): number[][] {
  const graph = new UndirectedGraph();
  for (const member of members) graph.mergeNode(String(member));
  for (const { a, b, weight } of ties) {
    if (a === b || weight <= 0 || !graph.hasNode(String(a)) || !graph.hasNode(String(b))) continue;
    graph.updateEdge(String(a), String(b), (attributes) => ({ weight: ((attributes.weight as number | undefined) ?? 0) + weight }));
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

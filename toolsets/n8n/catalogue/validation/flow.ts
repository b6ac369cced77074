import { STICKY_NOTE } from '../../document/workflow/model.ts';
import type { NodeType } from '../types/type-store.ts';
import type { Edge } from './connections.ts';
import { type Findings, listed, quoted } from './findings.ts';
import type { PlacedNode, Shape } from './shape.ts';

/** What starts the workflow, what is never reached, and what goes round without end. */
export function checkFlow(shape: Shape, types: ReadonlyMap<string, NodeType>, edges: Edge[], findings: Findings): void {
  const working = shape.nodes.filter(({ node }) => node.type !== STICKY_NOTE);
  if (working.length === 0) return;
  const triggers = working.filter(({ node }) => startsWorkflow(node.type, types.get(node.name)) && node.disabled !== true);
  if (triggers.length === 0) {
    const fix = 'Add one, such as n8n-nodes-base.manualTrigger, n8n-nodes-base.webhook or n8n-nodes-base.scheduleTrigger';
    findings.at(null, 'nodes').warn('no_trigger', 'Nothing starts this workflow: it has no trigger that is switched on', fix);
    checkConnected(working, edges, findings);
  } else checkReached(working, triggers, edges, findings);
  checkCycles(edges, types, findings);
}

function startsWorkflow(type: string, known: NodeType | undefined): boolean {
  return known ? known.entry.trigger : /trigger$/i.test(type);
}

/** Where nothing starts the workflow, at least the nodes that stand apart from all the others. */
function checkConnected(working: PlacedNode[], edges: Edge[], findings: Findings): void {
  if (edges.length === 0) return;
  const connected = new Set(edges.flatMap((edge) => [edge.from, edge.to]));
  for (const placed of working) if (!connected.has(placed.node.name)) unreached(placed, findings);
}

/** Items flow along main connections; sub-nodes are reached from the node that they plug into. */
function checkReached(working: PlacedNode[], triggers: PlacedNode[], edges: Edge[], findings: Findings): void {
  const steps = edges.map(({ type, from, to }) => (type === 'main' ? { from, to } : { from: to, to: from }));
  const next = Map.groupBy(steps, ({ from }) => from);
  const reached = new Set(triggers.map(({ node }) => node.name));
  // Iterating a set includes what is added on the way.
  for (const name of reached) for (const { to } of next.get(name) ?? []) reached.add(to);
  for (const placed of working) if (!reached.has(placed.node.name)) unreached(placed, findings);
}

function unreached({ node, path }: PlacedNode, findings: Findings): void {
  if (node.disabled === true) return;
  findings.at(node.name, path).warn('unreachable', `${quoted(node.name)} is not reached from any trigger`, 'Connect it, or remove it');
}

/** Loops are legal; one whose nodes have no way out never ends. */
function checkCycles(edges: Edge[], types: ReadonlyMap<string, NodeType>, findings: Findings): void {
  const main = edges.filter((edge) => edge.type === 'main');
  const next = Map.groupBy(main, (edge) => edge.from);
  for (const circle of circles(next)) {
    const names = new Set(circle);
    const ends = circle.some(
      (name) => (types.get(name)?.description.outputs.length ?? 2) > 1 || (next.get(name) ?? []).some((edge) => !names.has(edge.to)),
    );
    const [first] = circle;
    if (ends || first === undefined) continue;
    const message = `The nodes ${listed(circle, 6)} go round without a way out`;
    const fix = 'Put an IF or a Loop Over Items into the circle that leaves it at some point';
    findings.at(first, `connections[${JSON.stringify(first)}]`).warn('endless_loop', message, fix);
  }
}

/** Groups of nodes that all reach each other: Tarjan's strongly connected components, without recursion. */
function circles(next: ReadonlyMap<string, Edge[]>): string[][] {
  const visits = new Map<string, Visit>();
  const stack: string[] = [];
  const found: string[][] = [];
  const begin = (name: string): Visit => {
    const visit: Visit = { name, order: visits.size, lowest: visits.size, onStack: true, edges: next.get(name) ?? [], at: 0 };
    visits.set(name, visit);
    stack.push(name);
    return visit;
  };
  for (const root of next.keys()) {
    if (visits.has(root)) continue;
    const path = [begin(root)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const edge = visit.edges[visit.at++];
      if (edge) {
        const known = visits.get(edge.to);
        if (!known) path.push(begin(edge.to));
        else if (known.onStack) visit.lowest = Math.min(visit.lowest, known.order);
        continue;
      }
      path.pop();
      const { name, lowest, order, edges } = visit;
      const parent = path.at(-1);
      if (parent) parent.lowest = Math.min(parent.lowest, lowest);
      if (lowest !== order) continue;
      const group = stack.splice(stack.indexOf(name));
      for (const member of group) Object.assign(visits.get(member) ?? {}, { onStack: false });
      if (group.length > 1 || edges.some((own) => own.to === name)) found.push(group);
    }
  }
  return found;
}

/** How far the search has come with a node. */
interface Visit {
  name: string;
  order: number;
  /** The earliest node on the stack that it reaches. */
  lowest: number;
  onStack: boolean;
  edges: Edge[];
  at: number;
}

import type { NodeType } from '../types/type-store.ts';
import type { Edge } from './connections.ts';
import { type Findings, listed, quoted } from './findings.ts';
import type { PlacedNode, Shape } from './shape.ts';

const NOTE = 'n8n-nodes-base.stickyNote';

/** What starts the workflow, what is never reached, and what goes round without end. */
export function checkFlow(shape: Shape, types: ReadonlyMap<string, NodeType>, edges: Edge[], findings: Findings): void {
  const working = shape.nodes.filter(({ node }) => node.type !== NOTE);
  if (working.length === 0) return;
  const triggers = working.filter(({ node }) => startsWorkflow(node.type, types.get(node.name)) && node.disabled !== true);
  if (triggers.length === 0) {
    findings.warn({
      code: 'no_trigger',
      node: null,
      path: 'nodes',
      message: 'Nothing starts this workflow: it has no trigger that is switched on',
      fix: 'Add one, such as n8n-nodes-base.manualTrigger, n8n-nodes-base.webhook or n8n-nodes-base.scheduleTrigger',
    });
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
  const next = new Map<string, string[]>();
  const link = (from: string, to: string) => {
    const known = next.get(from);
    if (known) known.push(to);
    else next.set(from, [to]);
  };
  for (const edge of edges) {
    if (edge.type === 'main') link(edge.from, edge.to);
    else link(edge.to, edge.from);
  }
  const reached = new Set(triggers.map(({ node }) => node.name));
  const queue = [...reached];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const to of next.get(name) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      queue.push(to);
    }
  }
  for (const placed of working) if (!reached.has(placed.node.name)) unreached(placed, findings);
}

function unreached({ node, path }: PlacedNode, findings: Findings): void {
  if (node.disabled === true) return;
  findings.warn({
    code: 'unreachable',
    node: node.name,
    path,
    message: `${quoted(node.name)} is not reached from any trigger`,
    fix: 'Connect it, or remove it',
  });
}

/** Loops are legal; one whose nodes have no way out never ends. */
function checkCycles(edges: Edge[], types: ReadonlyMap<string, NodeType>, findings: Findings): void {
  const next = new Map<string, Edge[]>();
  for (const edge of edges) {
    if (edge.type !== 'main') continue;
    const known = next.get(edge.from);
    if (known) known.push(edge);
    else next.set(edge.from, [edge]);
  }
  for (const circle of circles(next)) {
    const names = new Set(circle);
    const ends = circle.some(
      (name) => (types.get(name)?.description.outputs.length ?? 2) > 1 || (next.get(name) ?? []).some((edge) => !names.has(edge.to)),
    );
    if (ends) continue;
    const [first] = circle as [string];
    findings.warn({
      code: 'endless_loop',
      node: first,
      path: `connections[${JSON.stringify(first)}]`,
      message: `The nodes ${listed(circle, 6)} go round without a way out`,
      fix: 'Put an IF or a Loop Over Items into the circle that leaves it at some point',
    });
  }
}

/** Groups of nodes that all reach each other: Tarjan's strongly connected components, without recursion. */
function circles(next: ReadonlyMap<string, Edge[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  for (const root of next.keys()) {
    if (order.has(root)) continue;
    const work: { name: string; at: number }[] = [{ name: root, at: 0 }];
    while (work.length > 0) {
      const top = work.at(-1) as { name: string; at: number };
      const { name } = top;
      if (top.at === 0) {
        order.set(name, order.size);
        lowest.set(name, order.get(name) as number);
        stack.push(name);
        onStack.add(name);
      }
      const edge = next.get(name)?.[top.at++];
      if (edge) {
        if (!order.has(edge.to)) work.push({ name: edge.to, at: 0 });
        else if (onStack.has(edge.to)) lowest.set(name, Math.min(lowest.get(name) as number, order.get(edge.to) as number));
        continue;
      }
      work.pop();
      const parent = work.at(-1);
      if (parent) lowest.set(parent.name, Math.min(lowest.get(parent.name) as number, lowest.get(name) as number));
      if (lowest.get(name) !== order.get(name)) continue;
      const group = stack.splice(stack.indexOf(name));
      for (const member of group) onStack.delete(member);
      if (group.length > 1 || (next.get(name) ?? []).some((own) => own.to === name)) found.push(group);
    }
  }
  return found;
}

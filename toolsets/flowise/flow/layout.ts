import type { Flow, FlowNode } from './flow-data.ts';
import { recordOf } from './node.ts';

const COLUMN = 350;
const ROW = 200;
const SIZE = { width: 300, height: 143 };

/** Positions for the nodes that have none: a column for each step away from the beginning. */
export function arrange(flow: Flow): FlowNode[] {
  const columns = columnsOf(flow);
  const rows = new Map<number, number>();
  return flow.nodes.map((node) => {
    if (hasPosition(node)) return node;
    const column = columns.get(String(node.id)) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    const position = { x: column * COLUMN, y: row * ROW };
    return { ...SIZE, ...node, position, positionAbsolute: position };
  });
}

function hasPosition(node: FlowNode): boolean {
  const position = recordOf(node['position']);
  return typeof position?.['x'] === 'number' && typeof position['y'] === 'number';
}

/** The longest way to each node, as far as a flow without cycles allows; cycles end at the number of nodes. */
function columnsOf(flow: Flow): Map<string, number> {
  const columns = new Map(flow.nodes.map((node) => [String(node.id), 0]));
  for (let round = 0; round < flow.nodes.length; round++) {
    let moved = false;
    for (const { source, target } of flow.edges) {
      const next = (columns.get(String(source)) ?? -1) + 1;
      if (next <= 0 || next >= flow.nodes.length || next <= (columns.get(String(target)) ?? next)) continue;
      columns.set(String(target), next);
      moved = true;
    }
    if (!moved) break;
  }
  return columns;
}

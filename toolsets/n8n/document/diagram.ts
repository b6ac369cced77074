import { type Edge, edgesOf, sameSlot, slotName } from './workflow/connections.ts';
import { type NodeCatalogue, STICKY_NOTE, type Workflow, type WorkflowNode } from './workflow/model.ts';
import { isPosition, nameText } from './workflow/nodes.ts';
import { isPlainTrigger, portsOf } from './workflow/ports.ts';

/** The workflow as a Mermaid flowchart: triggers rounded, what serves an agent dotted. */
export function mermaidOf(workflow: Workflow, catalogue: NodeCatalogue): string {
  const nodes = workflow.nodes.filter((node) => node.type !== STICKY_NOTE);
  const numbers = new Map(nodes.map((node, index) => [node.name, `n${index}`]));
  const lines = ['flowchart LR', ...nodes.map((node, index) => `  n${index}${shape(node)}`)];
  for (const edge of edgesOf(workflow)) {
    const [from, to] = [numbers.get(edge.source), numbers.get(edge.target)];
    if (from && to) lines.push(`  ${from} ${arrow(edge, labelOf(edge, workflow, catalogue))} ${to}`);
  }
  const disabled = nodes.flatMap((node, index) => (node.disabled ? [`n${index}`] : []));
  if (disabled.length > 0) lines.push('  classDef disabled stroke-dasharray: 4 4,opacity: 0.5', `  class ${disabled.join(',')} disabled`);
  return `${lines.join('\n')}\n`;
}

function shape(node: WorkflowNode): string {
  const label = `"${mermaidText(nameText(node) || node.type)}"`;
  if (isPlainTrigger(node.type)) return `([${label}])`;
  return node.type === 'n8n-nodes-base.if' || node.type === 'n8n-nodes-base.switch' ? `{${label}}` : `[${label}]`;
}

function arrow(edge: Edge, label: string | undefined): string {
  const line = edge.output.type === 'main' ? '-->' : '-.->';
  return label === undefined ? line : `${line}|"${mermaidText(label)}"|`;
}

/** What an output is called, where it is not simply the main one. */
function labelOf(edge: Edge, workflow: Workflow, catalogue: NodeCatalogue): string | undefined {
  const source = workflow.nodes.find((node) => node.name === edge.source);
  const port = source && portsOf(source, 'output', catalogue)?.find((output) => sameSlot(output, edge.output));
  const name = port?.name ?? slotName(edge.output);
  return name === 'main' ? undefined : name;
}

/** Mermaid reads quotes, brackets and hashes; entities are safe. */
function mermaidText(text: string): string {
  const plain = text.replace(/\s+/g, ' ').slice(0, 80);
  return plain.replace(/[#"<>&;`|{}[\]()\\]/g, (character) => `#${character.codePointAt(0)};`);
}

const WIDTH = 160;
const HEIGHT = 56;
const MARGIN = 40;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The workflow as it lies on n8n's canvas. Made of text and shapes only: nothing in it can run or load anything. */
export function svgOf(workflow: Workflow, catalogue: NodeCatalogue): string {
  const drawn = workflow.nodes.map((node, index) => ({ node, box: boxOf(node, index) }));
  const byName = new Map(drawn.map(({ node, box }) => [node.name, box]));
  const parts = [
    ...drawn.filter(({ node }) => node.type === STICKY_NOTE).map(({ node, box }) => noteShape(node, box)),
    ...edgesOf(workflow).flatMap((edge) => {
      const [from, to] = [byName.get(edge.source), byName.get(edge.target)];
      return from && to ? [edgeShape(edge, from, to, labelOf(edge, workflow, catalogue))] : [];
    }),
    ...drawn.filter(({ node }) => node.type !== STICKY_NOTE).map(({ node, box }) => nodeShape(node, box)),
  ];
  const view = viewBox(drawn.map(({ box }) => box));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view.x} ${view.y} ${view.width} ${view.height}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${xmlText(typeof workflow.name === 'string' ? workflow.name : 'Workflow', 200)}</title>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker></defs>',
    ...parts,
    '</svg>',
  ].join('\n');
}

function boxOf(node: WorkflowNode, index: number): Box {
  const [x, y] = isPosition(node.position) ? node.position : [index * 220, 0];
  const { width, height } = node.parameters ?? {};
  if (node.type === STICKY_NOTE)
    return { x, y, width: typeof width === 'number' ? width : 240, height: typeof height === 'number' ? height : 160 };
  return { x, y, width: WIDTH, height: HEIGHT };
}

function viewBox(boxes: readonly Box[]): Box {
  const [first = { x: 0, y: 0, width: WIDTH, height: HEIGHT }, ...others] = boxes;
  let [left, top, right, bottom] = [first.x, first.y, first.x + first.width, first.y + first.height];
  for (const box of others) {
    [left, top] = [Math.min(left, box.x), Math.min(top, box.y)];
    [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  return { x: left - MARGIN, y: top - MARGIN, width: right - left + 2 * MARGIN, height: bottom - top + 2 * MARGIN };
}

function nodeShape(node: WorkflowNode, { x, y, width, height }: Box): string {
  const [fill, stroke] = isPlainTrigger(node.type) ? ['#ecfdf5', '#059669'] : ['#ffffff', '#4b5563'];
  const look = node.disabled ? ' stroke-dasharray="4 4" opacity="0.5"' : '';
  const kind = node.type.slice(node.type.lastIndexOf('.') + 1);
  return [
    `<g${look}><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${fill}" stroke="${stroke}"/>`,
    `<text x="${x + width / 2}" y="${y + 24}" text-anchor="middle" fill="#111827">${xmlText(nameText(node), 24)}</text>`,
    `<text x="${x + width / 2}" y="${y + 42}" text-anchor="middle" fill="#6b7280" font-size="10">${xmlText(kind, 26)}</text></g>`,
  ].join('');
}

function noteShape(node: WorkflowNode, { x, y, width, height }: Box): string {
  const content = node.parameters?.['content'];
  const text = typeof content === 'string' ? content.replace(/\s+/g, ' ') : '';
  return `<g><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="#fef9c3" stroke="#eab308"/><text x="${x + 10}" y="${y + 20}" fill="#713f12">${xmlText(text, 40)}</text></g>`;
}

/** Main connections leave to the right; what serves an agent comes from below. */
function edgeShape(edge: Edge, from: Box, to: Box, label: string | undefined): string {
  const isMain = edge.output.type === 'main';
  const [x1, y1] = isMain ? [from.x + from.width, from.y + from.height / 2] : [from.x + from.width / 2, from.y];
  const [x2, y2] = isMain ? [to.x, to.y + to.height / 2] : [to.x + to.width / 2, to.y + to.height];
  const bend = Math.max(40, Math.abs(isMain ? x2 - x1 : y2 - y1) / 2);
  const curve = isMain ? `C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` : `C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`;
  const dashes = isMain ? '' : ' stroke-dasharray="5 4"';
  const path = `<path d="M${x1} ${y1}${curve}" fill="none" stroke="#6b7280"${dashes} marker-end="url(#arrow)"/>`;
  if (label === undefined) return path;
  return `${path}<text x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - 4}" text-anchor="middle" fill="#6b7280" font-size="10">${xmlText(label, 24)}</text>`;
}

const XML_CHARACTER = /[\t -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function xmlText(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  const legal = [...short].filter((character) => XML_CHARACTER.test(character)).join('');
  return legal.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

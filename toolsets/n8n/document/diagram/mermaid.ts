import { type Edge, edgesOf, slotName } from '../workflow/connections.ts';
import type { Workflow, WorkflowNode } from '../workflow/model.ts';
import { STICKY_NOTE } from '../workflow/model.ts';
import type { NodeCatalogue } from '../workflow/node-catalogue.ts';
import { nameText } from '../workflow/nodes.ts';
import { isPlainTrigger, portsOf } from '../workflow/ports.ts';

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
  const label = `"${escaped(nameText(node) || node.type)}"`;
  if (isPlainTrigger(node.type)) return `([${label}])`;
  return node.type === 'n8n-nodes-base.if' || node.type === 'n8n-nodes-base.switch' ? `{${label}}` : `[${label}]`;
}

function arrow(edge: Edge, label: string | undefined): string {
  const line = edge.output.type === 'main' ? '-->' : '-.->';
  return label === undefined ? line : `${line}|"${escaped(label)}"|`;
}

/** What an output is called, where it is not simply the main one. */
export function labelOf(edge: Edge, workflow: Workflow, catalogue: NodeCatalogue): string | undefined {
  const source = workflow.nodes.find((node) => node.name === edge.source);
  const port =
    source &&
    portsOf(workflow, source, 'output', catalogue)?.find(({ type, index }) => type === edge.output.type && index === edge.output.index);
  const name = port?.name ?? slotName(edge.output);
  return name === 'main' ? undefined : name;
}

/** Mermaid reads quotes, brackets and hashes; entities are safe. */
function escaped(text: string): string {
  const plain = text.replace(/\s+/g, ' ').slice(0, 80);
  return plain.replace(/[#"<>&;`|{}[\]()\\]/g, (character) => `#${character.codePointAt(0)};`);
}

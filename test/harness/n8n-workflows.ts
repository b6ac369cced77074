import type { Workflow, WorkflowNode } from '../../toolsets/n8n/document/workflow/model.ts';
import type { Item, RunResult } from '../../toolsets/n8n/engine/engine.ts';

/** A node in the fewest words; a type without a package is of n8n's own nodes. */
export function node(
  name: string,
  type: string,
  typeVersion: number,
  parameters: Record<string, unknown> = {},
  more: Partial<WorkflowNode> = {},
): WorkflowNode {
  return { id: name, name, type: type.includes('.') ? type : `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters, ...more };
}

export const start = node('Start', 'manualTrigger', 1);
export const code = (jsCode: string, mode = 'runOnceForAllItems') => node('Code', 'code', 2, { mode, jsCode });

export function setField(name: string, field: string, value: unknown, type = 'string'): WorkflowNode {
  const assignments = [{ id: '1', name: field, value, type }];
  return node(name, 'set', 3.4, { assignments: { assignments }, includeOtherFields: true, options: {} });
}

/** The nodes one after the other. */
export function chain(...nodes: WorkflowNode[]): Workflow {
  const connections: Workflow['connections'] = {};
  for (const [at, from] of nodes.slice(0, -1).entries())
    connections[from.name] = { main: [[{ node: nodes[at + 1]?.name ?? '', type: 'main', index: 0 }]] };
  return { name: 'A chain', nodes, connections };
}

/** Adds a connection to a workflow. */
export function link(workflow: Workflow, from: string, to: string, output = 0, input = 0, type = 'main'): void {
  workflow.connections[from] ??= {};
  const outputs = workflow.connections[from] as Workflow['connections'][string];
  outputs[type] ??= [];
  const slots = outputs[type];
  while (slots.length <= output) slots.push([]);
  slots[output]?.push({ node: to, type, index: input });
}

export const items = (...json: Record<string, unknown>[]): { items: Item[] } => ({ items: json.map((one) => ({ json: one })) });

/** What a node's last run gave on an output. */
export function output(result: RunResult, name: string, index = 0): Record<string, unknown>[] | undefined {
  return result.runs.findLast((one) => one.node === name)?.outputs[index]?.map((item) => item.json);
}

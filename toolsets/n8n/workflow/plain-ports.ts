import type { NodePort } from '../ports.ts';
import type { WorkflowNode } from './model.ts';

/** What is known about ports without a catalogue: enough for the nodes that every workflow has. */

const BASE = 'n8n-nodes-base.';

export function plainOutputs(node: WorkflowNode): NodePort[] | undefined {
  const names = mainOutputs(node);
  if (!names) return undefined;
  const all = node.onError === 'continueErrorOutput' ? [...names, 'error'] : names;
  return all.map((name, index) => ({ type: 'main', index, name }));
}

function mainOutputs(node: WorkflowNode): string[] | undefined {
  switch (node.type) {
    case `${BASE}if`:
      return ['true', 'false'];
    case `${BASE}splitInBatches`:
      return (node.typeVersion ?? 1) >= 3 ? ['done', 'loop'] : ['main'];
    case `${BASE}switch`:
      return switchOutputs(node);
    case `${BASE}stickyNote`:
      return [];
    default:
      return node.onError === 'continueErrorOutput' ? ['main'] : undefined;
  }
}

/** The outputs of a rule-based switch; other modes are not known without a catalogue. */
function switchOutputs(node: WorkflowNode): string[] | undefined {
  const rules = (node.parameters?.['rules'] as { values?: unknown } | undefined)?.values;
  if (!Array.isArray(rules)) return undefined;
  const names = rules.map((rule: { renameOutput?: unknown; outputKey?: unknown } | null, index) =>
    rule?.renameOutput === true && typeof rule.outputKey === 'string' && rule.outputKey ? rule.outputKey : String(index),
  );
  const fallback = (node.parameters?.['options'] as { fallbackOutput?: unknown } | undefined)?.fallbackOutput;
  return fallback === 'extra' ? [...names, 'fallback'] : names;
}

export function plainInputs(node: WorkflowNode): NodePort[] | undefined {
  if (node.type === `${BASE}stickyNote` || isPlainTrigger(node.type)) return [];
  if (node.type === `${BASE}merge`) return mergeInputs(node);
  if (node.type === `${BASE}if` || node.type === `${BASE}splitInBatches` || node.type === `${BASE}switch`)
    return [{ type: 'main', index: 0, name: 'main' }];
  return undefined;
}

function mergeInputs(node: WorkflowNode): NodePort[] {
  const wanted = node.parameters?.['numberInputs'];
  const count = typeof wanted === 'number' && wanted >= 2 && wanted <= 10 ? wanted : 2;
  return Array.from({ length: count }, (_, index) => ({ type: 'main', index, name: 'main' }));
}

const TRIGGERS = new Set(['start', 'webhook', 'cron', 'interval', 'emailReadImap'].map((name) => BASE + name));

/** Whether a type starts workflows, as far as its name tells. */
export function isPlainTrigger(type: string): boolean {
  return /trigger$/i.test(type) || TRIGGERS.has(type);
}

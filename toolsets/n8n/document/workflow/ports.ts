import { isRecord, recordOf } from '@millrace/kernel';
import type { NodeCatalogue, NodePort, WorkflowNode } from './model.ts';

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
  const { rules, options } = node.parameters ?? {};
  if (!isRecord(rules) || !Array.isArray(rules['values'])) return undefined;
  const names = rules['values'].map((rule: unknown, index) => {
    const { renameOutput, outputKey } = recordOf(rule);
    return renameOutput === true && typeof outputKey === 'string' && outputKey ? outputKey : String(index);
  });
  return isRecord(options) && options['fallbackOutput'] === 'extra' ? [...names, 'fallback'] : names;
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

export type Side = 'output' | 'input';

/** The ports of a node as far as they are known. */
export function portsOf(node: WorkflowNode, side: Side, catalogue: NodeCatalogue): NodePort[] | undefined {
  if (side === 'output') return catalogue.outputsOf(node) ?? plainOutputs(node);
  return catalogue.inputsOf(node) ?? plainInputs(node);
}

const SLOT = /^(.*?)(?:\[(\d+)\]|:(\d+)|\s+(\d+))$/;

/** A port by its name, its kind, its kind with an index (`main[1]`), or its index. */
export function find(ports: readonly NodePort[] | undefined, named: string): NodePort | undefined {
  const written = named.trim();
  const folded = written.toLowerCase();
  if (ports) {
    const match =
      ports.find((port) => port.name.toLowerCase() === folded && port.name !== port.type) ??
      ports.find((port) => port.type.toLowerCase() === folded);
    if (match) return match;
    const kind = ports.filter((port) => port.type !== 'main' && kindOf(port.type) === kindOf(folded));
    if (kind.length === 1) return kind[0];
  }
  const { type, index } = slotOf(written);
  if (type === undefined) return undefined;
  if (ports) return ports.find((port) => port.type.toLowerCase() === type.toLowerCase() && port.index === index);
  const kind = type.toLowerCase() === 'main' ? 'main' : type;
  return kind === 'main' || /^ai_[a-zA-Z]+$/.test(kind) ? { type: kind, index, name: kind } : undefined;
}

/** `languageModel`, `ai_tools` and `AI Memory` are what people call `ai_languageModel`, `ai_tool` and `ai_memory`. */
export function kindOf(written: string): string {
  return written
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^ai/, '')
    .replace(/s$/, '');
}

function slotOf(written: string): { type: string | undefined; index: number } {
  if (/^\d{1,4}$/.test(written)) return { type: 'main', index: Number(written) };
  const slot = SLOT.exec(written);
  if (!slot) return { type: written, index: 0 };
  return { type: slot[1]?.trim() || 'main', index: Number(slot[2] ?? slot[3] ?? slot[4]) };
}

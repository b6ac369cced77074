import { Failure, nearest } from '@millrace/kernel';
import type { Workflow, WorkflowNode } from './model.ts';

export function findNode(workflow: Workflow, named: string): WorkflowNode {
  const byId = workflow.nodes.filter((node) => node.id === named);
  const matches = byId.length > 0 ? byId : workflow.nodes.filter((node) => node.name === named);
  const [node, another] = matches;
  if (node && !another) return node;
  if (node) {
    throw new Failure('conflict', `${matches.length} nodes are called ${quoted(named)}: run workflow_repair, which makes names unique`, {
      details: { ids: matches.map((match) => match.id ?? null) },
    });
  }
  const folded = workflow.nodes.filter((candidate) => plainName(nameText(candidate)) === plainName(named));
  const ofType = workflow.nodes.filter(({ type }) => typeof type === 'string' && (type === named || type.endsWith(`.${named}`)));
  const [only, second] = folded.length > 0 ? folded : ofType;
  if (only && !second) return only;
  throw unknownNode(workflow, named);
}

/** n8n's own names have typographic quotes, which nobody types. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[‘’`]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/\s+/g, ' ').trim();
}

function unknownNode(workflow: Workflow, named: string): Failure {
  const names = workflow.nodes.map(nameText);
  const close = nearest(named, names);
  return new Failure('not_found', `There is no node ${quoted(named)} in this workflow`, {
    details: { nearest: close, nodes: names.slice(0, 50) },
    fix: { instruction: close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'Use the id or name of one of its nodes' },
  });
}

/** A name that can be shown, also where a file has none or nonsense. */
export function nameText(node: WorkflowNode): string {
  const name: unknown = node.name;
  return typeof name === 'string' ? name : '';
}

/** What replies call a node: its id, or its name where the file gives it none. */
export function idOf(node: WorkflowNode): string {
  return node.id ?? node.name;
}

/** `Name`, or `Name1`, `Name2` ... as n8n's editor counts. */
export function uniqueName(workflow: Workflow, wanted: string): string {
  const taken = new Set(workflow.nodes.map((node) => node.name));
  if (!taken.has(wanted)) return wanted;
  const stem = wanted.replace(/\d+$/, '') || wanted;
  for (let number = 1; ; number++) if (!taken.has(`${stem}${number}`)) return `${stem}${number}`;
}

const STEP_X = 220;
const STEP_Y = 180;
const CLEAR_X = 200;
const CLEAR_Y = 120;
const FAR_OUT = 10_000_000;

/** A place where no node stands: to the right of the last node, or below it for what hangs below another node. */
export function freePosition(workflow: Workflow, where: 'right' | 'below'): [number, number] {
  // What lies absurdly far out is passed over: steps would no longer change such numbers.
  const taken = workflow.nodes.flatMap(({ position }) =>
    isPosition(position) && position.every((part) => Math.abs(part) < FAR_OUT) ? [position] : [],
  );
  const last = taken.at(-1);
  if (!last) return [0, 0];
  let [x, y] = where === 'right' ? [last[0] + STEP_X, last[1]] : [last[0], last[1] + STEP_Y];
  while (taken.some(([takenX, takenY]) => Math.abs(takenX - x) < CLEAR_X && Math.abs(takenY - y) < CLEAR_Y)) {
    if (where === 'right') y += STEP_Y;
    else x += STEP_X;
  }
  return [x, y];
}

export function isPosition(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number' && Number.isFinite(part));
}

/** A name for a node whose type nobody described: `n8n-nodes-base.httpRequest` is `Http Request`. */
export function nameFromType(type: string): string {
  const last = type.slice(type.lastIndexOf('.') + 1);
  const words = last.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

import { Failure, isRecord, nearest } from '@millrace/kernel';
import type { Workflow, WorkflowNode } from '../document/workflow/model.ts';
import type { Item, RunInput } from './engine.ts';

const MANUAL = 'n8n-nodes-base.manualTrigger';

/** The trigger that a run begins with: the one asked for, else one that is pinned, else the manual one, else the first that leads on. */
export function chosenTrigger(
  triggers: readonly WorkflowNode[],
  workflow: Workflow,
  input: RunInput,
  pinned: Readonly<Record<string, unknown>>,
): WorkflowNode | undefined {
  if (input.trigger !== undefined) return askedFor(input.trigger, triggers);
  const sources = new Set(edges(workflow).map(([from]) => from));
  const leading = triggers.filter((node) => sources.has(node.name));
  const inOrder = [...leading, ...triggers];
  return (
    inOrder.find((node) => input.pinned?.[node.name] ?? input.pinned?.[node.id ?? '']) ??
    inOrder.find((node) => pinned[node.name]) ??
    leading.find((node) => node.type === MANUAL) ??
    inOrder[0]
  );
}

function askedFor(asked: string, triggers: readonly WorkflowNode[]): WorkflowNode {
  const found = triggers.find((node) => node.name === asked) ?? triggers.find((node) => node.id === asked);
  if (found) return found;
  const names = triggers.map((node) => node.name);
  const [close] = nearest(asked, names, 1);
  throw new Failure('invalid_input', `The workflow has no enabled trigger ${JSON.stringify(asked.slice(0, 100))}`, {
    details: { field: 'trigger', triggers: names.slice(0, 20) },
    fix: {
      instruction:
        names.length === 0
          ? 'Leave trigger out: the run begins with the first node'
          : `Name one of ${names
              .slice(0, 20)
              .map((name) => JSON.stringify(name))
              .join(', ')}`,
      ...((close ?? names[0]) !== undefined && { example: { trigger: close ?? names[0] } }),
    },
  });
}

/** With several triggers, a note says which one began and how to choose another. */
export function startNotes(start: WorkflowNode, triggers: readonly WorkflowNode[]): string[] {
  const others = triggers.filter((node) => node.name !== start.name).map((node) => JSON.stringify(node.name));
  if (others.length === 0 || !triggers.includes(start)) return [];
  return [`The run begins with ${JSON.stringify(start.name)}; the parameter trigger names another: ${others.slice(0, 10).join(', ')}`];
}

/** Main connections of the workflow, as far as they are readable. */
export function edges(workflow: Workflow): [from: string, to: string][] {
  return Object.entries(workflow.connections ?? {}).flatMap(([from, outputs]) => {
    const slots: unknown = isRecord(outputs) ? outputs['main'] : [];
    const targets: unknown[] = Array.isArray(slots) ? slots.flat() : [];
    return targets.flatMap((target): [string, string][] => {
      const to = isRecord(target) ? target['node'] : undefined;
      return typeof to === 'string' ? [[from, to]] : [];
    });
  });
}

/** n8n's engine stumbles over connections in another form than its own without saying which. */
export function requireConnections(workflow: Workflow): void {
  for (const [from, outputs] of Object.entries(workflow.connections ?? {})) {
    const kinds: unknown[] = outputs !== null && typeof outputs === 'object' ? Object.values(outputs) : [undefined];
    const isReadable = kinds.every((slots) => Array.isArray(slots) && slots.every((slot) => slot === null || Array.isArray(slot)));
    if (isReadable) continue;
    throw new Failure('invalid_input', `The connections of ${JSON.stringify(from.slice(0, 100))} are not in the form that n8n reads`, {
      details: { node: from.slice(0, 100) },
      fix: { instruction: 'workflow_repair fixes them' },
    });
  }
}

/** What testData means: `{items: [...]}`, `{pinned: {node: [...]}}`, both, or any other object as one item of the trigger. */
export function runInputOf(testData: Record<string, unknown> | undefined): RunInput {
  if (testData === undefined) return {};
  const keys = Object.keys(testData);
  if (keys.length === 0) return {};
  const { items, pinned } = testData;
  const isItems = items === undefined || Array.isArray(items);
  const isPinned = pinned === undefined || isRecord(pinned);
  if (!keys.every((key) => key === 'items' || key === 'pinned') || !isItems || !isPinned) return { items: [{ json: testData }] };
  return { ...(items && { items: itemsOf(items, 'items') }), ...(pinned && { pinned: pinsOf(pinned) }) };
}

function pinsOf(pinned: Record<string, unknown>): Record<string, Item[]> {
  return Object.fromEntries(
    Object.entries(pinned).map(([node, items]) => {
      if (!Array.isArray(items)) throw notItems(`pinned.${node}`);
      return [node, itemsOf(items, `pinned.${node}`)];
    }),
  );
}

function itemsOf(list: readonly unknown[], where: string): Item[] {
  return list.map((entry, index) => {
    if (!isRecord(entry)) throw notItems(`${where}[${index}]`);
    return asItem(entry);
  });
}

function notItems(where: string): Failure {
  return new Failure('invalid_input', `testData.${where} must be ${where.endsWith(']') ? 'an object' : 'a list of objects'}`, {
    details: { field: `testData.${where}` },
    fix: { instruction: 'Give items as objects', example: { items: [{ name: 'Ada' }] } },
  });
}

/** An item as a file or a person writes it: whole, or only its json. */
export function asItem(value: Record<string, unknown>): Item {
  return isRecord(value['json']) ? { ...value, json: value['json'] } : { json: value };
}

/** What nodes return without being run: as the file pins it, and as the test data do. */
export function pinnedItems(workflow: Workflow, input: RunInput, nodes: readonly WorkflowNode[]): Record<string, Item[]> {
  const pinned: Record<string, Item[]> = {};
  const byName = new Map(nodes.map((node) => [node.name, node]));
  for (const [name, items] of Object.entries(workflow.pinData ?? {})) {
    if (Array.isArray(items) && byName.has(name)) pinned[name] = items.map(asItem);
  }
  for (const [name, items] of Object.entries(input.pinned ?? {})) {
    const node = byName.get(name) ?? nodes.find((candidate) => candidate.id === name);
    if (!node) {
      const [close] = nearest(name, byName.keys(), 1);
      throw new Failure('invalid_input', `testData pins ${JSON.stringify(name.slice(0, 100))}, but the workflow has no such node`, {
        details: { field: `testData.pinned.${name.slice(0, 100)}` },
        fix: { instruction: close ? `Did you mean ${JSON.stringify(close)}?` : 'Name a node of the workflow' },
      });
    }
    pinned[node.name] = items;
  }
  return pinned;
}

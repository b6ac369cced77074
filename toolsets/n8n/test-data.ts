import { Failure } from '@millrace/kernel';
import type { Item, RunInput } from './ports.ts';

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
    return isRecord(entry['json']) ? (entry as Item) : { json: entry };
  });
}

function notItems(where: string): Failure {
  return new Failure('invalid_input', `testData.${where} must be ${where.endsWith(']') ? 'an object' : 'a list of objects'}`, {
    details: { field: `testData.${where}` },
    fix: { instruction: 'Give items as objects', example: { items: [{ name: 'Ada' }] } },
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

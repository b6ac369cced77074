import { Failure } from '@millrace/kernel';
import type { Item, RunInput } from './ports.ts';

/** What testData means: `{items: [...]}`, `{pinned: {node: [...]}}`, or any other object as one item of the trigger. */
export function runInputOf(testData: Record<string, unknown> | undefined): RunInput {
  if (testData === undefined) return {};
  const keys = Object.keys(testData);
  if (keys.length === 0) return {};
  if (keys.length === 1 && Array.isArray(testData['items'])) return { items: itemsOf(testData['items'], 'items') };
  if (keys.length === 1 && isRecord(testData['pinned'])) {
    const pinned = Object.entries(testData['pinned']).map(([node, items]) => {
      if (!Array.isArray(items)) throw notItems(`pinned.${node}`);
      return [node, itemsOf(items, `pinned.${node}`)] as const;
    });
    return { pinned: Object.fromEntries(pinned) };
  }
  return { items: [{ json: testData }] };
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

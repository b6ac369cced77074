import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { parse } from 'yaml';

export interface Promise_ {
  id: string;
  seed: string;
  promise: string;
  proof: 'unit' | 'contract' | 'e2e' | 'property' | 'real' | 'bench';
}

/** Groups of promises, by how their ids begin; the longest beginning counts. */
export const GROUPS = ['kernel', 'todo', 'todo-agent', 'flowise', 'flowmind', 'n8n', 'flowrag'] as const;
export type Group = (typeof GROUPS)[number];

/** Groups all of whose promises must be cited by a scenario. */
export const FINISHED: readonly Group[] = ['kernel', 'todo', 'todo-agent', 'flowise', 'flowmind', 'n8n', 'flowrag'];

export function groupOf(id: string): Group | undefined {
  return GROUPS.filter((group) => id.startsWith(`${group}-`)).sort((a, b) => b.length - a.length)[0];
}

export const promises: Promise_[] = parse(readFileSync(new URL('./promises.yaml', import.meta.url), 'utf8'));
const known = new Set(promises.map((promise) => promise.id));

/** A scenario that proves one or several promises of the published contracts. */
export function verifies(ids: string | readonly string[], title: string, scenario: () => unknown, timeoutMs?: number): void {
  const cited = typeof ids === 'string' ? [ids] : ids;
  for (const id of cited) if (!known.has(id)) throw new Error(`no promise has the id ${id}`);
  test(`${title} [${cited.join(', ')}]`, scenario as () => Promise<void>, timeoutMs);
}

import type { Entry } from './entry.ts';

const STEM = 5;
const FEW = 2;

/** Tools that a request names: by a word that few tools have in their names or titles. */
export function namedIn(request: string, entries: readonly Entry[]): Entry[] {
  const said = new Set(stemsOf(request));
  const owners = new Map<string, Set<Entry>>();
  for (const entry of entries) {
    const { name, annotations } = entry.tool;
    for (const stem of stemsOf(`${name} ${annotations.title}`)) owners.set(stem, (owners.get(stem) ?? new Set()).add(entry));
  }
  const named = [...owners].filter(([stem, { size }]) => said.has(stem) && size <= FEW).flatMap(([, tools]) => [...tools]);
  return [...new Set(named)];
}

/** Tools without required arguments: with them a model finds the arguments for the other tools of the toolset. */
export function finders(entries: readonly Entry[]): Entry[] {
  return entries.filter(
    ({ tool, inputSchema }) => tool.access === 'read' && ((inputSchema.required as string[] | undefined) ?? []).length === 0,
  );
}

function stemsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).map((word) => word.slice(0, STEM));
}

import { type Context, nearest } from '@millrace/kernel';
import type { z } from 'zod';
import type { ContextRegistry } from '../contexts/registry.ts';
import type { ContextDefinition } from '../language/context.ts';
import { fromPublished } from '../language/published.ts';
import type { composeInput } from '../schema.ts';

export type Composition = z.output<typeof composeInput>;
export type ComponentRequest = Composition['components'][number];

export interface Component extends ComponentRequest {
  definition: ContextDefinition | undefined;
  /** The variable that gets its result. */
  result: string;
}

/** The components of a composition with what they name, and a name for the result of each. */
export async function findComponents(
  composition: Composition,
  registry: ContextRegistry,
  userId: string,
  published: () => Promise<Context[]>,
): Promise<Component[]> {
  const taken = new Set<string>();
  const components: Component[] = [];
  for (const component of composition.components) {
    const definition = (await registry.get(component.uri, userId)) ?? (await publishedTool(component.uri, published));
    components.push({ ...component, definition, result: resultName(component, taken) });
  }
  return components;
}

async function publishedTool(uri: string, published: () => Promise<Context[]>): Promise<ContextDefinition | undefined> {
  if (!uri.startsWith('tool://')) return undefined;
  const found = (await published()).find((context) => context.uri === uri);
  return found && fromPublished(found);
}

function resultName({ uri }: ComponentRequest, taken: Set<string>): string {
  const base = `${uri
    .slice(uri.lastIndexOf('/') + 1)
    .replaceAll('-', '_')
    .replace(/^\d/, '_$&')}_result`;
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

export async function nearestUris(uri: string, registry: ContextRegistry, userId: string): Promise<string[]> {
  const found = await registry.nearest(uri, userId);
  return found.length > 0
    ? found
    : nearest(
        uri,
        (await registry.all(userId)).map((each) => each.uri),
      );
}

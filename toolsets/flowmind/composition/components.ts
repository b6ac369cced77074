import { type Context, nearest } from '@millrace/kernel';
import type { z } from 'zod';
import type { ContextRegistry } from '../contexts/registry.ts';
import { type ContextDefinition, fromPublished } from '../flow/context.ts';
import type { composeInput } from '../schema.ts';

export type Composition = z.output<typeof composeInput>;
export type ComponentRequest = Composition['components'][number];

export interface Component extends ComponentRequest {
  definition: ContextDefinition | undefined;
  /** The variable that gets its result. */
  result: string;
}

/** Contexts as one user sees them. */
export interface UserContexts {
  get(uri: string): Promise<ContextDefinition | undefined>;
  /** URIs that may have been meant. */
  nearest(uri: string): Promise<string[]>;
}

export function contextsOf(registry: ContextRegistry, userId: string): UserContexts {
  return {
    get: (uri) => registry.get(uri, userId),
    async nearest(uri) {
      const found = await registry.nearest(uri, userId);
      if (found.length > 0) return found;
      const all = await registry.all(userId);
      return nearest(
        uri,
        all.map((each) => each.uri),
      );
    },
  };
}

/** The components of a composition with the contexts that they name, and a name for the result of each. */
export async function findComponents(
  composition: Composition,
  contexts: UserContexts,
  published: () => Promise<Context[]>,
): Promise<Component[]> {
  const taken = new Set<string>();
  const components: Component[] = [];
  for (const component of composition.components) {
    const definition = (await contexts.get(component.uri)) ?? (await publishedTool(component.uri, published));
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
  const slug = uri.slice(uri.lastIndexOf('/') + 1).replaceAll('-', '_');
  const base = `${slug.replace(/^\d/, '_$&')}_result`;
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

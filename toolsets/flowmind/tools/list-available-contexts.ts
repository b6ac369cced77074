import type { z } from 'zod';
import type { ContextDefinition } from '../flow/context.ts';
import { listInput, listResult } from '../schema.ts';
import { tool } from '../tool.ts';

export const listAvailableContexts = tool({
  name: 'list_available_contexts',
  description: 'List available contexts with filtering. Use to explore what workflows, agents, and patterns are available.',
  said: ['which workflows are there', 'list everything I can run', 'show the agents for creative work'],
  access: 'read',
  annotations: { title: 'List contexts', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: listInput,
  output: listResult,
  level: 'advanced',

  async run({ filter, sort, pagination }, { services: { registry, teacher }, user }) {
    const { by, order } = sort ?? { by: 'relevance', order: 'desc' };
    const offset = Math.floor(pagination?.offset ?? 0);
    const limit = Math.floor(pagination?.limit ?? 20);
    const popularity = await teacher.popularity();
    const chosen = (await registry.all(user.id)).filter((context) => passes(context, filter ?? {}));
    const sorted = chosen.toSorted(comparison(by, popularity));
    if ((by === 'name') === (order === 'desc')) sorted.reverse();
    const page = sorted.slice(offset, offset + limit).map(async (context) => {
      const locked = (await teacher.refusal(context, user)) !== undefined;
      return listed(context, popularity.get(context.uri) ?? 0, locked);
    });
    return { contexts: await Promise.all(page), total: chosen.length, offset, limit };
  },
});

type Filter = NonNullable<z.output<typeof listInput>['filter']>;
type Listed = z.output<typeof listResult>['contexts'][number];

function passes(context: ContextDefinition, { type = [], domain = [], tags = [], complexity = context.complexity }: Filter): boolean {
  const own = context.tags.map((tag) => tag.toLowerCase());
  return (
    (type.length === 0 || type.includes(context.type)) &&
    (domain.length === 0 || domain.some((each) => each === context.domain)) &&
    (tags.length === 0 || tags.some((tag) => own.includes(tag.toLowerCase()))) &&
    complexity === context.complexity
  );
}

/** By name from A to Z, or the most popular or newest first; ties by name, then by URI. */
function comparison(by: 'name' | 'popularity' | 'recent' | 'relevance', popularity: ReadonlyMap<string, number>) {
  const runs = (context: ContextDefinition) => popularity.get(context.uri) ?? 0;
  const time = (context: ContextDefinition) => context.updatedAt?.getTime() ?? 0;
  const byName = (a: ContextDefinition, b: ContextDefinition) => a.name.localeCompare(b.name, 'en') || (a.uri < b.uri ? -1 : 1);
  return (a: ContextDefinition, b: ContextDefinition): number => {
    if (by === 'name') return byName(a, b);
    const first = by === 'recent' ? time(b) - time(a) : runs(b) - runs(a);
    return first || byName(a, b);
  };
}

function listed(context: ContextDefinition, popularity: number, locked: boolean): Listed {
  return {
    uri: context.uri,
    type: context.type,
    name: context.name,
    description: context.description,
    domain: context.domain ?? null,
    tags: context.tags,
    complexity: context.complexity,
    popularity,
    updated_at: context.updatedAt?.toISOString() ?? null,
    locked,
  };
}

import { z } from 'zod';
import { COMPLEXITIES, CONTEXT_TYPES, type ContextDefinition, DOMAINS } from '../flow/context.ts';

export const listInput = z.strictObject({
  filter: z
    .strictObject({
      type: z.array(z.enum(CONTEXT_TYPES)).describe('Filter by context type').optional(),
      domain: z.array(z.enum(DOMAINS)).describe('Filter by domain').optional(),
      tags: z.array(z.string()).describe('Filter by tags').optional(),
      complexity: z.enum(COMPLEXITIES).describe('Filter by complexity level').optional(),
    })
    .describe('Filters')
    .optional(),
  sort: z
    .strictObject({
      by: z.enum(['name', 'popularity', 'recent', 'relevance']).default('relevance'),
      order: z.enum(['asc', 'desc']).default('desc'),
    })
    .describe('Order')
    .optional(),
  pagination: z
    .strictObject({
      offset: z.number().min(0).default(0),
      limit: z.number().min(1).max(50).default(20),
    })
    .describe('Page')
    .optional(),
});

export const listResult = z.object({
  contexts: z.array(
    z.object({
      uri: z.string(),
      type: z.enum(CONTEXT_TYPES),
      name: z.string(),
      description: z.string(),
      domain: z.enum(DOMAINS).nullable(),
      tags: z.array(z.string()),
      complexity: z.enum(COMPLEXITIES),
      popularity: z.number(),
      updated_at: z.string().nullable(),
      locked: z.boolean(),
    }),
  ),
  total: z.number(),
  offset: z.number(),
  limit: z.number(),
});

type ListInput = z.output<typeof listInput>;
type Filter = NonNullable<ListInput['filter']>;
type Listed = z.output<typeof listResult>['contexts'][number];

export interface ListPorts {
  contexts: readonly ContextDefinition[];
  /** Finished runs, by URI. */
  popularity: ReadonlyMap<string, number>;
  locked(context: ContextDefinition): Promise<boolean>;
}

export async function listContexts(input: ListInput, { contexts, popularity, locked }: ListPorts): Promise<z.output<typeof listResult>> {
  const { by, order } = input.sort ?? { by: 'relevance', order: 'desc' };
  const offset = Math.floor(input.pagination?.offset ?? 0);
  const limit = Math.floor(input.pagination?.limit ?? 20);
  const chosen = contexts.filter((context) => passes(context, input.filter ?? {}));
  const sorted = chosen.toSorted(comparison(by, popularity));
  if ((by === 'name') === (order === 'desc')) sorted.reverse();
  const page = sorted.slice(offset, offset + limit);
  return {
    contexts: await Promise.all(page.map(async (context) => listed(context, popularity.get(context.uri) ?? 0, await locked(context)))),
    total: chosen.length,
    offset,
    limit,
  };
}

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

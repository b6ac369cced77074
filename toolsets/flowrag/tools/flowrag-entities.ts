import { brief, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { fieldsOf } from '../schema.ts';
import type { StoredEntity } from '../store/collection.ts';
import { countUpTo, fieldValues, tool } from '../tool.ts';

const EMPTY_GRAPH = 'The index has no entities: run flowrag_index first.';

export const flowragEntities = tool({
  name: 'flowrag_entities',
  description: 'List or filter entities in the knowledge graph.',
  said: [
    'which services are mentioned in our documents',
    'list the teams in the knowledge graph',
    'what entities does the knowledge base know',
  ],
  access: 'read',
  annotations: { title: 'List entities', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    type: quietLimits(z.string().max(100)).optional().describe("Filter by entity type (e.g. 'SERVICE')"),
    query: quietLimits(z.string().max(500, 'query may have at most 500 characters'))
      .optional()
      .describe('Filter by name/description substring'),
    limit: countUpTo(1000, 'limit').default(20).describe('Maximum entities'),
  }),
  output: z.object({
    entities: z.array(
      brief(
        z.object({
          id: z.string(),
          type: z.string(),
          name: z.string(),
          description: z.string(),
          aliases: z.array(z.string()),
          fields: fieldValues,
          mentions: z.number(),
        }),
      ),
    ),
    warnings: z.array(z.string()),
  }),

  async run({ type, query, limit }, { services }) {
    const store = await services.collection();
    const warnings = await services.warnings();
    const { entityFields } = services.configuration.schema;
    const found = await store.entities({ ...(type !== undefined && { type }), ...(query !== undefined && { query }), limit });
    const entities = found.map((entity) => ({ ...entity, fields: fieldsOf(entityFields, entity.fields) }));
    const { documents } = await store.counts();
    return { entities, warnings: documents === 0 && warnings.length === 0 ? [EMPTY_GRAPH] : warnings };
  },

  present(data, { input: { type, query }, services }) {
    const warnings = data.warnings.filter((warning) => warning !== EMPTY_GRAPH);
    const nothing = data.warnings.includes(EMPTY_GRAPH) ? EMPTY_GRAPH : nothingText(type, query, services.configuration.schema.entityTypes);
    const lines = data.entities.length > 0 ? data.entities.map(entityLine) : [nothing];
    return { data, words: [...warnings, lines.join('\n')].join('\n\n') };
  },
});

function entityLine({ type, name, description, aliases }: Omit<StoredEntity, 'fields'>): string {
  const also = aliases.length > 0 ? ` (also ${aliases.slice(0, 5).join(', ')})` : '';
  return `[${type}] ${name}${also}${description ? `: ${description.replace(/\s+/g, ' ').slice(0, 300)}` : ''}`;
}

function nothingText(type: string | undefined, query: string | undefined, types: readonly string[]): string {
  const filters = [type !== undefined && `type ${type}`, query !== undefined && `"${query.slice(0, 100)}"`].filter(Boolean).join(' and ');
  const known = type !== undefined && !types.includes(type.toUpperCase()) ? ` The types are ${types.join(', ')}.` : '';
  if (filters) return `No entities match ${filters}.${known}`;
  return 'No entities were found in the indexed documents.';
}

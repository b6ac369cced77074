import { brief } from '@millrace/kernel';
import { z } from 'zod';
import { resolveEntity } from '../graph/resolve.ts';
import { fieldsOf } from '../schema.ts';
import type { StoredRelation } from '../store/collection.ts';
import { entityName, evidenceList, fieldValues, placeOf, tool } from '../tool.ts';

export const flowragRelations = tool({
  name: 'flowrag_relations',
  description: 'Get relations for a specific entity, with evidence.',
  said: ['what is the billing service connected to', 'show the relations of an entity', 'which systems does this component use'],
  access: 'read',
  annotations: { title: 'Relations of an entity', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    entity: entityName('entity'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('Direction'),
  }),
  output: z.object({
    entity: z.string(),
    relations: z.array(
      brief(
        z.object({
          source: z.string(),
          type: z.string(),
          target: z.string(),
          description: z.string(),
          confidence: z.number(),
          inferred: z.boolean(),
          fields: fieldValues,
          evidence: evidenceList,
        }),
      ),
    ),
    warnings: z.array(z.string()),
  }),

  async run({ entity, direction }, { services }) {
    const store = await services.collection();
    const warnings = await services.warnings();
    const { id, name } = await resolveEntity(store, entity, warnings);
    const found = (await store.relationsOf([id], { inferred: true })).filter(
      (relation) => (direction !== 'in' && relation.sourceId === id) || (direction !== 'out' && relation.targetId === id),
    );
    const { relationFields } = services.configuration.schema;
    const relations = found.map(({ id: _id, sourceId: _source, targetId: _target, ...relation }) => ({
      ...relation,
      fields: fieldsOf(relationFields, relation.fields),
    }));
    return { entity: name, relations, warnings };
  },

  present(data, { input: { direction } }) {
    const { entity, relations, warnings } = data;
    const none = `${entity} has no relations${direction === 'both' ? '' : ` (${direction})`}.`;
    const lines = relations.length > 0 ? relations.map(relationLine) : [none];
    return { data, words: [...warnings, lines.join('\n')].join('\n\n') };
  },
});

function relationLine({
  source,
  type,
  target,
  description,
  inferred,
  evidence,
}: Omit<StoredRelation, 'id' | 'sourceId' | 'targetId' | 'fields'>): string {
  const said = description ? `: ${description.replace(/\s+/g, ' ').slice(0, 300)}` : '';
  return `${source} --[${type}]--> ${target}${said}${inferred ? ' (inferred)' : ''}${placeOf(evidence)}`;
}

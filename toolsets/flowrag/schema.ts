import { z } from 'zod';

/** Where the data of a relation goes, seen from its subject: `A USES B` brings data from B (the object) to A (the subject). */
export const FLOWS = ['subject-to-object', 'object-to-subject', 'none'] as const;
export type Flow = (typeof FLOWS)[number];

export const DEFAULT_ENTITY_TYPES = ['SERVICE', 'DATABASE', 'PROTOCOL', 'TEAM', 'CONCEPT'];
export const DEFAULT_RELATION_TYPES = ['USES', 'PRODUCES', 'CONSUMES', 'OWNS', 'DEPENDS_ON'];

/** The flow of the published relation types; own types follow subject-to-object unless the configuration says otherwise. */
export const PUBLISHED_FLOWS: Readonly<Record<string, Flow>> = {
  CONSUMES: 'object-to-subject',
  USES: 'object-to-subject',
  DEPENDS_ON: 'object-to-subject',
  PRODUCES: 'subject-to-object',
  OWNS: 'none',
};

export type FieldValue = string | number | boolean;

const fieldName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'A field name has letters, digits, _ and -, and starts with a letter');

const enumField = z
  .strictObject({
    type: z.literal('enum'),
    values: z.array(z.string().min(1)).min(1, 'An enum field needs values'),
    default: z.string().optional(),
    description: z.string().optional(),
  })
  .refine((field) => field.default === undefined || field.values.includes(field.default), {
    message: 'The default of an enum field must be one of its values',
    path: ['default'],
  });

const plainField = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), default: z.string().optional(), description: z.string().optional() }),
  z.strictObject({ type: z.literal('number'), default: z.number().optional(), description: z.string().optional() }),
  z.strictObject({ type: z.literal('boolean'), default: z.boolean().optional(), description: z.string().optional() }),
]);

export const customField = z.union([enumField, plainField]);
export type CustomField = z.output<typeof customField>;

const typeName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'A type is a word of letters, digits and _, such as SERVICE');
const fields = z.record(fieldName, customField).default({});

/** The `schema` section of the configuration: what an extraction may contain. */
export const graphSchema = z.strictObject({
  entityTypes: z.array(typeName).min(1, 'At least one entity type is needed').default(DEFAULT_ENTITY_TYPES),
  relationTypes: z.array(typeName).min(1, 'At least one relation type is needed').default(DEFAULT_RELATION_TYPES),
  documentFields: fields,
  entityFields: fields,
  relationFields: fields,
  /** Where data goes, for own relation types or against the published rule. */
  flows: z.record(typeName, z.enum(FLOWS)).default({}),
  /** Other names of an entity, by its name: {"Kafka": ["event bus"]}. */
  aliases: z.record(z.string().min(1), z.array(z.string().min(1))).default({}),
  /** Names whose type is known beforehand, by name: {"Checkout": "SERVICE"}. */
  ontology: z.record(z.string().min(1), typeName).default({}),
});
export type GraphSchema = z.output<typeof graphSchema>;

export function flowOf(schema: GraphSchema, relationType: string): Flow {
  return schema.flows[relationType] ?? PUBLISHED_FLOWS[relationType] ?? 'subject-to-object';
}

type Fields = Record<string, FieldValue>;

/** The fields as the schema wants them: unknown ones are left out, wrong and missing ones get their default. */
export function fieldsOf(defined: Record<string, CustomField>, given: Readonly<Record<string, unknown>>): Fields {
  return chosen(defined, (name, field) => accepted(field, given[name]) ?? field.default);
}

/** Only what was really given: defaults are left to the reader, so that one silent mention does not outvote another. */
export function givenFields(defined: Record<string, CustomField>, given: Readonly<Record<string, unknown>>): Fields {
  return chosen(defined, (name, field) => accepted(field, given[name]));
}

function chosen(defined: Record<string, CustomField>, value: (name: string, field: CustomField) => FieldValue | undefined): Fields {
  const fields: Fields = {};
  for (const [name, field] of Object.entries(defined)) {
    const found = value(name, field);
    if (found !== undefined) fields[name] = found;
  }
  return fields;
}

function accepted(field: CustomField, value: unknown): FieldValue | undefined {
  switch (field.type) {
    case 'enum':
      return field.values.find((candidate) => candidate.toLowerCase() === String(value ?? '').toLowerCase());
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'string':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  }
}

const SEPARATORS = /[\s_\-./\\:'"`]/u;
const ALL_SEPARATORS = new RegExp(`${SEPARATORS.source}+`, 'gu');

/** The identity of an entity: Kafka, kafka and KAFKA are one, and so are Order Service, order-service and OrderService. */
export function entityKey(name: string): string {
  // Most names are plain words: what would change nothing is not done.
  const folded = (/[^ -~]/.test(name) ? name.normalize('NFKC') : name).trim().toLowerCase();
  return SEPARATORS.test(folded) ? folded.replaceAll(ALL_SEPARATORS, '') || folded : folded;
}

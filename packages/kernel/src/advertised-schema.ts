import type { z } from 'zod';
import { isRecord } from './json.ts';
import type { JsonSchema } from './wire.ts';

/** Strict model APIs reject open objects; for them the whole object is written as text under this one property. */
const JSON_TEXT = 'as_json_text';

const OPEN_OBJECT: JsonSchema = { type: 'object', properties: { [JSON_TEXT]: { type: 'string' } } };

/** Inside an alternative, strict model APIs accept an optional property only if it may be null. */
const ANY_VALUE: JsonSchema = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'object', properties: { [JSON_TEXT]: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
  ],
};

/** A tool's input, in the subset of JSON Schema that every model API accepts. The tool's own schema still decides what is valid. */
export function portableInput(schema: JsonSchema): JsonSchema {
  const takesNothing = Object.keys((schema.properties ?? {}) as Properties).length === 0;
  // Gemini does not support additionalProperties; strict mode requires it where nothing is declared.
  return { ...portable(schema), ...(takesNothing && { additionalProperties: false }) };
}

function portable(given: JsonSchema): JsonSchema {
  const { type, propertyNames: _names, additionalProperties: _open, exclusiveMinimum, format, pattern, ...kept } = given;
  const schema = withParts(
    {
      ...(typeof type === 'string' && { type }),
      ...kept,
      ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum }),
      // Gemini supports no format but date-time; the pattern beside a format is zod's, and long.
      ...(pattern !== undefined && format === undefined && { pattern }),
    },
    portable,
  );
  if (Array.isArray(type)) return withAlternatives(type as string[], schema);
  if (type === 'object' && schema.properties === undefined) return { ...schema, ...OPEN_OBJECT };
  return type === undefined && schema.anyOf === undefined ? { ...schema, ...ANY_VALUE } : schema;
}

/** One alternative per type: beside alternatives, strict model APIs accept only descriptions. */
function withAlternatives(types: readonly string[], { description, ...constraints }: JsonSchema): JsonSchema {
  const anyOf = types.map((type) => (type === 'null' ? { type } : { type, ...constraints }));
  return { ...(description !== undefined && { description }), anyOf };
}

/** Parses every open object that came as JSON text. Text that is not JSON stays, for validation to reject. */
export function withJsonTextRead(value: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withJsonTextRead(item, schema.items as JsonSchema | undefined));
  const properties = (schema.properties ?? (schema.anyOf as JsonSchema[] | undefined)?.at(-1)?.properties) as Properties | undefined;
  if (properties?.[JSON_TEXT]) return readText(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withJsonTextRead(part, properties?.[name])]));
}

type Properties = Record<string, JsonSchema>;

function readText(value: object): unknown {
  const { [JSON_TEXT]: text, ...rest } = value as Record<string, unknown>;
  if (typeof text !== 'string') return value;
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? { ...read, ...rest } : read;
  } catch {
    return text;
  }
}

/** How many levels of a reply are spelled out; deeper ones are just objects or lists. */
const OUTPUT_LEVELS = 2;

/** A tool's output, as far as a client needs it to check and read a reply. */
export function compactOutput(given: JsonSchema, level = 0): JsonSchema {
  const { minimum: _minimum, maximum: _maximum, pattern: _pattern, propertyNames: _names, additionalProperties: _open, ...schema } = given;
  const { properties, required, items, ...shallow } = schema as { properties?: Properties; required?: string[]; items?: JsonSchema };
  if (level >= OUTPUT_LEVELS)
    return withTypeList(withParts({ ...shallow, ...(isPlain(items) && { items }) }, (part) => compactOutput(part, level)));
  const hasOptional = required !== undefined && required.length < Object.keys(properties ?? {}).length;
  return withParts(
    { ...shallow, ...(properties && { properties }), ...(items && { items }), ...((level === 0 || hasOptional) && { required }) },
    (part, isInside) => compactOutput(part, isInside ? level : level + 1),
  );
}

/** Alternatives that only differ in type. */
function withTypeList({ anyOf, ...schema }: JsonSchema): JsonSchema {
  const types = (anyOf as JsonSchema[] | undefined)?.map(({ type }) => type);
  return types?.every((type) => typeof type === 'string')
    ? { ...schema, type: types }
    : { ...schema, ...(anyOf !== undefined && { anyOf }) };
}

function isPlain(schema: JsonSchema | undefined): boolean {
  return typeof schema?.type === 'string' && !['object', 'array'].includes(schema.type);
}

/** Applies a change to every direct subschema. */
function withParts(schema: JsonSchema, change: (part: JsonSchema, isItem: boolean) => JsonSchema): JsonSchema {
  const { properties, items, anyOf, minimum, maximum, ...kept } = schema;
  return {
    ...kept,
    // The bounds of safe integers add nothing.
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as Properties).map(([name, part]) => [name, change(part, false)])),
    }),
    ...(items !== undefined && { items: change(items as JsonSchema, true) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as JsonSchema[]).map((part) => change(part, true)) }),
  };
}

/** Limits that protect the server and guide nobody are checked, but not advertised. */
export function quietLimits<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({
    minLength: undefined,
    maxLength: undefined,
    minimum: undefined,
    exclusiveMinimum: undefined,
    maximum: undefined,
    maxItems: undefined,
  });
}

/** Part of a reply whose shape no contract publishes: advertised as an object, without its properties. */
export function brief<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ properties: undefined, required: undefined });
}

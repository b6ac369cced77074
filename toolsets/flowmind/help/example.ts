import type { Entry, JsonSchema } from '@millrace/kernel';

const DEPTH = 6;

/** Values by name, where a made-up one would mislead. */
const BY_NAME: Record<string, unknown> = {
  query: 'Checkout system throwing 500 errors on payment processing',
  confidence_level: 0.7,
  workflow_uri: 'workflow://meeting-to-todos',
  condition: 'user seems frustrated',
  user_message: 'This is the third time it fails and nobody answers me',
  name: 'my-workflow',
  uri: 'workflow://weekly-review',
  help_type: 'usage',
  title: 'Buy milk',
  question: 'How do orders reach the warehouse?',
  description: 'What it is for',
  id: '00000000-0000-4000-8000-000000000000',
};

/** Where made-up parameters would be valid, but make no sense together. */
const BY_TOOL: Record<string, Record<string, unknown>> = {
  compose_workflow: {
    name: 'trip-with-todos',
    flow_type: 'sequential',
    components: [
      { uri: 'workflow://trip-plan', role: 'primary' },
      { uri: 'pattern://keep-todos', role: 'support' },
    ],
  },
};

/** Parameters that a tool takes, made from what it advertises. Undefined when none could be made. */
export function exampleFor(entry: Pick<Entry, 'tool' | 'inputSchema'>): Record<string, unknown> | undefined {
  const example = BY_TOOL[entry.tool.name] ?? objectOf(entry.inputSchema, DEPTH);
  return entry.tool.input.safeParse(example).success ? example : undefined;
}

function objectOf(schema: JsonSchema, depth: number): Record<string, unknown> {
  const properties = schemaOf(schema.properties);
  return Object.fromEntries(requiredOf(schema).map((name) => [name, sampleOf(schemaOf(properties[name]), name, depth - 1)]));
}

export function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** A part of a JSON schema; empty, which takes anything, where there is none. */
export function schemaOf(part: unknown): JsonSchema {
  return typeof part === 'object' ? { ...part } : {};
}

function sampleOf(schema: JsonSchema, name: string, depth: number): unknown {
  const fixed = fixedValue(schema, name);
  if (fixed !== undefined) return fixed;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(alternatives) && alternatives[0] && depth > 0) return sampleOf(schemaOf(alternatives[0]), name, depth - 1);
  switch (schema.type) {
    case 'number':
    case 'integer':
      return Number(schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'array':
      return depth > 0 ? listOf(schema, name, depth) : [];
    case 'object':
      return depth > 0 ? objectOf(schema, depth) : {};
    default:
      return textOf(schema, name);
  }
}

/** What the schema itself, or the name, says that the value is. */
function fixedValue(schema: JsonSchema, name: string): unknown {
  const named = BY_NAME[name];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.includes(named) ? named : schema.enum[0];
  return typeof named === schema.type ? named : schema.default;
}

function listOf(schema: JsonSchema, name: string, depth: number): unknown[] {
  const item = sampleOf(schemaOf(schema.items), name, depth - 1);
  return Array.from({ length: Number(schema.minItems ?? 1) }, () => item);
}

function textOf(schema: JsonSchema, name: string): string {
  const words = name.replaceAll('_', ' ');
  const least = Number(schema.minLength ?? 0);
  return words.length >= least ? words : `${words} ${'example '.repeat(Math.ceil(least / 8))}`.trim();
}

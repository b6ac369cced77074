import { z } from 'zod';
import { COMPLEXITIES, DOMAINS } from '../flow/context.ts';
import { shapeOf } from '../flow/nodes/node.ts';
import { NODE_KINDS } from '../flow/nodes/registry.ts';

/** Kinds that the origin's files name; those beyond the four are used as patterns. */
export const FILE_TYPES = ['workflow', 'agent', 'pattern', 'tool', 'type', 'theme', 'preference', 'validation', 'instance'] as const;

const text = z.string().min(1);
const texts = z.union([text, z.array(text)]);

const metadata = z.looseObject({
  type: z.enum(FILE_TYPES).describe('What kind of context this is').optional(),
  id: text.describe('The last part of its URI: small letters, digits and hyphens').optional(),
  name: text.optional(),
  version: z.union([text, z.number()]).optional(),
  description: text.describe('What it does, in one or two sentences').optional(),
  category: text.describe(`One of ${DOMAINS.join(', ')}, or a grouping of your own`).optional(),
  domain: z.enum(DOMAINS).optional(),
  tags: texts.optional(),
  complexity: z.union([z.enum(COMPLEXITIES), z.number()]).optional(),
  dependencies: z.union([texts, z.record(z.string(), z.unknown())]).optional(),
});

const activation = z.looseObject({
  semantic_if: texts.describe('When to use this, in words').optional(),
  condition: texts.optional(),
  confidence_threshold: z.number().min(0).max(1).optional(),
  requires_variables: texts.optional(),
});

const values = z.array(z.union([z.string(), z.number(), z.boolean()])).min(1);

export const variableSpec = z.looseObject({
  type: z.string().optional(),
  values: values.optional(),
  enum: values.optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  validation: z.union([text, z.record(z.string(), z.unknown())]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
});

const functionShape = (body: z.ZodType) =>
  z.looseObject({
    parameters: z.union([z.array(z.union([text, z.record(z.string(), z.unknown())])), z.record(z.string(), z.unknown())]).optional(),
    returns: z.unknown().optional(),
    recursive: z.boolean().optional(),
    max_depth: z.number().int().min(1).max(50).optional(),
    steps: body.optional(),
    flow: body.optional(),
    do: body.optional(),
  });

/** A context's file as a whole. Steps and flows are checked node by node, apart. */
function fileShape(body: z.ZodType) {
  return z.looseObject({
    metadata: metadata.optional(),
    activation_conditions: activation.optional(),
    activation: activation.optional(),
    variables: z
      .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .describe('What it works with: a default, a list of values, or {type, required, values, default, description}')
      .optional(),
    examples: z.array(text).max(200).describe('Sentences that a person would say when they need this').optional(),
    functions: z.record(z.string(), functionShape(body)).optional(),
    persona: text.describe('Who to be while a step of this context is done').optional(),
    prompt: text.optional(),
    stopping_condition: text.optional(),
    flow: z.union([body, z.record(z.string(), z.unknown())]).optional(),
    steps: body.optional(),
  });
}

const anyList = z.array(z.unknown());
export const contextFile = fileShape(anyList);
export type ContextFile = z.output<typeof contextFile>;

/** JSON Schema for editors: completion and checks while a context is written. */
export function contextJsonSchema(): Record<string, unknown> {
  const list: z.ZodType = z.lazy(() => z.array(node)).meta({ id: 'flow' });
  const shapes = NODE_KINDS.map((kind) => shapeOf(kind, list).meta({ id: `${kind.keys[0]}_node` }));
  const node: z.ZodType = z.union([z.string(), ...shapes]).meta({ id: 'node' });
  return {
    ...z.toJSONSchema(fileShape(list), { io: 'input', unrepresentable: 'any' }),
    title: 'Millrace context',
    description: 'A workflow, an agent or a pattern that field_request finds and execute_workflow runs',
  };
}

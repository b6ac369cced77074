import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { brief, compactOutput, portableInput, quietLimits, withJsonTextRead } from './advertised-schema.ts';
import { inputJsonSchema, outputJsonSchema } from './wire.ts';

const open = z.record(z.string(), z.unknown());
const advertised = (shape: Record<string, z.ZodType>) => portableInput(inputJsonSchema(z.strictObject(shape))) as { properties: object };

describe('the input schema', () => {
  test('has no keyword that a model API refuses', () => {
    const { properties } = advertised({
      open: open.describe('Anything'),
      version: z.number().positive(),
      id: z.guid(),
      verdict: z.boolean().nullable(),
      count: z.int(),
      place: z.strictObject({ x: z.number() }),
    });
    expect(properties).toEqual({
      open: { type: 'object', description: 'Anything', properties: { as_json_text: { type: 'string' } } },
      version: { type: 'number', minimum: 0 },
      id: { type: 'string' },
      verdict: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      count: { type: 'integer' },
      place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    });
  });

  test('keeps what a contract publishes: names, enums, defaults, bounds, patterns and what is required', () => {
    const schema = advertised({
      mode: z.enum(['a', 'b']).default('a'),
      name: z.string().min(1).max(5).regex(/^x/),
      size: z.number().min(1).max(9),
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
        name: { type: 'string', minLength: 1, maxLength: 5, pattern: '^x' },
        size: { type: 'number', minimum: 1, maximum: 9 },
      },
      required: ['name', 'size'],
    });
  });

  test('leaves out limits that guide nobody', () => {
    expect(
      advertised({ name: quietLimits(z.string().min(1).max(1000)), limit: quietLimits(z.int().min(1).max(100)).default(10) }).properties,
    ).toEqual({
      name: { type: 'string' },
      limit: { type: 'integer', default: 10 },
    });
  });

  test('a value of any kind lists its types', () => {
    expect(advertised({ value: z.unknown() }).properties).toMatchObject({
      value: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'object' }] },
    });
  });
});

describe('an open object that came as JSON text', () => {
  const schema = advertised({
    data: open,
    list: z.array(z.strictObject({ config: open })),
    any: z.unknown(),
    plain: z.strictObject({ a: z.string() }),
  });

  test('is read wherever it is advertised', () => {
    const text = { as_json_text: '{"a": {"b": 1}}' };
    expect(withJsonTextRead({ data: text, list: [{ config: text }], any: { as_json_text: '[1, 2]' } }, schema)).toEqual({
      data: { a: { b: 1 } },
      list: [{ config: { a: { b: 1 } } }],
      any: [1, 2],
    });
  });

  test('is left alone elsewhere, and inside open objects', () => {
    const given = { plain: { as_json_text: '{"a":1}' }, data: { inner: { as_json_text: '{"a":1}' } }, any: 'text' };
    expect(withJsonTextRead(given, schema)).toEqual(given);
  });

  test('becomes its text when it is not JSON, which validation refuses', () => {
    expect(withJsonTextRead({ data: { as_json_text: '{"a":' } }, schema)).toEqual({ data: '{"a":' });
  });
});

test('output is spelled out for two levels, without empty keywords', () => {
  const item = z.object({ id: z.string(), size: z.int(), deep: z.object({ a: z.object({ b: z.string() }) }), note: z.string().optional() });
  const output = z.object({
    items: z.array(item),
    share: z.number().min(0).max(1),
    hidden: brief(z.object({ a: z.string() })),
    none: item.nullable(),
  });
  expect(compactOutput(outputJsonSchema(output))).toEqual({
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'string' }, size: { type: 'integer' }, deep: { type: 'object' }, note: { type: 'string' } },
          required: ['id', 'size', 'deep'],
        },
      },
      share: { type: 'number' },
      hidden: { type: 'object' },
      none: expect.objectContaining({ anyOf: [expect.objectContaining({ type: 'object' }), { type: 'null' }] }),
    },
    required: ['items', 'share', 'hidden', 'none'],
  });
});

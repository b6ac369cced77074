import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GoogleGenAI } from '@google/genai';
import type { JsonSchema } from '@millrace/kernel';
import { getAllMcpTools, type MCPServer, RunContext } from '@openai/agents-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMillrace, type TestMillrace } from './harness/millrace.ts';
import { type ListedTool, listedTools } from './harness/tool-listing.ts';

let millrace: TestMillrace;
let tools: ListedTool[];

beforeAll(async () => {
  [millrace, tools] = await Promise.all([openMillrace(), listedTools()]);
});
afterAll(() => millrace.close());

/** Every schema inside a schema, itself included, by its path. */
function* schemasIn(schema: JsonSchema, path: string): Generator<[string, JsonSchema]> {
  yield [path, schema];
  for (const [name, part] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>))
    yield* schemasIn(part, `${path}.${name}`);
  if (schema.items) yield* schemasIn(schema.items as JsonSchema, `${path}[]`);
  for (const part of (schema.anyOf ?? []) as JsonSchema[]) yield* schemasIn(part, `${path}|`);
}

describe('OpenAI strict mode', () => {
  /** The server as the agents SDK sees it. */
  const server = (): MCPServer => ({
    name: 'millrace',
    cacheToolsList: false,
    connect: async () => {},
    close: async () => {},
    invalidateToolsCache: async () => {},
    listTools: async () => tools as never,
    async callTool(name, args) {
      const { text } = await millrace.call(name, args);
      return [{ type: 'text', text }];
    },
  });
  const strictTools = async () =>
    (await getAllMcpTools({ mcpServers: [server()], convertSchemasToStrict: true })).filter((tool) => tool.type === 'function');

  test('every tool is converted, none falls back', async () => {
    const converted = await strictTools();
    expect(converted).toHaveLength(tools.length);
    expect(converted.filter((tool) => !tool.strict).map((tool) => tool.name)).toEqual([]);
  });

  test('every object is closed and demands all its properties', async () => {
    for (const { name, parameters } of await strictTools()) {
      for (const [path, schema] of schemasIn(parameters as JsonSchema, name)) {
        if (schema.type !== 'object') continue;
        expect(schema, path).toMatchObject({ additionalProperties: false, required: Object.keys(schema.properties as object) });
      }
    }
  });

  test('an open object can be written as JSON text', async () => {
    const create = (await strictTools()).find((tool) => tool.name === 'workflow_create');
    const settings = { as_json_text: '{"timezone": "Europe/Vienna", "executionOrder": "v1"}' };
    const output = await create?.invoke(new RunContext(), JSON.stringify({ name: 'Strict', description: null, active: null, settings }));
    const { workflowData } = JSON.parse((output as { text: string }).text);
    expect(workflowData.settings).toEqual({ timezone: 'Europe/Vienna', executionOrder: 'v1' });
  });
});

describe('Gemini', () => {
  /** The fields of its Schema message: with any other the API refuses the whole request. */
  const FIELDS = new Set(
    'anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum nullable pattern properties propertyOrdering required title type'.split(
      ' ',
    ),
  );

  const unknownFields = (schema: JsonSchema, name: string) =>
    [...schemasIn(schema, name)].flatMap(([path, part]) =>
      Object.keys(part).flatMap((key) => (FIELDS.has(key) ? [] : [`${path}: ${key}`])),
    );

  /** What the SDK puts on the wire. */
  async function sent(): Promise<{ name: string; parameters: JsonSchema }[]> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const endpoint = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        resolve(Buffer.concat(chunks).toString());
        response
          .setHeader('content-type', 'application/json')
          .end('{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]}}]}');
      });
    });
    await new Promise<void>((listening) => endpoint.listen(0, '127.0.0.1', listening));
    try {
      const baseUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
      const functionDeclarations = tools.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: inputSchema as never,
      }));
      const google = new GoogleGenAI({ apiKey: 'a-key', httpOptions: { baseUrl } });
      await google.models.generateContent({ model: 'gemini', contents: 'hello', config: { tools: [{ functionDeclarations }] } });
      return JSON.parse(await promise).tools[0].functionDeclarations;
    } finally {
      endpoint.closeAllConnections();
      endpoint.close();
    }
  }

  test('its SDK sends every tool, with nothing in it that the API does not know', async () => {
    const declarations = await sent();
    expect(declarations.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(declarations.flatMap(({ name, parameters }) => unknownFields(parameters, name))).toEqual([]);
  });

  test('every value has one type, every list its items and every object its properties', async () => {
    for (const { name, parameters } of await sent()) {
      for (const [path, schema] of schemasIn(parameters, name)) {
        if (schema.anyOf) expect(schema, path).not.toHaveProperty('type');
        else expect(schema.type, path).toMatch(/^(STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT)$/);
        if (schema.type === 'ARRAY') expect(schema, path).toHaveProperty('items.type');
        if (schema.type === 'OBJECT' && name !== 'flowrag_stats') expect(Object.keys(schema.properties as object), path).not.toEqual([]);
      }
    }
  });

  test('clients that pass schemas on unchanged send nothing unknown either', () => {
    const found = tools.flatMap(({ name, inputSchema }) => unknownFields(inputSchema, name));
    expect(found).toEqual(['flowrag_stats: additionalProperties']);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChatModel } from '../../harness/chat-model.ts';
import type { TestMillrace } from '../../harness/millrace.ts';
import { verifies } from '../../requirements.ts';
import { extractionModel } from './extraction-model.ts';
import { openFlowrag } from './flowrag.ts';

const PLATFORM = `# Platform

[SERVICE] Checkout: takes orders from the web shop
[DATABASE] Ledger: every booking since 2019
[TEAM] Payments Team: owns money

Checkout --[PRODUCES]--> Kafka: order events
Analytics --[CONSUMES]--> Kafka: order events
Analytics --[PRODUCES]--> Dashboard
Billing --[USES]--> Ledger: reads bookings
Payments Team --[OWNS]--> Billing
Kafka aka event bus
`;

let model: ChatModel;
let flowrag: TestMillrace;

/** Documents whose lines the model reads. */
const openIndexed = async (docs: Record<string, string>): Promise<TestMillrace> => {
  const opened = await openFlowrag({ docs, config: { extractor: { provider: 'openai', model: 'lines', baseUrl: model.url } } });
  const reply = await opened.call('flowrag_index');
  expect(reply.isError, reply.text).toBe(false);
  return opened;
};

beforeAll(async () => {
  model = await extractionModel();
  flowrag = await openIndexed({
    'platform.md': PLATFORM,
    'guides/orders.md': '# Orders\n\nOrders are taken by the Checkout and published to Kafka within a second.\n',
  });
});

afterAll(async () => {
  await flowrag.close();
  model.close();
});

const textOf = async (tool: string, parameters: unknown) => (await flowrag.call(tool, parameters)).text;

describe('flowrag_index', () => {
  verifies('flowrag-index-reply', 'answers with the published sentence', async () => {
    const reply = await flowrag.call('flowrag_index');
    expect(reply.text.split('\n')[0]).toMatch(/^Indexed 2 documents, \d+ chunks, 7 entities, 5 relations$/);
    expect(reply.structured).toMatchObject({ status: 'completed', documents: 2, entities: 7, relations: 5, unchanged: 2 });
  });

  verifies('flowrag-index-no-docs', 'says how to set the docs path where there is none', async () => {
    const bare = await openFlowrag({ config: { docs: undefined } });
    const reply = await bare.call('flowrag_index');
    expect(reply.isError).toBe(true);
    expect(reply.text).toBe(
      'No docs path is configured: there is nothing to index\nSet "docs" in flowrag.config.json, or start with --docs <folder>.',
    );
    await bare.close();
  });

  verifies('flowrag-missing-key', 'refuses an explicit provider whose variable is missing and names it', async () => {
    for (const [provider, variable] of [
      ['gemini', 'GEMINI_API_KEY'],
      ['bedrock', 'AWS_REGION'],
    ] as const) {
      const keyless = await openFlowrag({ config: { extractor: { provider } } });
      const reply = await keyless.call('flowrag_index');
      expect(reply.isError).toBe(true);
      expect(reply.text).toContain(variable);
      await keyless.close();
    }
  });
});

describe('flowrag_search', () => {
  verifies('flowrag-search-input', 'requires a query and answers in every mode', async () => {
    expect((await flowrag.call('flowrag_search', {})).text).toContain('query is required');
    expect((await flowrag.call('flowrag_search', { query: ' ' })).isError).toBe(true);
    expect((await flowrag.call('flowrag_search', { query: 'x', mode: 'other' })).isError).toBe(true);
    for (const mode of ['hybrid', 'local', 'global', 'naive', undefined]) {
      const reply = await flowrag.call('flowrag_search', { query: 'Who takes orders, Checkout or Billing?', ...(mode && { mode }) });
      expect(reply.isError, `${mode}: ${reply.text}`).toBe(false);
      expect((reply.structured as { results: unknown[] }).results.length, mode).toBeGreaterThan(0);
    }
  });

  verifies('flowrag-search-limit', 'returns at most limit results, 5 by default', async () => {
    const notes = Array.from({ length: 9 }, (_, at) => [`n${at}.md`, `# Note ${at}\n\nOrders and more orders number ${at}.\n`] as const);
    const many = await openIndexed(Object.fromEntries(notes));
    const results = async (parameters: object) =>
      ((await many.call('flowrag_search', { query: 'orders', ...parameters })).structured as { results: unknown[] }).results.length;
    expect(await results({})).toBe(5);
    expect(await results({ limit: 2 })).toBe(2);
    expect(await results({ limit: 9 })).toBe(9);
    for (const limit of [0, -1, 1.5, 1e9]) expect((await many.call('flowrag_search', { query: 'orders', limit })).isError).toBe(true);
    await many.close();
  });

  verifies(['flowrag-search-result-text', 'flowrag-search-source'], 'shows source, score, place and a quoted snippet', async () => {
    const reply = await flowrag.call('flowrag_search', { query: 'orders published within a second', limit: 1 });
    expect(reply.text).toMatch(/^1\. \[(vector|graph)\] score: \d\.\d{3} guides\/orders\.md:L3-L3/);
    expect(reply.text).toContain('> Orders are taken by the Checkout and published to Kafka within a second.');
    expect(reply.text).toContain('Why: ');
    const { results } = reply.structured as { results: { source: string; explanation: string }[] };
    for (const result of results) expect(['vector', 'graph']).toContain(result.source);
    expect(results[0]?.explanation).toMatch(/word|lexical|BM25/i);
  });

  test('takes operators, quotes and emoji as plain text', async () => {
    for (const query of ['"', "' OR 1=1 --", 'NEAR(a b) AND * ^', '🙂', 'title:x', '((((', '-- "unclosed', 'a'.repeat(4000)]) {
      const reply = await flowrag.call('flowrag_search', { query });
      expect(reply.isError, `${query}: ${reply.text}`).toBe(false);
    }
    expect((await flowrag.call('flowrag_search', { query: 'a'.repeat(4001) })).text).toContain('at most 4000 characters');
  });
});

describe('flowrag_entities', () => {
  verifies('flowrag-entities-filters', 'filters by type, by a part of name or description, or by both', async () => {
    expect(await textOf('flowrag_entities', { type: 'DATABASE' })).toBe('[DATABASE] Ledger: every booking since 2019');
    expect(await textOf('flowrag_entities', { query: 'BOOKING' })).toBe('[DATABASE] Ledger: every booking since 2019');
    expect(await textOf('flowrag_entities', { query: 'check' })).toBe('[SERVICE] Checkout: takes orders from the web shop');
    expect(await textOf('flowrag_entities', { type: 'TEAM', query: 'check' })).toBe('No entities match type TEAM and "check".');
    expect(await textOf('flowrag_entities', { type: 'PLANET' })).toContain('The types are SERVICE, DATABASE, PROTOCOL, TEAM, CONCEPT.');
    expect(await textOf('flowrag_entities', { query: "%'_" })).toBe('No entities match "%\'_".');
  });

  verifies('flowrag-entities-output', 'shows type, name and description, at most limit', async () => {
    const all = (await textOf('flowrag_entities', {})).split('\n');
    expect(all).toHaveLength(7);
    expect(all).toContain('[TEAM] Payments Team: owns money');
    expect(all).toContain('[SERVICE] Kafka (also event bus)');
    expect((await textOf('flowrag_entities', { limit: 3 })).split('\n')).toHaveLength(3);
    for (const limit of [0, 1e9]) expect((await flowrag.call('flowrag_entities', { limit })).isError).toBe(true);
  });

  verifies('flowrag-entities-output', 'lists 20 entities when no limit is given', async () => {
    const things = Array.from({ length: 30 }, (_, index) => `[CONCEPT] Thing ${index}: number ${index}`);
    const many = await openIndexed({ 'many.md': things.join('\n') });
    expect((await many.call('flowrag_entities')).text.split('\n')).toHaveLength(20);
    await many.close();
  });
});

describe('flowrag_relations', () => {
  verifies('flowrag-relations-output', 'prints relations as stored, with description', async () => {
    const lines = (await textOf('flowrag_relations', { entity: 'Kafka' })).split('\n');
    expect(lines).toEqual([
      'Analytics --[CONSUMES]--> Kafka: order events (platform.md:L8)',
      'Checkout --[PRODUCES]--> Kafka: order events (platform.md:L7)',
    ]);
  });

  verifies('flowrag-relations-direction', 'takes in, out or both', async () => {
    expect((await flowrag.call('flowrag_relations', {})).text).toContain('entity is required');
    expect(await textOf('flowrag_relations', { entity: 'Analytics', direction: 'in' })).toBe('Analytics has no relations (in).');
    expect((await textOf('flowrag_relations', { entity: 'Analytics', direction: 'out' })).split('\n')).toHaveLength(2);
    expect((await textOf('flowrag_relations', { entity: 'Billing' })).split('\n')).toHaveLength(2);
    expect((await textOf('flowrag_relations', { entity: 'Billing', direction: 'in' })).split('\n')).toHaveLength(1);
    expect((await flowrag.call('flowrag_relations', { entity: 'Billing', direction: 'up' })).isError).toBe(true);
  });
});

describe('flowrag_trace and flowrag_path', () => {
  verifies('flowrag-trace', 'prints a chain of entities', async () => {
    expect((await textOf('flowrag_trace', { entity: 'Checkout', direction: 'downstream' })).split('\n')[0]).toBe(
      'Checkout → Kafka → Analytics → Dashboard',
    );
    expect((await textOf('flowrag_trace', { entity: 'Dashboard', direction: 'upstream' })).split('\n')[0]).toBe(
      'Checkout → Kafka → Analytics → Dashboard',
    );
    expect(await textOf('flowrag_trace', { entity: 'Payments Team', direction: 'downstream' })).toBe(
      'Nothing is known downstream of Payments Team.',
    );
    expect((await flowrag.call('flowrag_trace', { entity: 'Kafka' })).text).toContain('direction');
    expect((await flowrag.call('flowrag_trace', { entity: 'Kafka', direction: 'sideways' })).isError).toBe(true);
  });

  verifies('flowrag-path', 'prints a chain of relations', async () => {
    const text = await textOf('flowrag_path', { from: 'Checkout', to: 'Analytics' });
    expect(text.split('\n')[0]).toBe('Checkout --[PRODUCES]--> Kafka --[CONSUMES]--> Analytics');
    expect(text).toContain('> Checkout --[PRODUCES]--> Kafka: order events');
    expect((await flowrag.call('flowrag_path', { from: 'Checkout' })).text).toContain('to is required');
    expect((await flowrag.call('flowrag_path', { to: 'Checkout' })).text).toContain('from is required');
  });

  verifies('flowrag-path-shortest', 'reports that there is no path within maxDepth', async () => {
    expect(await textOf('flowrag_path', { from: 'Checkout', to: 'Dashboard', maxDepth: 2 })).toBe(
      'There is no path from Checkout to Dashboard within 2 hops.',
    );
    expect(await textOf('flowrag_path', { from: 'Dashboard', to: 'Checkout' })).toBe(
      'There is no path from Dashboard to Checkout within 5 hops.\nThe other way round there is one: Checkout --[PRODUCES]--> Kafka --[CONSUMES]--> Analytics --[PRODUCES]--> Dashboard',
    );
    expect(await textOf('flowrag_path', { from: 'Kafka', to: 'event bus' })).toBe('Kafka (both names mean the same entity)');
    for (const maxDepth of [0, 1e9]) {
      expect((await flowrag.call('flowrag_path', { from: 'Kafka', to: 'Ledger', maxDepth })).text).toContain(
        'maxDepth must be from 1 to 50',
      );
    }
  });
});

describe('names of entities', () => {
  verifies('flowrag-resolution-none', 'names the nearest entities when nothing matches', async () => {
    const reply = await flowrag.call('flowrag_trace', { entity: 'Chekout', direction: 'upstream' });
    expect(reply.isError).toBe(true);
    expect(reply.text).toBe('There is no entity "Chekout". Nearest: Checkout.\nflowrag_entities lists what there is.');
    expect(reply.structured).toMatchObject({ error: { code: 'not_found', details: { nearest: ['Checkout'] } } });
  });

  verifies('flowrag-resolution-several', 'lists several matches instead of guessing', async () => {
    const reply = await flowrag.call('flowrag_relations', { entity: 'l' });
    expect(reply.text).toBe('"l" matches 3 entities: Analytics, Billing, Ledger\nCall again with one of these names.');
    expect(reply.structured).toMatchObject({ error: { details: { matches: [{ id: 'analytics' }, { id: 'billing' }, { id: 'ledger' }] } } });
    expect((await flowrag.call('flowrag_path', { from: 'e', to: 'Kafka' })).text).toMatch(/^"e" matches 4 entities: /);
  });
});

describe('flowrag_stats, the list of tools, the schema', () => {
  verifies('flowrag-stats', 'answers in the published form', async () => {
    const reply = await flowrag.call('flowrag_stats');
    expect(reply.text).toMatch(/^Documents: 2, Chunks: (\d+), Entities: 7, Relations: 5, Vectors: \1$/);
    expect((await flowrag.call('flowrag_stats', { x: 1 })).isError).toBe(true);
  });

  verifies('flowrag-tools-listed', 'lists its seven tools before any indexing', async () => {
    const fresh = await openFlowrag();
    expect(fresh.catalog.entries().map((entry) => entry.tool.name)).toEqual([
      'flowrag_index',
      'flowrag_search',
      'flowrag_entities',
      'flowrag_relations',
      'flowrag_trace',
      'flowrag_path',
      'flowrag_stats',
    ]);
    expect((await fresh.call('flowrag_stats')).text).toBe('Documents: 0, Chunks: 0, Entities: 0, Relations: 0, Vectors: 0');
    expect(await fresh.call('flowrag_search', { query: 'x' })).toMatchObject({
      text: 'The index is empty: run flowrag_index first.',
      structured: { results: [], warnings: ['The index is empty: run flowrag_index first.'] },
    });
    expect(await fresh.call('flowrag_entities', { query: 'x' })).toMatchObject({
      text: 'The index has no entities: run flowrag_index first.',
      structured: { entities: [], warnings: ['The index has no entities: run flowrag_index first.'] },
    });
    expect((await fresh.call('flowrag_trace', { entity: 'x', direction: 'upstream' })).text).toContain('run flowrag_index');
    await fresh.close();
  });

  verifies('flowrag-schema-resource', 'publishes the schema as a resource', async () => {
    const status = { type: 'enum', values: ['active', 'deprecated'], default: 'active' };
    const own = await openFlowrag({ config: { schema: { entityTypes: ['SERVICE'], relationTypes: ['USES'], entityFields: { status } } } });
    const [resource] = own.catalog.resources();
    expect(resource).toMatchObject({ uri: 'flowrag://schema', mimeType: 'application/json' });
    expect(JSON.parse((await resource?.read()) ?? '')).toEqual({
      entityTypes: ['SERVICE'],
      relationTypes: ['USES'],
      documentFields: {},
      entityFields: { status },
      relationFields: {},
    });
    await own.close();
  });
});

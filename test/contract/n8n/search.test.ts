import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

interface Found {
  count: number;
  nodes: { id: string; name: string; description: string; parameters: Record<string, unknown>; categories: string[] }[];
}

async function searching() {
  const { done } = await openN8n();
  return async (query: Record<string, unknown>) => (await done('node_search', query)) as unknown as Found;
}

verifies('n8n-search-reply', 'node_search answers count and nodes whose ids node_add takes', async () => {
  const bench = await openN8n();
  const { count, nodes } = (await bench.done('node_search', { keyword: 'http request' })) as unknown as Found;
  expect(count).toBe(nodes.length);
  expect(nodes[0]).toEqual({
    id: 'n8n-nodes-base.httpRequest',
    name: 'HTTP Request',
    description: expect.any(String),
    parameters: expect.objectContaining({ url: 'string, required', method: expect.stringContaining('GET') }),
    categories: expect.any(Array),
  });
  const { workflowId } = await bench.done('workflow_create', { name: 'New' });
  for (const { id } of nodes) expect(await bench.done('node_add', { workflowId, nodeType: id })).toMatchObject({ success: true });
});

verifies('n8n-search-category', 'categories find nodes of that kind only', async () => {
  const search = await searching();
  const triggers = await search({ category: 'trigger', limit: 100 });
  expect(triggers.count).toBeGreaterThan(80);
  for (const { id, categories } of triggers.nodes) expect(categories, id).toContain('trigger');
  expect(triggers.nodes.map(({ id }) => id)).toContain('n8n-nodes-base.webhook');
  const http = await search({ category: 'http' });
  expect(http.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['n8n-nodes-base.httpRequest', 'n8n-nodes-base.webhook']));
  for (const { id } of http.nodes) expect(id).toMatch(/http|webhook|graphql/i);
  const databases = await search({ category: 'database', limit: 100 });
  const ids = databases.nodes.map(({ id }) => id);
  expect(ids).toEqual(
    expect.arrayContaining(['n8n-nodes-base.postgres', 'n8n-nodes-base.mySql', 'n8n-nodes-base.mongoDb', 'n8n-nodes-base.redis']),
  );
  for (const other of ['n8n-nodes-base.slack', 'n8n-nodes-base.set', 'n8n-nodes-base.gmail']) expect(ids).not.toContain(other);
  expect((await search({ category: 'databse' })).count).toBe(databases.count);
});

verifies('n8n-search-keyword-functionality', 'keyword finds by name and description, functionality by purpose', async () => {
  const search = await searching();
  expect((await search({ keyword: 'telegram' })).nodes[0]?.id).toBe('n8n-nodes-base.telegram');
  expect((await search({ keyword: 'makes an HTTP request and returns the response' })).nodes[0]?.id).toBe('n8n-nodes-base.httpRequest');
  const senders = await search({ functionality: 'send a message to a chat', limit: 100 });
  expect(senders.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['n8n-nodes-base.telegram', 'n8n-nodes-base.discord']));
});

verifies('n8n-search-filters-combine', 'filters are optional, and together all apply', async () => {
  const search = await searching();
  const ids = async (query: Record<string, unknown>) => {
    const found: string[] = [];
    for (let offset = 0; ; offset += 100) {
      const { nodes, count } = await search({ ...query, limit: 100, offset });
      found.push(...nodes.map(({ id }) => id));
      if (offset + 100 >= count) return { found: new Set(found), count };
    }
  };
  const category = fc.option(fc.constantFrom('trigger', 'database', 'http', 'AI', 'email'), { nil: undefined });
  const keyword = fc.option(fc.constantFrom('google', 'mail', 'postgres', 'agent', 'slack', 'trigger'), { nil: undefined });
  const functionality = fc.option(fc.constantFrom('send a message', 'read rows', 'get data', 'create contact'), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(category, keyword, functionality, async (one, two, three) => {
      const filters = Object.entries({ category: one, keyword: two, functionality: three }).filter(([, value]) => value !== undefined);
      const together = await ids(Object.fromEntries(filters));
      expect(together.found.size).toBe(together.count);
      const apart = await Promise.all(filters.map(([name, value]) => ids({ [name]: value })));
      const wanted = [...together.found];
      for (const id of wanted) for (const { found } of apart) expect(found.has(id), id).toBe(true);
      const [first, ...others] = apart;
      const all = [...(first?.found ?? [])].filter((id) => others.every(({ found }) => found.has(id)));
      if (filters.length > 0) expect(new Set(all)).toEqual(together.found);
    }),
    { numRuns: 25 },
  );
});

verifies('n8n-search-nothing-found', 'a search without a match is not an error', async () => {
  const search = await searching();
  expect(await search({ keyword: 'qxzzyvwk' })).toEqual({ count: 0, nodes: [] });
  expect(await search({ category: 'no such category at all' })).toEqual({ count: 0, nodes: [] });
});

test('a page is short, and an argument out of range is refused', async () => {
  const bench = await openN8n();
  const everything = await bench.call('node_search', {});
  expect(everything.text.length).toBeLessThan(60_000);
  expect((await bench.refused('node_search', { limit: 0 })).code).toBe('INVALID_TOOL_PARAMETERS');
  expect((await bench.refused('node_search', { keywords: 'slack' })).message).toContain('keyword');
  expect((await bench.refused('node_search', { query: 'slack' })).message).toBe('Unknown argument "query". Did you mean "keyword"?');
});

verifies(
  'n8n-engine-missing',
  'without the engine pack the tools that need it name the command that brings it, and the others work',
  async () => {
    const bench = await openN8n({ engine: false });
    const { workflowId } = await bench.done('workflow_create', { name: 'Files still work' });
    const { nodeId } = await bench.done('node_add', { workflowId, nodeType: 'n8n-nodes-base.manualTrigger' });
    const calls: [string, Record<string, unknown>][] = [
      ['node_search', { keyword: 'slack' }],
      ['node_replace', { workflowId, targetNodeId: nodeId, newNodeType: 'n8n-nodes-base.webhook' }],
      ['test_workflow', { workflowId }],
      ['workflow_validate', { workflowId }],
    ];
    for (const [tool, parameters] of calls) {
      const { code, message, details } = await bench.refused(tool, parameters);
      expect(code, tool).toBe('TOOL_EXECUTION_ERROR');
      expect(`${message} ${JSON.stringify(details)}`, tool).toContain('millrace engine add n8n');
    }
    expect(await bench.done('workflow_load', { workflowIdOrPath: workflowId })).toMatchObject({ workflowId });
  },
);

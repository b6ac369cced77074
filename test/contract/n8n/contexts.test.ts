import { expect } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

verifies('flowmind-context-uris', 'workflow files are contexts workflow://n8n/<slug> that test_workflow runs', async () => {
  const n8n = await openN8n();
  const node = (name: string, type: string) => ({ id: name, name, type, typeVersion: 1, position: [0, 0], parameters: {} });
  const nodes = [
    node('Hook', 'n8n-nodes-base.webhook'),
    node('Ask', 'n8n-nodes-base.httpRequest'),
    node('Sheet', 'n8n-nodes-base.googleSheets'),
  ];
  n8n.write('orders.json', { name: 'Órders → sheet!', description: 'Writes orders into a sheet.', nodes, connections: {}, id: 'w1' });
  n8n.write('sub/orders.json', { name: 'Orders sheet', nodes: [], connections: {} });
  const contexts = (await n8n.catalog.contexts()).filter(({ type }) => type !== 'tool');
  expect(contexts).toEqual([
    {
      uri: 'workflow://n8n/orders-sheet',
      type: 'workflow',
      name: 'Órders → sheet!',
      description: 'Writes orders into a sheet. Starts on: webhook. Uses: http request, google sheets.',
      domain: 'technical',
      tags: ['n8n', 'webhook', 'http-request', 'google-sheets'],
      complexity: 'simple',
      examples: ['Órders → sheet!', 'run Órders → sheet!', 'Órders → sheet! with http request, google sheets'],
      variables: { required: [], optional: ['testData', 'timeout'] },
      updatedAt: expect.any(Date),
      action: { tool: 'test_workflow', parameters: { workflowId: 'w1' } },
    },
    expect.objectContaining({
      uri: 'workflow://n8n/orders-sheet-2',
      action: { tool: 'test_workflow', parameters: { workflowId: 'sub/orders.json' } },
    }),
  ]);
  for (const { uri } of contexts) expect(uri).toMatch(/^(workflow|agent|pattern):\/\/[a-z0-9-]+(\/[a-z0-9-]+)*$/);
});

import { expect } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

const broken = {
  id: 'broken',
  name: 'Broken',
  nodes: [
    { id: 'a', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: 'b',
      name: 'Fetch',
      type: 'n8n-nodes-base.httpRequest',
      typeVersion: 4.2,
      position: [220, 0],
      parameters: { method: 'FETCH', urll: 'http://localhost' },
    },
    { id: 'c', name: 'Alone', type: 'n8n-nodes-base.noOp', typeVersion: 1, position: [440, 0], parameters: {} },
  ],
  connections: { Start: { main: [[{ node: 'Fetch', type: 'main', index: 0 }]] } },
};

verifies('n8n-validate-findings', 'workflow_validate answers findings with their remedy, for a file and for data', async () => {
  const bench = await openN8n();
  const before = JSON.stringify(broken, null, 2);
  bench.write('broken.json', before);
  const ofFile = await bench.done('workflow_validate', { workflowId: 'Broken' });
  const finding = (code: string, node: string | null) => ({
    code,
    node,
    path: expect.any(String),
    message: expect.any(String),
    fix: expect.any(String),
  });
  expect(ofFile).toEqual({
    valid: false,
    errors: expect.arrayContaining([
      finding('invalid_option', 'Fetch'),
      finding('unknown_parameter', 'Fetch'),
      finding('required_parameter', 'Fetch'),
    ]),
    warnings: [finding('unreachable', 'Alone')],
  });
  expect(await bench.done('workflow_validate', { workflowData: broken })).toEqual(ofFile);
  expect(bench.read('broken.json')).toBe(before);
  const fetch = { ...broken.nodes[1], parameters: { method: 'GET', url: 'http://localhost' } };
  const repaired = { ...broken, nodes: [broken.nodes[0], fetch] };
  expect(await bench.done('workflow_validate', { workflowData: repaired })).toEqual({ valid: true, errors: [], warnings: [] });
});

verifies('n8n-validate-findings', 'workflow_validate takes one of its two arguments', async () => {
  const { refused } = await openN8n();
  for (const parameters of [{}, { workflowId: 'x', workflowData: {} }]) {
    expect((await refused('workflow_validate', parameters)).code).toBe('INVALID_TOOL_PARAMETERS');
  }
});

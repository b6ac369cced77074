import { expect, test } from 'vitest';
import { openN8n } from '../../harness/n8n.ts';
import { verifies } from '../../requirements.ts';

const PUBLISHED = [
  'node_search',
  'node_add',
  'node_replace',
  'workflow_create',
  'workflow_save',
  'workflow_load',
  'workflow_list',
  'connection_create',
  'test_workflow',
];

verifies('n8n-tools-listed', 'the nine published tools are there, and only they are not extras', async () => {
  const { catalog } = await openN8n();
  const published = catalog
    .entries()
    .filter(({ tool }) => !tool.extra)
    .map(({ tool }) => tool.name);
  expect(published.toSorted()).toEqual(PUBLISHED.toSorted());
});

verifies('n8n-error-envelope', 'every failure is {error: {message, code, details}} with a published code', async () => {
  const n8n = await openN8n();
  n8n.write('broken.json', '{');
  const cases: [string, unknown, string][] = [
    ['workflow_load', { workflowIdOrPath: 'nothing' }, 'TOOL_EXECUTION_ERROR'],
    ['workflow_load', { workflowIdOrPath: 'broken.json' }, 'TOOL_EXECUTION_ERROR'],
    ['workflow_load', {}, 'INVALID_TOOL_PARAMETERS'],
    ['workflow_load', { workflowIdOrPath: 7 }, 'INVALID_TOOL_PARAMETERS'],
    ['workflow_load', { workflowIdOrPath: 'x', depth: 1 }, 'INVALID_TOOL_PARAMETERS'],
    ['workflow_load', [], 'INVALID_REQUEST_FORMAT'],
    ['workflow_load', 'text', 'INVALID_REQUEST_FORMAT'],
    ['no_such_tool', {}, 'TOOL_NOT_FOUND'],
    ['workflow_deploy', { workflowId: 'x' }, 'TOOL_EXECUTION_ERROR'],
  ];
  for (const [name, parameters, code] of cases) {
    const reply = await n8n.call(name, parameters);
    expect(reply.isError).toBe(true);
    expect(reply.structured).toEqual({ error: { message: expect.any(String), code, details: expect.any(Object) } });
    expect(JSON.parse(reply.text)).toEqual(reply.structured);
  }
});

test('output schemas are objects that admit the success and the error', async () => {
  const { catalog } = await openN8n();
  for (const { tool, outputSchema, inputSchema } of catalog.entries()) {
    expect(outputSchema).toMatchObject({ type: 'object', properties: { error: { type: 'object' } } });
    expect((outputSchema['anyOf'] as { required: string[] }[]).at(-1)).toEqual({ required: ['error'] });
    for (const key of ['anyOf', 'oneOf', 'allOf', 'if']) expect(inputSchema, tool.name).not.toHaveProperty(key);
  }
});

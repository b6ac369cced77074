import { describe, expect } from 'vitest';
import { json, recorded, recordedJson } from '../../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../../requirements.ts';
import { structured, toolsAt, toolsOn } from './tools.ts';

const SKELETON = '{"nodes":[{"id":"node-1","type":"llm","data":{}}],"edges":[]}';
const flow = recordedJson('get');
const id: string = flow.id;

describe('the tools', () => {
  verifies('flowise-tools-listed', 'are the eight published ones, and extras', async () => {
    const { catalog } = await toolsAt({});
    const entries = catalog.entries().map(({ tool }) => tool);
    expect(entries.filter((tool) => !tool.extra).map((tool) => tool.name)).toEqual([
      'list_chatflows',
      'get_chatflow',
      'create_chatflow',
      'update_chatflow',
      'delete_chatflow',
      'run_prediction',
      'deploy_chatflow',
      'generate_agentflow_v2',
    ]);
    expect(entries.filter((tool) => tool.extra).map((tool) => tool.name)).toEqual(['restore_chatflow', 'get_prediction_result']);
  });

  verifies('flowise-tools-listed', 'take the published arguments with the published limits', async () => {
    const { catalog } = await toolsAt({});
    const create = catalog.find('create_chatflow')?.inputSchema;
    expect(create).toMatchObject({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Chatflow name', minLength: 1, maxLength: 255 },
        flow_data: { type: 'string', minLength: 1 },
        type: { type: 'string', enum: ['CHATFLOW', 'AGENTFLOW', 'MULTIAGENT', 'ASSISTANT'], default: 'CHATFLOW' },
        deployed: { type: 'boolean', default: false },
      },
      required: ['name', 'flow_data'],
    });
    expect(catalog.find('list_chatflows')?.inputSchema.required ?? []).toEqual([]);
    expect(catalog.find('get_chatflow')?.inputSchema.required).toEqual(['chatflow_id']);
    expect(catalog.find('update_chatflow')?.inputSchema.required).toEqual(['chatflow_id']);
    expect(catalog.find('delete_chatflow')?.inputSchema.required).toEqual(['chatflow_id']);
    expect(catalog.find('run_prediction')?.inputSchema.required).toEqual(['chatflow_id', 'question']);
    expect(catalog.find('deploy_chatflow')?.inputSchema.required).toEqual(['chatflow_id', 'deployed']);
    expect(catalog.find('generate_agentflow_v2')?.inputSchema).toMatchObject({
      properties: { description: { type: 'string', minLength: 10 } },
      required: ['description'],
    });
  });
});

describe('list_chatflows', () => {
  verifies(
    ['flowise-list-every-flow', 'flowise-list-item-fields', 'flowise-deployed-boolean'],
    'lists every chatflow without its flowData, and null deployed as false',
    async () => {
      const { call, flowise } = await toolsOn({ 'GET /chatflows': recorded('list') });
      const reply = await call('list_chatflows', {});
      expect(reply.isError).toBe(false);
      expect(reply.structured).toEqual(
        recordedJson('list').map((row: typeof flow) => ({
          id: row.id,
          name: row.name,
          type: row.type,
          deployed: false,
          createdDate: row.createdDate,
        })),
      );
      expect(recordedJson('list').map((row: typeof flow) => row.deployed)).toEqual([false, null]);
      expect(reply.text).not.toContain('flowData');
      expect(flowise.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /chatflows']);
    },
  );

  verifies('flowise-list-array-shape', 'is a bare array in text; the advertised schema has its wrapped form and the error', async () => {
    const { call, catalog } = await toolsOn({ 'GET /chatflows': recorded('list') });
    const reply = await call('list_chatflows', {});
    expect(Array.isArray(JSON.parse(reply.text))).toBe(true);
    expect(reply.structured).toEqual(JSON.parse(reply.text));
    expect(catalog.find('list_chatflows')?.outputSchema).toMatchObject({
      type: 'object',
      properties: { result: { type: 'array', items: { required: ['id', 'name', 'type', 'deployed'] } }, error: { type: 'object' } },
      anyOf: [{ required: ['result'] }, { required: ['error'] }],
    });
    const entry = catalog.find('list_chatflows');
    expect(entry?.toolset.wire.bareOutputSchema?.(entry.tool)).toMatchObject({
      anyOf: [{ type: 'array' }, { type: 'object', required: ['error'] }],
    });
    const other = catalog.find('get_chatflow');
    expect(other?.toolset.wire.bareOutputSchema?.(other.tool)).toBeUndefined();
  });

  verifies('flowise-list-every-flow', 'can be narrowed by name and type, and paged', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows': recorded('list') });
    expect(structured(await call('list_chatflows', { name: 'UNDEC' })).map((row: typeof flow) => row.name)).toEqual(['Undecided']);
    expect(structured(await call('list_chatflows', { type: 'CHATFLOW' })).map((row: typeof flow) => row.name)).toEqual(['My New Flow']);
    expect(structured(await call('list_chatflows', { name: 'e', page: 2, limit: 1 })).map((row: typeof flow) => row.name)).toEqual([
      'Undecided',
    ]);
    flowise.on('GET /chatflows', recorded('list-page'));
    expect(structured(await call('list_chatflows', { page: 1, limit: 1 }))).toHaveLength(1);
    expect(Object.fromEntries(flowise.requests.at(-1)?.query ?? [])).toEqual({ page: '1', limit: '1' });
  });
});

verifies('flowise-get-fields', 'get_chatflow returns the flow with its flowData', async () => {
  const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get') });
  expect((await call('get_chatflow', { chatflow_id: id })).structured).toEqual({
    id,
    name: 'My New Flow',
    type: 'CHATFLOW',
    deployed: false,
    flowData: flow.flowData,
    createdDate: flow.createdDate,
    updatedDate: flow.updatedDate,
  });
});

verifies('flowise-deployed-boolean', 'get_chatflow says false where Flowise says null', async () => {
  const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get-null-deployed') });
  expect(recordedJson('get-null-deployed').deployed).toBe(null);
  expect(structured(await call('get_chatflow', { chatflow_id: id })).deployed).toBe(false);
});

describe('create_chatflow', () => {
  verifies(
    ['flowise-create-reply', 'flowise-create-deployed-default', 'flowise-undeployed-saved-with-warnings'],
    'saves the published example undeployed and says what is wrong with it',
    async () => {
      const { call, flowise } = await toolsOn({ 'POST /chatflows': recorded('create') });
      const reply = structured(await call('create_chatflow', { name: 'My New Flow', flow_data: SKELETON }));
      const { warnings, ...published } = reply;
      expect(published).toEqual({ id, name: 'My New Flow', type: 'CHATFLOW', deployed: false, createdDate: flow.createdDate });
      expect(warnings).toMatchObject([{ code: 'unnamed_node', severity: 'error', node: 'node-1' }]);
      expect(flowise.sent('POST')[0]?.body).toMatchObject({ name: 'My New Flow', type: 'CHATFLOW', deployed: false });
    },
  );

  verifies('flowise-create-type', 'is an AGENTFLOW only when no type is given and the nodes are agentflow nodes', async () => {
    const { call, flowise } = await toolsOn({ 'POST /chatflows': recorded('create') });
    const agentflow = '{"nodes":[{"id":"a","name":"startAgentflow"}],"edges":[]}';
    await call('create_chatflow', { name: 'a', flow_data: agentflow });
    await call('create_chatflow', { name: 'a', flow_data: agentflow, type: 'CHATFLOW' });
    await call('create_chatflow', { name: 'a', flow_data: '{"nodes":[{"id":"a","name":"conversationChain"}],"edges":[]}' });
    await call('create_chatflow', { name: 'a', flow_data: '{"nodes":[],"edges":[]}' });
    for (const type of ['MULTIAGENT', 'ASSISTANT']) await call('create_chatflow', { name: 'a', flow_data: SKELETON, type });
    const types = flowise.sent('POST').map(({ body }) => body.type);
    expect(types).toEqual(['AGENTFLOW', 'CHATFLOW', 'CHATFLOW', 'CHATFLOW', 'MULTIAGENT', 'ASSISTANT']);
    expect((await call('create_chatflow', { name: 'a', flow_data: SKELETON, type: 'chatflow' })).structured).toMatchObject({
      error: { type: 'ValidationError', details: { field: 'type', value: 'chatflow', constraint: 'enum' } },
    });
  });

  verifies('flowise-deployed-with-findings-refused', 'refuses a flow to be deployed that cannot run, and saves nothing', async () => {
    const { call, flowise } = await toolsOn({});
    const reply = structured(await call('create_chatflow', { name: 'a', flow_data: SKELETON, deployed: true }));
    expect(reply.error).toMatchObject({ type: 'ValidationError', details: { field: 'flow_data', findings: [{ code: 'unnamed_node' }] } });
    expect(flowise.sent('POST')).toEqual([]);
  });

  verifies('flowise-deployed-with-findings-refused', "takes a flow back when only Flowise's own check finds it wanting", async () => {
    const start =
      '{"nodes":[{"id":"a","name":"startAgentflow"},{"id":"b","name":"directReplyAgentflow","inputs":{"directReplyMessage":"x"}}],"edges":[{"source":"a","target":"b"}]}';
    const { call, flowise } = await toolsOn({
      'POST /chatflows': recorded('create'),
      'GET /validation/*': json([{ id: 'a', label: 'Start', name: 'startAgentflow', issues: ['Form Title is required'] }]),
      'DELETE /chatflows/*': recorded('delete'),
    });
    const reply = structured(await call('create_chatflow', { name: 'a', flow_data: start, deployed: true }));
    expect(reply.error.details.findings).toMatchObject([
      { code: 'flowise', node: 'a', message: 'Flowise says of "a": "Form Title is required"' },
    ]);
    expect(flowise.sent('POST')[0]?.body.deployed).toBe(false);
    expect(flowise.sent('DELETE').map(({ path }) => path)).toEqual([`/chatflows/${id}`]);
    expect(flowise.sent('PUT')).toEqual([]);
  });
});

describe('update_chatflow', () => {
  verifies('flowise-update-reply', 'returns the updated chatflow', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    expect((await call('update_chatflow', { chatflow_id: id, name: 'Updated Name' })).structured).toEqual({
      id,
      name: 'Updated Name',
      type: 'CHATFLOW',
      deployed: false,
      updatedDate: recordedJson('update').updatedDate,
    });
    expect(flowise.sent('PUT')[0]?.body).toEqual({ name: 'Updated Name' });
  });

  verifies('flowise-undeployed-saved-with-warnings', 'saves an undeployed flow with findings', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    const reply = structured(await call('update_chatflow', { chatflow_id: id, flow_data: SKELETON }));
    expect(reply.warnings).toMatchObject([{ code: 'unnamed_node' }]);
    expect(flowise.sent('PUT')).toHaveLength(1);
  });

  verifies('flowise-deployed-with-findings-refused', 'refuses findings in a deployed flow, and in one to be deployed', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get-chatflow') });
    const deployed = await call('update_chatflow', { chatflow_id: id, flow_data: SKELETON });
    expect(structured(deployed).error).toMatchObject({ type: 'ValidationError', details: { field: 'flow_data' } });
    flowise.on('GET /chatflows/*', recorded('get'));
    const deploying = await call('update_chatflow', { chatflow_id: id, deployed: true });
    expect(structured(deploying).error).toMatchObject({ type: 'ValidationError' });
    expect([...flowise.sent('PUT'), ...flowise.sent('POST')]).toEqual([]);
  });

  verifies(
    'flowise-deployed-with-findings-refused',
    "checks a deployed flow's successor on a copy that does not run by itself",
    async () => {
      const scheduled = {
        nodes: [
          { id: 'a', name: 'startAgentflow', inputs: { startInputType: 'scheduleInput' } },
          { id: 'b', name: 'directReplyAgentflow', inputs: { directReplyMessage: 'x' } },
        ],
        edges: [{ source: 'a', target: 'b' }],
      };
      const { call, flowise } = await toolsOn({
        'GET /chatflows/*': recorded('get-agentflow'),
        'POST /chatflows': recorded('create'),
        'DELETE /chatflows/*': recorded('delete'),
        'PUT /chatflows/*': recorded('update'),
      });
      expect((await call('update_chatflow', { chatflow_id: id, flow_data: JSON.stringify(scheduled) })).isError).toBe(false);
      expect(flowise.sent('POST')[0]?.body).toMatchObject({ deployed: false });
      expect(flowise.sent('POST')[0]?.body.flowData).not.toContain('scheduleInput"');
      expect(flowise.sent('DELETE').map(({ path }) => path)).toEqual([`/chatflows/${recordedJson('create').id}`]);
      expect(flowise.sent('PUT')[0]?.body.flowData).toContain('"startInputType":"scheduleInput"');
    },
  );

  verifies('flowise-update-reply', 'refuses the stale copy that expected_updated_date shows', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    const stale = { chatflow_id: id, name: 'x', expected_updated_date: '2020-01-01T00:00:00Z' };
    expect(structured(await call('update_chatflow', stale)).error).toMatchObject({
      type: 'ValidationError',
      details: { field: 'expected_updated_date', updatedDate: flow.updatedDate },
    });
    expect(flowise.sent('PUT')).toEqual([]);
    const current = { ...stale, expected_updated_date: flow.updatedDate };
    expect((await call('update_chatflow', current)).isError).toBe(false);
  });
});

verifies('flowise-delete-reply', 'delete_chatflow confirms with the published message', async () => {
  const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'DELETE /chatflows/*': recorded('delete') });
  expect((await call('delete_chatflow', { chatflow_id: 'abc-123-def' })).structured).toEqual({
    message: 'Chatflow deleted successfully',
    deleted_id: 'abc-123-def',
  });
});

describe('deploy_chatflow', () => {
  verifies('flowise-deploy-reply', 'returns the new state', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get-chatflow'), 'PUT /chatflows/*': recorded('update') });
    expect((await call('deploy_chatflow', { chatflow_id: id, deployed: false })).structured).toEqual({
      id,
      name: 'Updated Name',
      deployed: false,
      updatedDate: recordedJson('update').updatedDate,
    });
    expect(flowise.sent('PUT')[0]?.body).toEqual({ deployed: false });
  });

  verifies('flowise-deployed-with-findings-refused', 'does not deploy what cannot run', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get') });
    expect(structured(await call('deploy_chatflow', { chatflow_id: id, deployed: true })).error).toMatchObject({
      type: 'ValidationError',
      details: { findings: [{ code: 'unnamed_node' }] },
    });
    expect(flowise.sent('PUT')).toEqual([]);
  });
});

describe('generate_agentflow_v2', () => {
  const description = 'Create a research agent that searches the web and summarizes findings';

  verifies('flowise-generate-reply', 'returns flowData with the model in it, a name and a description', async () => {
    const { call, flowise } = await toolsOn({ 'POST /agentflowv2-generator/generate': recorded('generate') });
    const reply = structured(await call('generate_agentflow_v2', { description }));
    expect(reply).toMatchObject({
      name: 'Research Agent',
      description: 'Research agent that searches the web and summarizes findings',
    });
    const { nodes, edges } = JSON.parse(reply.flowData);
    expect(edges).toHaveLength(1);
    const credential = recordedJson('credentials')[0].id;
    expect(nodes[1]).toMatchObject({
      name: 'llmAgentflow',
      inputs: { llmModel: 'chatOpenAI', llmModelConfig: { FLOWISE_CREDENTIAL_ID: credential } },
    });
    expect(flowise.sent('POST')[0]?.body).toMatchObject({ question: description, selectedChatModel: { name: 'chatOpenAI', credential } });
  });

  verifies('flowise-generate-unusable', 'is a ValidationError when Flowise reports a failure with status 200', async () => {
    const { call } = await toolsOn({ 'POST /agentflowv2-generator/generate': recorded('generate-failed') });
    const reply = await call('generate_agentflow_v2', { description });
    expect(structured(reply).error.type).toBe('ValidationError');
    expect(reply.text).not.toContain('Cannot read properties');
  });

  verifies('flowise-generate-unusable', 'is a ValidationError when the flow has no start or nodes that do not exist', async () => {
    const unusable = [
      { nodes: [], edges: [] },
      { nodes: [{ id: 'x', data: { name: 'llmAgentflow' } }], edges: [] },
      { nodes: [{ id: 'x', data: { name: 'nope' } }], edges: [] },
      7,
      null,
    ];
    for (const reply of unusable) {
      const { call } = await toolsOn({ 'POST /agentflowv2-generator/generate': json(reply) });
      expect(structured(await call('generate_agentflow_v2', { description })).error?.type).toBe('ValidationError');
    }
  });

  verifies('flowise-generate-unusable', 'is a ValidationError that says how to get a model when there is none', async () => {
    const { call, flowise } = await toolsOn({ 'GET /credentials': json([]) });
    expect(structured(await call('generate_agentflow_v2', { description })).error).toMatchObject({
      type: 'ValidationError',
      details: { fix: expect.stringContaining('FLOWISE_CHAT_MODEL') },
    });
    expect(flowise.sent('POST')).toEqual([]);
  });
});

import type { Database } from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { json, recorded, recordedJson } from '../../../toolsets/flowise/testing/replay.ts';
import { KEY, structured, toolsOn } from './tools.ts';

const flow = recordedJson('get');

describe('restore_chatflow', () => {
  test('brings back what an update changed, and can itself be taken back', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    await call('update_chatflow', { chatflow_id: flow.id, name: 'Updated Name' });
    const listed = structured(await call('restore_chatflow', { chatflow_id: flow.id, dry_run: true }));
    expect(listed).toEqual({
      backups: [{ backup_id: expect.any(String), name: 'My New Flow', reason: 'update', saved_at: expect.any(String) }],
    });
    const restored = structured(await call('restore_chatflow', { chatflow_id: flow.id }));
    expect(restored).toMatchObject({ new_id: false, restored_from: listed.backups[0] });
    expect(flowise.sent('PUT').at(-1)?.body).toEqual({ name: 'My New Flow', type: 'CHATFLOW', deployed: false, flowData: flow.flowData });
    expect(
      structured(await call('restore_chatflow', { chatflow_id: flow.id, dry_run: true })).backups.map(
        (one: { reason: string }) => one.reason,
      ),
    ).toEqual(['restore', 'update']);
  });

  test('creates a deleted chatflow again, with its settings', async () => {
    const apiConfig = '{"rateLimit":{"status":false}}';
    const { call, flowise } = await toolsOn({
      'GET /chatflows/*': json({ ...flow, apiConfig, category: 'x' }),
      'DELETE /chatflows/*': recorded('delete'),
      'POST /chatflows': recorded('create'),
    });
    await call('delete_chatflow', { chatflow_id: flow.id });
    flowise.on('GET /chatflows/*', recorded('get-missing'));
    expect(structured(await call('restore_chatflow', { chatflow_id: flow.id }))).toMatchObject({
      new_id: true,
      chatflow: { name: 'My New Flow' },
    });
    expect(flowise.sent('POST')[0]?.body).toMatchObject({ name: 'My New Flow', flowData: flow.flowData, apiConfig, category: 'x' });
  });

  test('clears settings that came later', async () => {
    const { call, flowise } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    await call('update_chatflow', { chatflow_id: flow.id, name: 'x' });
    flowise.on('GET /chatflows/*', json({ ...flow, apiConfig: '{}', category: 'later' }));
    await call('restore_chatflow', { chatflow_id: flow.id });
    expect(flowise.sent('PUT').at(-1)?.body).toMatchObject({ apiConfig: null, category: null });
  });

  test('keeps the last twenty states, and says when there are none', async () => {
    const { call } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'PUT /chatflows/*': recorded('update') });
    for (let index = 0; index < 23; index++) await call('update_chatflow', { chatflow_id: flow.id, name: `n${index}` });
    expect(structured(await call('restore_chatflow', { chatflow_id: flow.id, dry_run: true })).backups).toHaveLength(20);
    expect(structured(await call('restore_chatflow', { chatflow_id: flow.id, backup_id: 'nope' })).error.type).toBe('NotFoundError');
    expect(structured(await call('restore_chatflow', { chatflow_id: 'other' })).error.type).toBe('NotFoundError');
  });

  test('a flow that cannot be backed up is left as it is', async () => {
    const { call, flowise, storage } = await toolsOn({ 'GET /chatflows/*': recorded('get'), 'DELETE /chatflows/*': recorded('delete') });
    (storage.store as unknown as { connection: Database }).connection.pragma('query_only = ON');
    expect(structured(await call('delete_chatflow', { chatflow_id: flow.id })).error).toMatchObject({
      type: 'UnexpectedError',
      message: expect.stringContaining('left as it is'),
    });
    expect(flowise.sent('DELETE')).toEqual([]);
  });
});

describe('contexts', () => {
  const contextsOf = async (routes: Parameters<typeof toolsOn>[0], settings: object = {}) => {
    const { catalog, flowise } = await toolsOn(routes, settings);
    const contexts = (await catalog.contexts()).filter((context) => context.uri.startsWith('agent://'));
    return { contexts, catalog, flowise };
  };

  test('are the chatflows that can be run, under slugs of their own', async () => {
    const rows = ['Ünïted Ärt!', 'united art', '日本', '', 'x'.repeat(300)].map((name, index) => ({
      ...recordedJson('get-chatflow'),
      id: `id-${index}`,
      name,
    }));
    const { contexts } = await contextsOf({ 'GET /chatflows': json([...rows, { ...rows[0], id: 'id-9', name: 'off', deployed: false }]) });
    expect(contexts).toHaveLength(5);
    expect(new Set(contexts.map((context) => context.uri)).size).toBe(5);
    for (const { uri } of contexts) expect(uri).toMatch(/^agent:\/\/[a-z0-9-]+(\/[a-z0-9-]+)*$/);
    expect(contexts[0]).toMatchObject({
      uri: 'agent://flowise/united-art',
      type: 'agent',
      variables: { required: ['question'] },
      action: { tool: 'run_prediction', parameters: { chatflow_id: 'id-0' } },
    });
    expect(contexts[0]?.description).toContain('Conversation Chain');
  });

  test('never hold anybody up and never fail', async () => {
    for (const behaviour of ['hang', 'reset', recorded('unauthorized')] as const) {
      const { contexts } = await contextsOf({ 'GET /chatflows': behaviour });
      expect(contexts).toEqual([]);
    }
    const { contexts } = await contextsOf({}, { apiUrl: undefined });
    expect(contexts).toEqual([]);
  });

  test('are fetched once for a while', async () => {
    const { catalog, flowise } = await contextsOf({ 'GET /chatflows': recorded('list') }, { requireDeployed: false });
    for (let index = 0; index < 5; index++) await catalog.contexts();
    expect(flowise.requests).toHaveLength(1);
  });
});

describe('millrace doctor', () => {
  const probes = {
    'GET /version': recorded('version'),
    'GET /chatflows': recorded('list-page'),
    'POST /chatflows': recorded('create-bad-type'),
    'PUT /chatflows/*': recorded('update-missing'),
    'DELETE /chatflows/*': recorded('delete-missing'),
    'GET /executions': recorded('execution-failed'),
  };
  const checksOn = async (routes: Parameters<typeof toolsOn>[0], settings: object = {}) => {
    const { catalog } = await toolsOn(routes, settings);
    return (await catalog.toolsets[0]?.checks?.()) ?? [];
  };

  test('finds everything well', async () => {
    const checks = await checksOn(probes);
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['Flowise address', 'ok'],
      ['Flowise version', 'ok'],
      ['Flowise key', 'ok'],
      ['Flowise rights', 'ok'],
    ]);
    expect(JSON.stringify(checks)).not.toContain(KEY);
  });

  test('names the permissions that a key lacks', async () => {
    const checks = await checksOn({ ...probes, 'PUT /chatflows/*': recorded('forbidden'), 'GET /credentials': recorded('forbidden') });
    expect(checks.at(-1)).toMatchObject({
      state: 'broken',
      fix: { instruction: expect.stringContaining('chatflows:update, credentials:view') },
    });
  });

  test('tells a wrong key, a wrong address, an old version and none at all apart', async () => {
    expect((await checksOn({ ...probes, 'GET /chatflows': recorded('unauthorized') })).at(-1)).toMatchObject({
      name: 'Flowise key',
      state: 'broken',
    });
    expect(await checksOn({})).toMatchObject([
      { name: 'Flowise address', state: 'broken', fix: { instruction: expect.stringContaining('FLOWISE_API_URL') } },
    ]);
    expect((await checksOn({ ...probes, 'GET /version': json({ version: '2.2.7' }) }))[1]).toMatchObject({
      name: 'Flowise version',
      state: 'broken',
    });
    expect(await checksOn({}, { apiUrl: undefined })).toMatchObject([{ state: 'optional', fix: { command: 'engine add flowise' } }]);
  });
});

describe('create_chatflow', () => {
  const reply = (id: string) => ({ id, name: 'directReplyAgentflow', inputs: { directReplyMessage: id } });
  const ask = { id: 'ask', name: 'humanInputAgentflow', inputs: { humanInputDescriptionType: 'fixed', humanInputDescription: 'x' } };
  const branching = JSON.stringify({
    nodes: [{ id: 's', name: 'startAgentflow' }, ask, reply('yes'), reply('no')],
    edges: [
      { source: 's', target: 'ask' },
      { source: 'ask', target: 'yes' },
      { source: 'ask', target: 'no' },
    ],
  });

  test('warns of branches that it had to guess', async () => {
    const { call } = await toolsOn({ 'POST /chatflows': recorded('create') });
    expect(structured(await call('create_chatflow', { name: 'x', flow_data: branching })).warnings).toMatchObject([
      { code: 'guessed_output', severity: 'warning', node: 'ask' },
    ]);
  });

  test('says what it could not take back', async () => {
    const { call } = await toolsOn({
      'POST /chatflows': recorded('create'),
      'PUT /chatflows/*': recorded('unauthorized'),
      'DELETE /chatflows/*': recorded('unauthorized'),
    });
    const { error } = structured(await call('create_chatflow', { name: 'x', flow_data: branching, deployed: true }));
    const { id } = recordedJson('create');
    expect(error).toMatchObject({ type: 'AuthenticationError', details: { left_behind: id }, message: expect.stringContaining(id) });
  });
});

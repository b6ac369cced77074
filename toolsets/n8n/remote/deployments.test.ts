import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type FakeInstance, fakeInstance, KEY, type Mischief } from '../../../test/harness/n8n-instance.ts';
import { n8nSettings } from '../settings.ts';
import { n8nBench, smallPack } from '../testing/bench.ts';
import { InstanceClient } from './client.ts';

const HOOK = { id: 'a', name: 'Hook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0], parameters: { path: 'x' } };
const SET = { id: 'b', name: 'Set', type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [200, 0], parameters: { mode: 'raw' } };
const WORKFLOW = {
  name: 'Orders',
  nodes: [HOOK, { ...SET, notes: null, strange: 1, credentials: { httpBasicAuth: { id: '1', name: 'Shop' } } }],
  connections: { Hook: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } },
  settings: { executionOrder: 'v1', saveDataErrorExecution: 'DEFAULT', colour: 'red' },
  pinData: { Hook: [{ json: { a: 1 } }] },
  active: true,
  versionId: 'local',
  meta: { templateId: '1' },
  tags: [],
  id: 'local-id',
};

async function bench(mischief: Mischief = {}, workflow: object = WORKFLOW) {
  const instance = await fakeInstance(mischief);
  const n8n = await n8nBench({ settings: { apiUrl: `${instance.url}/api/v1/`, apiKey: KEY } });
  n8n.write('orders.json', workflow);
  return { instance, n8n, deploy: (more = {}) => n8n.done('workflow_deploy', { workflowId: 'Orders', ...more }) };
}

const writes = (instance: FakeInstance) => instance.requests.filter(({ method }) => method !== 'GET');

describe('workflow_deploy', () => {
  test('creates with nothing but what the API takes, and says what it left out', async () => {
    const { instance, deploy } = await bench();
    const reply = await deploy();
    expect(reply).toMatchObject({
      success: true,
      remoteId: 'remote1',
      url: `${instance.url}/workflow/remote1`,
      diff: ['+ workflow "Orders"', '+ node Hook', '+ node Set'],
    });
    expect(reply['warnings']).toEqual([
      'The API does not take settings: colour; it is left out',
      'The API does not take node Set: strange; it is left out',
      'Set uses the credential "Shop", which must exist on the instance',
    ]);
    expect(instance.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'Orders',
      nodes: [
        { ...HOOK, webhookId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        { ...SET, credentials: { httpBasicAuth: { id: '1', name: 'Shop' } } },
      ],
      connections: WORKFLOW.connections,
      settings: { executionOrder: 'v1' },
      pinData: WORKFLOW.pinData,
    });
  });

  test('updates what it created, and writes nothing when nothing changed', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy();
    const count = writes(instance).length;
    expect(await deploy()).toMatchObject({ remoteId: 'remote1', diff: [] });
    expect(writes(instance)).toHaveLength(count);
    await n8n.done('node_update', { workflowId: 'Orders', nodeId: 'Set', parameters: { mode: 'manual' } });
    await n8n.done('node_remove', { workflowId: 'Orders', nodeId: 'Hook' });
    const dry = await deploy({ dryRun: true });
    expect(dry['diff']).toEqual(['- node Hook', '~ node Set: parameters.mode', '- connection Hook (main) → Set (main)']);
    expect(writes(instance)).toHaveLength(count);
    expect(await deploy()).toMatchObject({ remoteId: 'remote1', diff: dry['diff'] });
    expect(instance.workflows.size).toBe(1);
    expect(instance.workflows.get('remote1')).toMatchObject({ nodes: [{ parameters: { mode: 'manual' } }] });
  });

  test('keeps the id of a webhook that the instance gave it', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy();
    const before = instance.workflows.get('remote1')?.nodes[0]?.['webhookId'];
    await n8n.done('node_update', { workflowId: 'Orders', nodeId: 'Set', disabled: true });
    await deploy();
    expect(before).toBeTruthy();
    expect(instance.workflows.get('remote1')?.nodes[0]?.['webhookId']).toBe(before);
  });

  test('refuses a workflow that was changed on the instance, unless forced', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy();
    const remote = instance.workflows.get('remote1');
    if (remote) remote.nodes = [{ ...HOOK, parameters: { path: 'other' } }];
    const refused = await n8n.refused('workflow_deploy', { workflowId: 'Orders' });
    expect(refused).toMatchObject({ code: 'TOOL_EXECUTION_ERROR', details: { drift: true, remoteId: 'remote1' } });
    expect(instance.workflows.get('remote1')?.nodes).toHaveLength(1);
    expect((await deploy({ dryRun: true }))['warnings']).toContain(
      'The workflow was changed on the instance since it was last deployed or pulled',
    );
    await deploy({ force: true });
    expect(instance.workflows.get('remote1')?.nodes).toHaveLength(2);
    await deploy();
  });

  test('does not take runs, activation or pinned data on the instance for a change', async () => {
    const { instance, deploy } = await bench();
    await deploy();
    Object.assign(instance.workflows.get('remote1') ?? {}, {
      staticData: { lastId: 7 },
      active: true,
      pinData: {},
      updatedAt: 'later',
      versionId: 'x',
    });
    await deploy();
  });

  test('refuses to overwrite a workflow of that id which came from elsewhere', async () => {
    const { instance, n8n } = await bench();
    instance.workflows.set('local-id', { ...structuredClone(WORKFLOW), active: false } as never);
    expect(await n8n.refused('workflow_deploy', { workflowId: 'Orders' })).toMatchObject({ details: { drift: true } });
  });

  test('makes a new one when the old one is gone, and warns of a namesake', async () => {
    const { instance, deploy } = await bench();
    await deploy();
    instance.workflows.delete('remote1');
    instance.workflows.set('else', { ...structuredClone(WORKFLOW), id: 'else' } as never);
    const reply = await deploy();
    expect(reply['remoteId']).toBe('remote2');
    expect(reply['warnings']).toEqual(
      expect.arrayContaining([
        'The workflow remote1 is gone from the instance; a new one is made',
        'The instance has another workflow of this name: else',
      ]),
    );
  });

  test('gives an older instance what it knows', async () => {
    const { instance, deploy } = await bench({ old: true }, { ...WORKFLOW, settings: { executionOrder: 'v1', callerPolicy: 'none' } });
    const reply = await deploy();
    expect(reply['warnings']).toEqual(
      expect.arrayContaining([
        'This version of n8n does not take settings: callerPolicy; it is left out',
        'This version of n8n does not take pinData; it is left out',
      ]),
    );
    expect(instance.workflows.get('remote1')).toMatchObject({ settings: { executionOrder: 'v1' }, pinData: null });
  });

  test('activates and waits until the instance confirms it', async () => {
    const { instance, deploy } = await bench({ lazyActivation: 2 });
    await deploy({ activate: true });
    expect(instance.workflows.get('remote1')?.active).toBe(true);
    expect(instance.mischief.lazyActivation).toBe(0);
  });

  test('two deployments at once make one workflow', async () => {
    const { instance, n8n } = await bench();
    const replies = await Promise.all([1, 2, 3].map(() => n8n.done('workflow_deploy', { workflowId: 'Orders' })));
    expect(replies.map((reply) => reply['remoteId'])).toEqual(['remote1', 'remote1', 'remote1']);
    expect(instance.workflows.size).toBe(1);
    expect(readdirSync(n8n.root)).toEqual(['orders.json']);
  });

  test('takes back a new workflow that cannot be activated', async () => {
    const { instance, n8n } = await bench({}, { ...WORKFLOW, nodes: [SET], connections: {} });
    const refused = await n8n.refused('workflow_deploy', { workflowId: 'Orders', activate: true });
    expect(refused).toMatchObject({ message: expect.stringContaining('it has no trigger node'), details: { rolledBack: true } });
    expect(instance.workflows.size).toBe(0);
    expect((await n8n.done('workflow_deploy', { workflowId: 'Orders' }))['warnings']).not.toContainEqual(
      expect.stringContaining('is gone'),
    );
  });

  test('gives back what was there before an update that cannot be activated', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy({ activate: true });
    await n8n.done('node_update', { workflowId: 'Orders', nodeId: 'Set', parameters: { mode: 'manual' } });
    instance.mischief.refuseActivation = 409;
    const refused = await n8n.refused('workflow_deploy', { workflowId: 'Orders', activate: true });
    expect(refused).toMatchObject({
      message: expect.stringContaining('The instance has back what it had'),
      details: { rolledBack: true, status: 409 },
    });
    expect(instance.workflows.get('remote1')).toMatchObject({ active: true, nodes: [{ name: 'Hook' }, { parameters: { mode: 'raw' } }] });
    delete instance.mischief.refuseActivation;
    await deploy();
  });

  test('does not switch on what would fail, unless forced', async () => {
    const instance = await fakeInstance();
    const errors = [{ code: 'missing', node: 'Set', path: 'nodes[1]', message: 'Set needs a value', fix: 'give it one' }];
    const pack = { ...smallPack, validator: { validate: async () => ({ valid: false, errors, warnings: [] }) } };
    const n8n = await n8nBench({ pack, settings: { apiUrl: instance.url, apiKey: KEY } });
    n8n.write('orders.json', WORKFLOW);
    expect(await n8n.refused('workflow_deploy', { workflowId: 'Orders', activate: true })).toMatchObject({ details: { errors } });
    expect(writes(instance)).toEqual([]);
    expect((await n8n.done('workflow_deploy', { workflowId: 'Orders' }))['warnings']).toContain('Set: Set needs a value');
    await n8n.done('workflow_deploy', { workflowId: 'Orders', activate: true, force: true });
  });

  test('needs an instance, and says how to name one', async () => {
    const n8n = await n8nBench();
    n8n.write('orders.json', WORKFLOW);
    expect(await n8n.refused('workflow_deploy', { workflowId: 'Orders' })).toMatchObject({
      message: 'No n8n instance is configured: set N8N_API_URL and N8N_API_KEY',
    });
  });
});

describe('workflow_activate, workflow_pull and workflow_executions', () => {
  test('switch a deployed workflow on and off', async () => {
    const { instance, n8n, deploy } = await bench();
    expect(await n8n.refused('workflow_activate', { workflowId: 'Orders', active: true })).toMatchObject({
      message: expect.stringContaining('is not on the n8n instance'),
    });
    await deploy();
    expect(await n8n.done('workflow_activate', { workflowId: 'Orders', active: true })).toEqual({
      success: true,
      remoteId: 'remote1',
      active: true,
    });
    expect(instance.workflows.get('remote1')?.active).toBe(true);
    await n8n.done('workflow_activate', { workflowId: 'Orders', active: false });
    expect(instance.workflows.get('remote1')?.active).toBe(false);
  });

  test('bring a workflow of the instance into a new file, and later changes into that file', async () => {
    const { instance, n8n } = await bench();
    instance.workflows.set('r9', { ...structuredClone(WORKFLOW), id: 'r9', name: 'Remote one', createdAt: 'x', updatedAt: 'y' } as never);
    const first = await n8n.done('workflow_pull', { remoteId: 'r9' });
    expect(first).toMatchObject({ success: true, workflowId: 'r9', changed: true });
    expect(Object.keys(n8n.json('remote-one.json'))).toEqual(['name', 'nodes', 'pinData', 'connections', 'active', 'settings', 'id']);
    n8n.write('remote-one.json', n8n.read('remote-one.json').replaceAll('\n', '\r\n'));
    const remote = instance.workflows.get('r9');
    if (remote) remote.name = 'Renamed';
    const again = await n8n.done('workflow_pull', { remoteId: 'r9' });
    expect(again).toMatchObject({ changed: true, path: first['path'], warnings: [expect.stringContaining('workflow_undo')] });
    expect(n8n.read('remote-one.json')).toContain('"name": "Renamed",\r\n');
    expect(await n8n.done('workflow_pull', { remoteId: 'r9' })).toMatchObject({ changed: false });
    await n8n.done('workflow_deploy', { workflowId: 'r9' });
    expect(await n8n.refused('workflow_pull', { remoteId: 'nope' })).toMatchObject({
      message: expect.stringContaining('has no workflow "nope"'),
    });
  });

  test('a pulled change goes into the file that was deployed, which keeps its own id', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy();
    const remote = instance.workflows.get('remote1');
    if (remote) remote.nodes = [HOOK, { ...SET, name: 'Other' }];
    await n8n.done('workflow_pull', { remoteId: 'remote1' });
    expect(n8n.json('orders.json')).toMatchObject({
      id: 'local-id',
      nodes: [{ name: 'Hook' }, { name: 'Other' }],
      meta: { templateId: '1' },
    });
    await deploy();
  });

  test('list executions with what each node did', async () => {
    const { instance, n8n, deploy } = await bench();
    await deploy();
    const run = (json: object) => ({
      startTime: 1,
      executionTime: 8,
      executionStatus: 'success',
      data: { main: [[{ json, pairedItem: { item: 0 } }]] },
    });
    instance.executions = [
      {
        id: '1',
        finished: true,
        mode: 'webhook',
        status: 'success',
        startedAt: '2026-11-15T22:17:57.012Z',
        stoppedAt: '2026-11-15T22:17:57.183Z',
        workflowId: 'remote1',
        data: {
          version: 1,
          resultData: { runData: { Hook: [run({ body: { q: 1 } })], Set: [run({ long: 'x'.repeat(9000) })] }, lastNodeExecuted: 'Set' },
        },
      },
      {
        id: 2,
        finished: false,
        mode: 'trigger',
        status: 'error',
        startedAt: 'a',
        stoppedAt: null,
        data: { resultData: { error: { message: 'Boom' }, runData: { Set: [{ error: { message: 'Boom' } }] } } },
      },
    ];
    const reply = await n8n.done('workflow_executions', { workflowId: 'Orders', limit: 5, includeData: true });
    expect(reply).toMatchObject({
      remoteId: 'remote1',
      executions: [
        {
          id: '1',
          status: 'success',
          mode: 'webhook',
          nodes: [
            { node: 'Hook', status: 'success', items: 1, executionTime: 8, sample: [{ body: { q: 1 } }] },
            { node: 'Set', sample: [{ truncated: true }] },
          ],
        },
        { id: '2', status: 'error', error: 'Boom', nodes: [{ node: 'Set', status: 'error', error: 'Boom', items: 0 }] },
      ],
    });
    expect(instance.requests.at(-1)?.path).toBe('/executions?workflowId=remote1&limit=5&includeData=true');
  });
});

describe('an instance that does not behave', () => {
  const refusedBy = async (mischief: Mischief, key = KEY) => {
    const instance = await fakeInstance(mischief);
    const n8n = await n8nBench({ settings: { apiUrl: instance.url, apiKey: key } });
    const before = n8n.write('orders.json', WORKFLOW) && n8n.read('orders.json');
    const error = await n8n.refused('workflow_deploy', { workflowId: 'Orders' });
    expect(n8n.read('orders.json')).toBe(before);
    expect(error.code).toBe('TOOL_EXECUTION_ERROR');
    expect(JSON.stringify(error)).not.toContain(KEY);
    return error.message;
  };

  test('answers a web page', async () => {
    expect(await refusedBy({ html: '<!DOCTYPE html><html><body>Sign in</body></html>' })).toContain(
      'answered a web page instead of its API',
    );
    expect(await refusedBy({ html: '"just text"' })).toContain('something that is not JSON');
    expect(await refusedBy({ html: '{"unexpected": true}' })).toContain('did not answer with a workflow');
  });

  test('redirects', async () => {
    expect(await refusedBy({ redirectTo: 'https://elsewhere.example/' })).toContain('redirects to another address');
  });

  test('refuses the key', async () => {
    expect(await refusedBy({}, 'wrong')).toContain('refuses N8N_API_KEY');
  });

  test('fails', async () => {
    expect(await refusedBy({ statuses: [500] })).toContain('answered 500: "status 500"');
  });

  test('is busy for a moment', async () => {
    const { instance, deploy } = await bench({ statuses: [429, 503] });
    expect(await deploy()).toMatchObject({ success: true });
    expect(instance.requests.filter(({ path }) => path === '/workflows/local-id')).toHaveLength(3);
  });

  test('is not there', async () => {
    const n8n = await n8nBench({ settings: { apiUrl: 'http://127.0.0.1:9', apiKey: KEY } });
    n8n.write('orders.json', WORKFLOW);
    expect(await n8n.refused('workflow_deploy', { workflowId: 'Orders' })).toMatchObject({
      message: expect.stringContaining('cannot be reached'),
    });
    const { apiUrl } = n8nSettings.schema.parse({ apiUrl: 'localhost:5678' });
    const client = new InstanceClient({ url: apiUrl as string, apiKey: 'key' });
    await expect(client.workflow('x', new AbortController().signal)).rejects.toThrow('N8N_API_URL is not an address: "localhost:5678"');
  });

  test('never answers: the call ends when it is cancelled', async () => {
    const { n8n } = await bench({ silent: true });
    const stop = new AbortController();
    const call = n8n.call('workflow_deploy', { workflowId: 'Orders' }, undefined, { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await call).toMatchObject({ isError: true, failure: { code: 'cancelled' } });
  });
});

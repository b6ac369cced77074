import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { type RealN8n, startRealN8n } from '../../scripts/real-n8n.ts';
import { openN8n, type TestN8n } from '../harness/n8n.ts';
import { verifies } from '../requirements.ts';

let real: RealN8n;
beforeAll(async () => {
  real = await startRealN8n((text) => process.stderr.write(`${text}\n`));
});
afterAll(() => real?.stop());

const bench = () => openN8n({ environment: { N8N_API_URL: real.url, N8N_API_KEY: real.apiKey } });

async function remote(id: unknown, change?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${real.url}/api/v1/workflows/${id}`, {
    method: change ? 'PUT' : 'GET',
    headers: { 'X-N8N-API-KEY': real.apiKey, 'content-type': 'application/json' },
    ...(change && { body: JSON.stringify(change) }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

/** A webhook that answers with what it got and a field of its own. */
async function echo(n8n: TestN8n, name: string, path: string): Promise<void> {
  await n8n.done('workflow_create', { name });
  await n8n.done('node_add', {
    workflowId: name,
    nodeType: 'n8n-nodes-base.webhook',
    parameters: { httpMethod: 'POST', path, responseMode: 'lastNode' },
  });
  await n8n.done('node_add', {
    workflowId: name,
    nodeType: 'n8n-nodes-base.set',
    parameters: {
      assignments: { assignments: [{ id: '1', name: 'answer', type: 'string', value: '={{ $json.body.question }}!' }] },
    },
  });
  await n8n.done('connection_create', { workflowId: name, sourceNodeId: 'Webhook', targetNodeId: 'Edit Fields' });
}

async function callWebhook(path: string): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(`${real.url}/webhook/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'well' }),
    });
    // A webhook is registered a moment after its workflow is active.
    if (response.status !== 404 || attempt === 20) return response;
    await sleep(200);
  }
}

verifies('n8n-create-structure', 'what workflow_create writes is taken by a real n8n', async () => {
  const n8n = await bench();
  await n8n.done('workflow_create', { name: 'Empty', description: 'Nothing yet', settings: { timezone: 'Europe/Berlin' } });
  const { remoteId } = await n8n.done('workflow_deploy', { workflowId: 'Empty' });
  expect(await remote(remoteId)).toMatchObject({
    name: 'Empty',
    nodes: [],
    connections: {},
    active: false,
    settings: { timezone: 'Europe/Berlin' },
  });
});

verifies('n8n-deploy', 'deploys, updates, shows differences, notices changes and takes back what fails', async () => {
  const n8n = await bench();
  await echo(n8n, 'Echo', 'deploy-echo');
  const dry = await n8n.done('workflow_deploy', { workflowId: 'Echo', dryRun: true });
  expect(dry).toMatchObject({ success: true, remoteId: null, diff: ['+ workflow "Echo"', '+ node Webhook', '+ node Edit Fields'] });
  const first = await n8n.done('workflow_deploy', { workflowId: 'Echo', activate: true });
  expect(first['url']).toBe(`${real.url}/workflow/${first['remoteId']}`);
  const answered = await callWebhook('deploy-echo');
  expect(await answered.json()).toEqual({ answer: 'well!' });

  expect(await n8n.done('workflow_deploy', { workflowId: 'Echo' })).toMatchObject({ remoteId: first['remoteId'], diff: [] });
  await n8n.done('node_update', { workflowId: 'Echo', nodeId: 'Edit Fields', name: 'Answer' });
  const update = await n8n.done('workflow_deploy', { workflowId: 'Echo' });
  expect(update).toMatchObject({ remoteId: first['remoteId'], diff: expect.arrayContaining(['+ node Answer', '- node Edit Fields']) });
  expect((await remote(first['remoteId']))['active']).toBe(true);
  expect((await callWebhook('deploy-echo')).status).toBe(200);

  const { name, nodes, connections, settings } = await remote(first['remoteId']);
  await remote(first['remoteId'], { name: `${name} changed`, nodes, connections, settings });
  expect(await n8n.refused('workflow_deploy', { workflowId: 'Echo' })).toMatchObject({ details: { drift: true } });
  expect((await remote(first['remoteId']))['name']).toBe('Echo changed');
  await n8n.done('workflow_deploy', { workflowId: 'Echo', force: true });
  expect((await remote(first['remoteId']))['name']).toBe('Echo');

  await n8n.done('workflow_create', { name: 'No trigger' });
  await n8n.done('node_add', { workflowId: 'No trigger', nodeType: 'n8n-nodes-base.manualTrigger' });
  const refused = await n8n.refused('workflow_deploy', { workflowId: 'No trigger', activate: true, force: true });
  expect(refused).toMatchObject({ message: expect.stringContaining('no trigger node'), details: { rolledBack: true } });
  const gone = await fetch(`${real.url}/api/v1/workflows/${refused.details['remoteId']}`, { headers: { 'X-N8N-API-KEY': real.apiKey } });
  expect(gone.status).toBe(404);
});

verifies('n8n-remote-management', 'activates, pulls and lists executions', async () => {
  const n8n = await bench();
  await echo(n8n, 'Managed', 'managed-echo');
  const { remoteId } = await n8n.done('workflow_deploy', { workflowId: 'Managed' });
  expect(await n8n.done('workflow_activate', { workflowId: 'Managed', active: true })).toMatchObject({ active: true });
  expect((await remote(remoteId))['active']).toBe(true);
  expect((await callWebhook('managed-echo')).status).toBe(200);
  await n8n.done('workflow_activate', { workflowId: 'Managed', active: false });
  expect((await remote(remoteId))['active']).toBe(false);

  const listed = await n8n.done('workflow_executions', { workflowId: 'Managed', limit: 5, includeData: true });
  expect(listed).toMatchObject({
    remoteId,
    executions: [
      {
        status: 'success',
        mode: 'webhook',
        nodes: expect.arrayContaining([expect.objectContaining({ node: 'Edit Fields', items: 1, sample: [{ answer: 'well!' }] })]),
      },
    ],
  });

  const { nodes, connections, settings } = await remote(remoteId);
  await remote(remoteId, { name: 'Managed elsewhere', nodes, connections, settings });
  const pulled = await n8n.done('workflow_pull', { remoteId });
  expect(pulled).toMatchObject({ success: true, changed: true });
  expect(n8n.json('managed.json')['name']).toBe('Managed elsewhere');
  expect(await n8n.done('workflow_deploy', { workflowId: 'Managed elsewhere' })).toMatchObject({ diff: [] });

  const other = await bench();
  const fresh = await other.done('workflow_pull', { remoteId });
  expect(fresh['workflowId']).toBe(remoteId);
  expect(await other.done('workflow_deploy', { workflowId: String(remoteId), dryRun: true })).toMatchObject({ diff: [] });
  await other.done('workflow_load', { workflowIdOrPath: 'Managed elsewhere' });
});

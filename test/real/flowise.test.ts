import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Recorded } from '../../toolsets/flowise/testing/replay.ts';
import { verifies } from '../requirements.ts';
import { agentflowApproval, agentflowFunction, agentflowModel, chatflowConversation, chatflowFunction, SKELETON } from './flowise-flows.ts';
import { recordReplies } from './flowise-record.ts';
import { flowiseSuite, MISSING, until } from './flowise-suite.ts';

const RECORDINGS = join(import.meta.dirname, '..', '..', 'toolsets', 'flowise', 'client', 'recordings');
const suite = flowiseSuite();
const { call, create } = suite;

describe('what Flowise does, as the client takes it to be', () => {
  const send = (method: string, path: string, body?: unknown) => suite.real.api.send(method, path, body);

  test('lists are arrays, pages only with both page and limit', async () => {
    expect(Array.isArray((await send('GET', '/chatflows')).json)).toBe(true);
    expect((await send('GET', '/chatflows?page=1&limit=1')).json).toMatchObject({ data: expect.any(Array), total: expect.any(Number) });
    expect(Array.isArray((await send('GET', '/chatflows?page=1')).json)).toBe(true);
    expect((await send('GET', '/chatflows?page=-1&limit=1')).status).toBe(412);
  });

  test('reading: 404 for no chatflow, 400 for no id', async () => {
    expect(await send('GET', `/chatflows/${MISSING}`)).toMatchObject({
      status: 404,
      json: { message: expect.stringContaining('not found') },
    });
    expect(await send('GET', '/chatflows/not-an-id')).toMatchObject({ status: 400, json: { message: 'Invalid Chatflow ID' } });
  });

  test('creating: 200, deployed null when left out, raw JavaScript errors for bad flows and nothing saved', async () => {
    const before = (await send('GET', '/chatflows')).json.length;
    for (const flowData of ['{}', 'nonsense', undefined]) {
      expect((await send('POST', '/chatflows', { name: 'x', type: 'CHATFLOW', flowData })).status).toBe(500);
    }
    expect((await send('POST', '/chatflows', { name: 'x', flowData: SKELETON })).status).toBe(400);
    expect((await send('POST', '/chatflows', { name: 'x', type: 'NONE', flowData: SKELETON })).status).toBe(400);
    expect((await send('POST', '/chatflows', '{"name":')).status).toBe(400);
    expect((await send('GET', '/chatflows')).json.length).toBe(before);
    const { json } = await send('POST', '/chatflows', { name: 'x', type: 'CHATFLOW', flowData: SKELETON });
    expect(json.deployed).toBe(null);
    await send('DELETE', `/chatflows/${json.id}`);
  });

  test('updating: partial, 404 and 400; unknown fields and none at all are taken', async () => {
    const { json } = await send('POST', '/chatflows', { name: 'x', type: 'CHATFLOW', flowData: SKELETON });
    expect((await send('PUT', `/chatflows/${json.id}`, {})).status).toBe(200);
    expect((await send('PUT', `/chatflows/${json.id}`, { nonsense: 1 })).status).toBe(200);
    expect((await send('PUT', `/chatflows/${json.id}`, { flowData: '{}' })).status).toBe(500);
    expect((await send('GET', `/chatflows/${json.id}`)).json.flowData).toBe(SKELETON);
    expect((await send('PUT', `/chatflows/${MISSING}`, { name: 'x' })).status).toBe(404);
    expect((await send('PUT', '/chatflows/not-an-id', { name: 'x' })).status).toBe(400);
    expect(await send('DELETE', `/chatflows/${json.id}`)).toMatchObject({ status: 200, json: { affected: 1 } });
  });

  test('deleting: 500 for what does not exist', async () => {
    expect(await send('DELETE', `/chatflows/${MISSING}`)).toMatchObject({
      status: 500,
      json: { message: expect.stringContaining(`Chatflow ${MISSING} not found`) },
    });
    expect(await send('DELETE', '/chatflows/not-an-id')).toMatchObject({
      status: 500,
      json: { message: expect.stringContaining('Invalid Chatflow ID') },
    });
  });

  test('unknown routes and wrong methods are its web page', async () => {
    expect(await send('GET', '/no-such-route')).toMatchObject({ status: 200, contentType: expect.stringContaining('text/html') });
    expect(await send('PATCH', '/chatflows')).toMatchObject({ status: 200, contentType: expect.stringContaining('text/html') });
  });

  test('a prediction never has a questionMessageId, needs no key, and runs undeployed flows', async () => {
    const id = await create('Public', agentflowFunction(), false);
    const response = await fetch(`${suite.real.flowise.url}/api/v1/prediction/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"question":"x"}',
    });
    const reply = (await response.json()) as object;
    expect(reply).toMatchObject({ text: 'ECHO: x' });
    expect(reply).not.toHaveProperty('questionMessageId');
  });

  test('asking for a stream where there is none makes it keep a failure to itself', async () => {
    const id = await create('Silent', chatflowConversation(suite.real.needs));
    const body = { question: 'FAIL401', streaming: true };
    await expect(
      fetch(`${suite.real.flowise.url}/api/v1/prediction/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(3_000),
      }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('the five flows, written minimally', () => {
  const flows: [string, () => string, string, string][] = [
    ['agentflow with JavaScript', agentflowFunction, 'AGENTFLOW', 'ECHO: hello world'],
    ['chatflow with JavaScript', chatflowFunction, 'CHATFLOW', 'CF: hello world'],
    ['agentflow with a model', () => agentflowModel(suite.real.needs), 'AGENTFLOW', 'STUB: hello world'],
    ['conversation chatflow', () => chatflowConversation(suite.real.needs), 'CHATFLOW', 'STUB: hello world'],
    ['agentflow with approval', agentflowApproval, 'AGENTFLOW', 'Publish it?'],
  ];
  verifies(['flowise-create-type', 'flowise-predict-reply'], 'are filled in, deployed and run, the same streamed and whole', async () => {
    for (const [name, flow, type, text] of flows) {
      const created = await call('create_chatflow', { name, flow_data: flow(), deployed: true });
      expect(created, name).toMatchObject({ name, type, deployed: true });
      const whole = (await suite.real.api.send('POST', `/prediction/${created.id}`, { question: 'hello world' })).json;
      expect(whole.text, name).toContain(text);
      const ours = await call('run_prediction', { chatflow_id: created.id, question: 'hello world' });
      if (name.includes('approval')) expect(ours.error.message).toContain(text);
      else expect(ours, name).toMatchObject({ text: whole.text, sessionId: expect.any(String), chatMessageId: expect.any(String) });
    }
  });

  test('read thin and sent back they still run', async () => {
    for (const [name, flow, , text] of flows.slice(0, 4)) {
      const id = await create(`Thin ${name}`, flow());
      const { flowData, updatedDate } = await call('get_chatflow', { chatflow_id: id, format: 'thin' });
      expect(flowData.length).toBeLessThan(1_500);
      const updated = await call('update_chatflow', { chatflow_id: id, flow_data: flowData, expected_updated_date: updatedDate });
      expect(updated.error).toBeUndefined();
      expect((await call('run_prediction', { chatflow_id: id, question: 'hello world' })).text).toBe(text);
    }
  });
});

describe('the life of a chatflow', () => {
  verifies(
    ['flowise-bench-lifecycle', 'flowise-bench-five-seconds', 'flowise-bench-ten-seconds'],
    'create, update, deploy, predict and delete stay within the published times',
    async () => {
      const times: Record<string, number> = {};
      const timed = async (tool: string, parameters: object) => {
        const started = performance.now();
        const reply = await call(tool, parameters);
        times[tool] = (performance.now() - started) / 1000;
        expect(reply.error, tool).toBeUndefined();
        return reply;
      };
      const { id: chatflow_id } = await timed('create_chatflow', { name: 'Life', flow_data: agentflowModel(suite.real.needs) });
      await timed('update_chatflow', { chatflow_id, name: 'Life, renamed' });
      await timed('deploy_chatflow', { chatflow_id, deployed: true });
      expect(await timed('run_prediction', { chatflow_id, question: 'hello' })).toMatchObject({ text: 'STUB: hello' });
      await timed('get_chatflow', { chatflow_id });
      await timed('list_chatflows', {});
      await timed('delete_chatflow', { chatflow_id });
      await timed('generate_agentflow_v2', { description: 'Create a translator that translates what it is given' });
      const within = (limit: number, tools: string[]) => tools.filter((tool) => (times[tool] ?? 99) > limit);
      expect(within(5, ['list_chatflows', 'get_chatflow', 'delete_chatflow', 'run_prediction'])).toEqual([]);
      expect(within(10, ['create_chatflow', 'update_chatflow', 'deploy_chatflow', 'generate_agentflow_v2'])).toEqual([]);
      expect(Object.values(times).reduce((sum, time) => sum + time, 0)).toBeLessThan(60);
    },
  );

  verifies('flowise-update-partial', 'an update changes what is given and nothing else', async () => {
    const id = await create('Partial', agentflowFunction());
    const before = (await suite.real.api.send('GET', `/chatflows/${id}`)).json;
    const now = async () => (await suite.real.api.send('GET', `/chatflows/${id}`)).json;
    await call('update_chatflow', { chatflow_id: id, name: 'Other' });
    expect(await now()).toMatchObject({ name: 'Other', flowData: before.flowData, deployed: true, type: before.type });
    await call('update_chatflow', { chatflow_id: id, deployed: false });
    expect(await now()).toMatchObject({ name: 'Other', flowData: before.flowData, deployed: false });
    await call('update_chatflow', { chatflow_id: id, flow_data: agentflowFunction("return 'NEW'") });
    expect(await now()).toMatchObject({ name: 'Other', deployed: false });
    expect((await now()).flowData).toContain('NEW');
  });

  verifies('flowise-deploy-toggle', 'deploying and undeploying changes neither name nor flowData', async () => {
    const id = await create('Toggle', agentflowFunction(), false);
    const before = (await suite.real.api.send('GET', `/chatflows/${id}`)).json;
    for (const deployed of [true, false]) {
      expect(await call('deploy_chatflow', { chatflow_id: id, deployed })).toMatchObject({ id, name: 'Toggle', deployed });
      const { json } = await suite.real.api.send('GET', `/chatflows/${id}`);
      expect(json).toMatchObject({ name: before.name, flowData: before.flowData, deployed });
    }
  });

  verifies(['flowise-delete-permanent', 'flowise-delete-not-found'], 'what is deleted is gone, and can be created again', async () => {
    const id = await create('Gone', agentflowFunction());
    expect(await call('delete_chatflow', { chatflow_id: id })).toEqual({ message: 'Chatflow deleted successfully', deleted_id: id });
    expect((await call('get_chatflow', { chatflow_id: id })).error.type).toBe('NotFoundError');
    expect((await call('list_chatflows', {})).map((row: { id: string }) => row.id)).not.toContain(id);
    expect((await call('delete_chatflow', { chatflow_id: id })).error.type).toBe('NotFoundError');
    const restored = await call('restore_chatflow', { chatflow_id: id });
    expect(restored).toMatchObject({ new_id: true, chatflow: { name: 'Gone', deployed: true } });
    expect((await call('run_prediction', { chatflow_id: restored.chatflow.id, question: 'x' })).text).toBe('ECHO: x');
  });

  test('an update can be taken back', async () => {
    const id = await create('Careful', agentflowFunction());
    await call('update_chatflow', { chatflow_id: id, flow_data: agentflowFunction("return 'WORSE'") });
    expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).text).toBe('WORSE');
    await call('restore_chatflow', { chatflow_id: id });
    expect((await call('run_prediction', { chatflow_id: id, question: 'x' })).text).toBe('ECHO: x');
  });

  test('of two updates of the same copy the second is refused', async () => {
    const id = await create('Shared', agentflowFunction());
    const { updatedDate } = await call('get_chatflow', { chatflow_id: id });
    // Flowise's dates have whole seconds.
    await until(() => Date.now() >= Date.parse(updatedDate) + 2_000);
    const expected = { chatflow_id: id, expected_updated_date: updatedDate };
    const replies = await Promise.all([
      call('update_chatflow', { ...expected, name: 'A' }),
      call('update_chatflow', { ...expected, name: 'B' }),
    ]);
    expect(replies.map((reply) => reply.error?.type).sort()).toEqual(['ValidationError', undefined]);
  });
});

describe('checks before saving', () => {
  const broken = JSON.stringify({
    nodes: [
      { id: 's', name: 'startAgentflow' },
      { id: 'l', name: 'llmAgentflow' },
    ],
    edges: [{ source: 's', target: 'l' }],
  });
  const count = async () => (await suite.real.api.send('GET', '/chatflows')).json.length;

  verifies(
    ['flowise-deployed-with-findings-refused', 'flowise-undeployed-saved-with-warnings'],
    'a flow that cannot run is saved undeployed with warnings, and never deployed',
    async () => {
      const before = await count();
      expect((await call('create_chatflow', { name: 'Broken', flow_data: broken, deployed: true })).error).toMatchObject({
        type: 'ValidationError',
        details: { findings: [{ code: 'missing_value', node: 'l' }] },
      });
      expect(await count()).toBe(before);
      const saved = await call('create_chatflow', { name: 'Broken', flow_data: broken });
      expect(saved).toMatchObject({ deployed: false, warnings: [{ code: 'missing_value', severity: 'error', node: 'l' }] });
      expect((await call('deploy_chatflow', { chatflow_id: saved.id, deployed: true })).error.type).toBe('ValidationError');
      const good = await create('Good', agentflowFunction());
      expect((await call('update_chatflow', { chatflow_id: good, flow_data: broken })).error.type).toBe('ValidationError');
      expect((await call('run_prediction', { chatflow_id: good, question: 'x' })).text).toBe('ECHO: x');
      expect(await count()).toBe(before + 2);
    },
  );
});

test('the replies that the unit tests replay are still what Flowise answers', async () => {
  const replies = await recordReplies(suite.real);
  const names = globSync('*.json', { cwd: RECORDINGS }).map((file) => basename(file, '.json'));
  expect([...replies.keys()].sort()).toEqual(names.sort());
  for (const [name, reply] of replies) {
    const before: Recorded = JSON.parse(readFileSync(join(RECORDINGS, `${name}.json`), 'utf8'));
    expect([reply.status, reply.headers['content-type']], name).toEqual([before.status, before.headers['content-type']]);
    if (/json/.test(before.headers['content-type'] ?? ''))
      expect(shapeOf(JSON.parse(reply.body)), name).toEqual(shapeOf(JSON.parse(before.body)));
  }
});

/** The keys of an object, or of the first item of a list. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  return value !== null && typeof value === 'object' ? Object.keys(value).sort() : typeof value;
}

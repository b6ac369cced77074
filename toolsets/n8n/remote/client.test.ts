import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { buggy, callWith } from '../../../test/harness/call-with.ts';
import { fakeInstance, KEY } from '../../../test/harness/n8n-instance.ts';
import { InstanceClient } from './client.ts';
import { instanceUrl } from './instance.ts';

test('takes the address with or without the path of the API', () => {
  for (const written of ['http://n8n:5678', 'http://n8n:5678/', 'http://n8n:5678/api/v1', ' http://n8n:5678/api/v1/ '])
    expect(instanceUrl(written)).toBe('http://n8n:5678');
  expect(instanceUrl('https://host/base/path/')).toBe('https://host/base/path');
  for (const written of ['', 'n8n', 'ftp://n8n', 'http://']) expect(() => instanceUrl(written)).toThrow('N8N_API_URL is not an address');
});

test('deletes a workflow that is active', async () => {
  const instance = await fakeInstance({ busyDeletes: 1 });
  instance.workflows.set('w', { id: 'w', name: 'x', nodes: [], active: true });
  const client = new InstanceClient({ url: instance.url, apiKey: KEY });
  await client.delete('w', new AbortController().signal);
  expect(instance.workflows.size).toBe(0);
  await client.delete('w', new AbortController().signal);
});

test('gives up on an instance that is slow', async () => {
  const instance = await fakeInstance({ silent: true });
  const client = new InstanceClient({ url: instance.url, apiKey: KEY }, { timeoutMs: 50 });
  await expect(client.workflow('x', new AbortController().signal)).rejects.toMatchObject({ code: 'timeout' });
});

test('regression: a TypeError inside the client was "The n8n instance cannot be reached"', async () => {
  const instance = await fakeInstance();
  const client = new InstanceClient({ url: instance.url, apiKey: KEY });
  const bug = buggy('nodes');
  const { reply, logged, rows } = await callWith(() => client.create(bug.value, new AbortController().signal));
  expect(bug.looks()).toBe(1);
  expect(instance.requests).toHaveLength(0);
  expect(reply.failure).toMatchObject({ code: 'internal', message: 'Internal error' });
  const id = reply.failure?.details['id'];
  expect(reply.text).toContain(id);
  expect(logged).toMatchObject([{ level: 'error', details: { id, tool: 'work', err: expect.any(TypeError) } }]);
  expect(rows).toMatchObject([{ id, errorCode: 'internal' }]);
});

test('regression: a key with an ellipsis in it was "The n8n instance cannot be reached"', async () => {
  const instance = await fakeInstance();
  const client = new InstanceClient({ url: instance.url, apiKey: 'abc…xyz' });
  await expect(client.workflow('x', new AbortController().signal)).rejects.toMatchObject({
    message: 'N8N_API_KEY contains characters that a key cannot have',
    details: { variable: 'N8N_API_KEY' },
  });
  expect(instance.requests).toHaveLength(0);
});

test('an instance that cannot be reached is one, and its cause is in the log', async () => {
  const client = new InstanceClient({ url: 'http://127.0.0.1:9', apiKey: KEY });
  const { reply, logged } = await callWith(() => client.workflow('x', new AbortController().signal));
  expect(reply.failure).toMatchObject({ code: 'unavailable', details: { reason: 'ECONNREFUSED' } });
  expect(logged).toMatchObject([
    { level: 'warn', details: { tool: 'work', code: 'unavailable', err: { cause: { code: 'ECONNREFUSED' } } } },
  ]);
});

async function answering(status: number, headers: Record<string, string>, body = 'not JSON'): Promise<InstanceClient> {
  const server = createServer((request, response) => {
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return new InstanceClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: KEY });
}

test('an instance that is not served, has had enough or failed is not a wrong setting', async () => {
  const signal = new AbortController().signal;
  const payload = { name: 'x', nodes: [], connections: {}, settings: {} } as never;
  for (const status of [502, 503, 504])
    await expect((await answering(status, {})).create(payload, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`is unavailable (status ${status})`),
    });
  await expect((await answering(429, { 'retry-after': '7' })).create(payload, signal)).rejects.toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('has had too many requests: wait 7 seconds'),
    details: { retry_after_seconds: 7 },
  });
  await expect((await answering(500, {})).create(payload, signal)).rejects.toMatchObject({
    code: 'upstream',
    message: expect.stringContaining('failed (status 500)'),
  });
  await expect((await answering(0, {})).create(payload, signal)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('broke before it had answered. It may or may not have been done'),
  });
});

import { expect, test } from 'vitest';
import { fakeInstance, KEY } from '../../../test/harness/n8n-instance.ts';
import { instanceUrl } from './address.ts';
import { InstanceClient } from './client.ts';

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

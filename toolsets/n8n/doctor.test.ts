import { expect, test } from 'vitest';
import { fakeInstance, KEY } from '../../test/harness/n8n-instance.ts';
import { type DoctorOptions, n8nChecks } from './doctor.ts';
import { InstanceClient } from './remote/client.ts';

const pack = { version: '2.41.0', folder: '/engines/n8n-2.41.0', installedAt: '2026-01-01' };

const checks = (options: Partial<DoctorOptions>) =>
  n8nChecks({
    installed: async () => [],
    version: undefined,
    instance: { url: undefined, client: undefined },
    workflowFiles: async () => 1,
    ...options,
  });

test('what is not set up is optional, with the command that brings it', async () => {
  expect(await checks({})).toMatchObject([
    { name: 'n8n engine', state: 'optional', fix: { command: 'engine add n8n' } },
    { name: 'n8n isolation', detail: expect.stringMatching(/^(full|process): /) },
    { name: 'n8n instance', state: 'optional' },
    { name: 'n8n workflows', state: 'ok', detail: '1 workflow file' },
  ]);
});

test('an engine is there, or another version was asked for', async () => {
  expect((await checks({ installed: async () => [pack] }))[0]).toMatchObject({ state: 'ok', detail: '2.41.0 in /engines/n8n-2.41.0' });
  expect((await checks({ installed: async () => [pack], version: '1.0.0' }))[0]).toMatchObject({ state: 'broken' });
});

test('an instance accepts the key, refuses it, lacks it, or does not answer', async () => {
  const { url } = await fakeInstance();
  const instance = async (apiKey: string, at = url, timeoutMs = 8_000) => {
    const client = new InstanceClient({ url: at, apiKey }, { timeoutMs });
    return (await checks({ instance: { url: at, client } }))[2];
  };
  expect(await instance(KEY)).toMatchObject({ state: 'ok', detail: `${url}, key accepted` });
  expect(await instance('wrong')).toMatchObject({ state: 'broken', detail: expect.stringMatching(/key/i) });
  expect((await checks({ instance: { url, client: undefined } }))[2]).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('N8N_API_KEY'),
  });
  const silent = await fakeInstance({ silent: true });
  const slow = { url: silent.url, client: new InstanceClient({ url: silent.url, apiKey: KEY }) };
  expect((await checks({ instance: slow, timeoutMs: 300 }))[2]).toMatchObject({
    state: 'broken',
    detail: `${silent.url} did not answer within 0.3 seconds`,
  });
  expect(await instance(KEY, silent.url, 300)).toMatchObject({ state: 'broken' });
});

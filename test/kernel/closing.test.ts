import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, toolsOf } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testCatalog } from '../harness/catalog.ts';
import { plainWire } from '../harness/plain-wire.ts';

const hints = { title: 'Test', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const tool = toolsOf<undefined>();
const common = {
  description: 'Works',
  said: [],
  access: 'read',
  annotations: hints,
  input: z.strictObject({}),
  output: z.object({}),
} as const;
const tools = [
  tool({ ...common, name: 'short', run: async () => sleep(50, {}) }),
  tool({ ...common, name: 'long', run: (_input, { signal }: Call<undefined>) => sleep(60_000, {}, { signal }) }),
  tool({ ...common, name: 'stubborn', run: () => new Promise<never>(() => {}) }),
  tool({
    ...common,
    name: 'job',
    job: { key: () => 'one', pending: () => ({}) },
    run: (_input, { signal }: Call<undefined>) => sleep(60_000, {}, { signal }),
  }),
];
const catalog = () => testCatalog([{ name: 'test', title: 'Test', instructions: '', tools, wire: plainWire, services: undefined }]);

test('a catalog that closes with nothing to do, or lets short calls finish, breaks nothing off', async () => {
  expect(await catalog().catalog.close()).toEqual({ brokenOff: false });
  const busy = catalog();
  const reply = busy.call('short');
  expect(await busy.catalog.close()).toEqual({ brokenOff: false });
  expect(await reply).toMatchObject({ isError: false });
});

test.each(['long', 'stubborn', 'job'])('closing answers and records a call that does not end: %s', async (name) => {
  const busy = catalog();
  const reply = busy.call(name);
  expect(await busy.catalog.close()).toEqual({ brokenOff: true });
  expect(await reply).toMatchObject({ isError: true, failure: { code: 'cancelled', message: 'The server is shutting down' } });
  expect(busy.rows).toMatchObject([{ tool: name, status: 'failure', errorCode: 'cancelled' }]);
  expect(busy.logged).toEqual([
    { level: 'warn', details: { tools: [name] }, message: 'stopped running calls: the server is shutting down' },
  ]);
});

test('closing does not report a job that its caller had cancelled', async () => {
  const busy = catalog();
  const client = new AbortController();
  const reply = busy.call('job', {}, undefined, { signal: client.signal });
  await sleep(10);
  client.abort();
  await reply;
  expect(await busy.catalog.close()).toEqual({ brokenOff: false });
});

test('a closed catalog starts nothing more', async () => {
  const closed = catalog();
  await closed.catalog.close();
  expect(await closed.call('short')).toMatchObject({ failure: { code: 'cancelled' } });
});

import { expect, onTestFinished, test } from 'vitest';
import { Connection } from './client/connection.ts';
import { Flowise } from './client/flowise.ts';
import { flowiseChecks } from './doctor.ts';
import { ReplayedFlowise } from './testing/replay.ts';

const KEY = 'test-key-0123456789abcdef';

test('says when nothing answers', async () => {
  const flowise = await ReplayedFlowise.start({ 'GET /version': 'hang' });
  onTestFinished(() => flowise.close());
  const client = new Flowise(new Connection({ url: flowise.url, key: KEY, clock: { now: () => new Date() } }), { timeoutMs: 1_000 });
  onTestFinished(() => client.close());
  const checks = await flowiseChecks({ flowise: client, url: flowise.url, key: KEY, requireDeployed: true, timeoutMs: 100 });
  expect(checks).toMatchObject([
    { name: 'Flowise address', state: 'broken', detail: 'Flowise did not say its version within 0.1 seconds.' },
  ]);
});

test('does not send its reader to itself', async () => {
  const url = 'http://127.0.0.1:9';
  const client = new Flowise(new Connection({ url, key: KEY, clock: { now: () => new Date() } }), { timeoutMs: 1_000 });
  onTestFinished(() => client.close());
  const [check] = await flowiseChecks({ flowise: client, url, key: KEY, requireDeployed: true });
  expect(check).toMatchObject({ state: 'broken', fix: { instruction: 'Start Flowise, or set FLOWISE_API_URL to where it runs' } });
  expect(check?.fix).not.toHaveProperty('command');
});

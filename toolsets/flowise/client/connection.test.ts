import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Failure } from '@millrace/kernel';
import { expect, onTestFinished, test } from 'vitest';
import { buggy, callWith } from '../../../test/harness/call-with.ts';
import { verifies } from '../../../test/requirements.ts';
import { json, ReplayedFlowise } from '../testing/replay.ts';
import { addressOf, Connection, segment } from './connection.ts';

const clock = { now: () => new Date('2026-01-01T00:00:00Z') };

/** Listens, but takes no connection: the first ones fill its queue, later ones are never opened. */
async function deafServer(): Promise<number> {
  const program =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', 1, () => { process.stdout.write(String(s.address().port)); setTimeout(() => { for (;;); }, 50); });";
  const child = spawn('nice', [process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = await once(child.stdout, 'data');
  const port = Number(printed);
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let index = 0; index < 8; index++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  return port;
}

verifies('flowise-timeout-or-connection', 'a connection that cannot be opened in time is a ConnectionError, not a time-out', async () => {
  const connection = new Connection({ url: `http://127.0.0.1:${await deafServer()}`, key: undefined, clock, connectTimeoutMs: 300 });
  onTestFinished(() => connection.close());
  const operation = { does: 'answer', permissions: [], kind: 'change' } as const;
  const failure = await connection
    .json({ operation, method: 'GET', path: '/ping', timeoutMs: 15_000, signal: new AbortController().signal })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: 'unavailable', details: { reason: expect.stringMatching(/UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT/) } });
});

test('the address is read as people write it', () => {
  expect(addressOf('http://localhost:3000')).toEqual({ origin: 'http://localhost:3000', basePath: '/api/v1' });
  expect(addressOf(' https://example.com/flowise/api/v1/ ')).toEqual({ origin: 'https://example.com', basePath: '/flowise/api/v1' });
});

test('ids stay one segment of the path', () => {
  expect(segment('a/../b?c#d')).toBe('a%2F..%2Fb%3Fc%23d');
  for (const id of ['.', '..', 'x'.repeat(513), '\ud800']) expect(() => segment(id)).toThrow('No chatflow has the id');
});

test('regression: a TypeError inside the client was "The connection to Flowise broke", and was tried three times', async () => {
  const flowise = await ReplayedFlowise.start({ 'GET /chatflows': json([]) });
  onTestFinished(() => flowise.close());
  const connection = new Connection({ url: flowise.url, key: 'key', clock });
  onTestFinished(() => connection.close());
  const operation = { does: 'list the chatflows', permissions: [], kind: 'read' } as const;
  const bug = buggy('toJSON');
  const { reply, logged, rows } = await callWith(() =>
    connection.json({
      operation,
      method: 'GET',
      path: '/chatflows',
      body: bug.value,
      timeoutMs: 5_000,
      signal: new AbortController().signal,
    }),
  );
  expect(bug.looks()).toBe(1);
  expect(flowise.requests).toHaveLength(0);
  expect(reply.failure).toMatchObject({ code: 'internal', message: 'Internal error' });
  const id = reply.failure?.details['id'];
  expect(reply.text).toContain(id);
  expect(logged).toMatchObject([{ level: 'error', details: { id, tool: 'work', err: expect.any(TypeError) } }]);
  expect(rows).toMatchObject([{ id, errorCode: 'internal' }]);
});

test('regression: a key with an ellipsis in it was sent', async () => {
  const connection = new Connection({ url: 'http://127.0.0.1:9', key: 'abc…xyz', clock });
  const operation = { does: 'list the chatflows', permissions: [], kind: 'read' } as const;
  const request = { operation, method: 'GET', path: '/chatflows', timeoutMs: 5_000, signal: new AbortController().signal } as const;
  await expect(connection.json(request)).rejects.toMatchObject({ code: 'unauthenticated', details: { variable: 'FLOWISE_API_KEY' } });
});

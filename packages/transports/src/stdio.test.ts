import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { StdioTransport } from './stdio.ts';

const LONG_MS = 60_000;

async function started({ patienceMs = LONG_MS, isAwaited = true } = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const received: JSONRPCMessage[] = [];
  const ended = Promise.withResolvers<void>();
  let over = false;
  const transport = new StdioTransport({
    stdin,
    stdout,
    patienceMs: () => (isAwaited ? patienceMs : 0),
    onEnd() {
      over = true;
      ended.resolve();
    },
  });
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  return { stdin, stdout, transport, received, ended: ended.promise, isOver: () => over };
}

const request = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('lines are cut wherever the chunks end, also the last one without a newline', async () => {
  const { stdin, received } = await started();
  const text = `${request(1)}\r\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping', params: { word: 'schön' } })}`;
  for (const byte of Buffer.from(text)) stdin.write(Buffer.from([byte]));
  stdin.end();
  await once(stdin, 'end');
  expect(received).toMatchObject([{ id: 1 }, { id: 2, params: { word: 'schön' } }]);
});

test('after the end of stdin, the answers of received requests are written first', async () => {
  const { stdin, stdout, transport, ended, isOver } = await started();
  stdin.end(request(1) + request(2));
  await once(stdin, 'end');
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  expect(isOver()).toBe(false);
  await transport.send({ jsonrpc: '2.0', id: 2, result: {} });
  await ended;
  expect(String(stdout.read()).trim().split('\n')).toHaveLength(2);
});

test('an answer is not waited for when its request was cancelled, takes long by nature, or comes too late', async () => {
  const cancelled = await started();
  const cancellation = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  cancelled.stdin.end(`${request(1)}${JSON.stringify(cancellation)}\n`);
  await cancelled.ended;
  const long = await started({ isAwaited: false });
  long.stdin.end(request(1));
  await long.ended;
  const late = await started({ patienceMs: 20 });
  late.stdin.end(request(1));
  await late.ended;
});

test('a client that reads no answers any more is not waited for', async () => {
  const { stdin, stdout, transport, ended } = await started();
  stdin.end(request(1));
  await once(stdin, 'end');
  stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await ended;
  await expect(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow('closed');
});

test('a question to a client that has closed stdin fails', async () => {
  const { stdin, transport, received } = await started();
  const question = { jsonrpc: '2.0', id: 7, method: 'elicitation/create', params: {} } as const;
  await transport.send(question);
  stdin.end(request(1));
  await once(stdin, 'end');
  expect(received).toMatchObject([{ id: 1 }, { id: 7, error: { message: 'The client closed the connection before it answered' } }]);
  await expect(transport.send({ ...question, id: 8 })).rejects.toThrow('no longer answer');
});

test('a message that is too large is refused, and the next one is read', async () => {
  const { stdin, stdout, received } = await started();
  const part = Buffer.alloc(1024 * 1024, 'x');
  for (let written = 0; written < 11; written++) if (!stdin.write(part)) await once(stdin, 'drain');
  stdin.write(`\nnot JSON\n${request(1)}`);
  while (received.length === 0) await settled();
  await settled();
  expect(received).toMatchObject([{ id: 1 }]);
  const refusals = String(stdout.read()).trim().split('\n');
  expect(refusals.map((line) => JSON.parse(line))).toMatchObject([
    { id: null, error: { code: -32600, message: 'Message too large: a message may have 10485760 bytes' } },
    { id: null, error: { code: -32700 } },
  ]);
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HttpClient, type Retry } from './client.ts';
import { bufferedFetch, streamedFetch } from './fetch.ts';
import { TransportError } from './transport-error.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Answers in turn; the last one stands. */
async function server(...answers: Answer[]): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    seen.push(String(request.method));
    (answers.length > 1 ? answers.shift() : answers[0])?.(response, request);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`, seen };
}

function client(retry?: Partial<Retry>): HttpClient {
  const http = new HttpClient({ retry: { pausesMs: [1, 1], longestWaitMs: 50, ...retry } });
  onTestFinished(() => http.close());
  return http;
}

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end(`status ${code}`);
const reset: Answer = (response) => response.destroy();
const half: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('half');
  setTimeout(() => response.destroy(), 10);
};
const silent: Answer = () => {};

test('what may pass by itself is tried again where that is harmless', async () => {
  const { url, seen } = await server(reset, half, status(200));
  expect(await client().request({ method: 'GET', url })).toMatchObject({ status: 200, ok: true, text: 'status 200' });
  expect(seen).toHaveLength(3);
  const busy = await server(status(503), status(429, { 'retry-after': '0.01' }), status(200));
  expect(await client().request({ method: 'GET', url: busy.url })).toMatchObject({ status: 200 });
  const failing = await server(status(500));
  expect(await client().request({ method: 'GET', url: failing.url })).toMatchObject({ status: 500 });
  expect(failing.seen).toHaveLength(1);
});

test('a change is sent once, unless the server refused it before it began', async () => {
  for (const answer of [reset, half]) {
    const { url, seen } = await server(answer);
    await expect(client().request({ method: 'POST', url })).rejects.toMatchObject({ problem: 'broken' });
    expect(seen).toHaveLength(1);
  }
  const busy = await server(status(503), status(200));
  expect(await client().request({ method: 'POST', url: busy.url })).toMatchObject({ status: 503 });
  const limited = await server(status(429), status(200));
  expect(await client().request({ method: 'POST', url: limited.url })).toMatchObject({ status: 200 });
});

test('what changes nothing is repeated after failures and silence too', async () => {
  const { url, seen } = await server(status(500), silent, status(200));
  const http = client({ repeatable: true });
  expect(await http.request({ method: 'POST', url, timeoutMs: 200 })).toMatchObject({ status: 200 });
  expect(seen).toHaveLength(3);
});

test('a Retry-After beyond our patience is passed on', async () => {
  const { url, seen } = await server(status(429, { 'retry-after': '60' }));
  const reply = await client().request({ method: 'GET', url });
  expect(reply.header('retry-after')).toBe('60');
  expect(seen).toHaveLength(1);
});

test('no answer in time and an answer that is too large are told apart', async () => {
  const { url } = await server(silent);
  await expect(client().request({ method: 'GET', url, timeoutMs: 30 })).rejects.toMatchObject({ problem: 'timeout' });
  const large = await server((response) => response.end('x'.repeat(1_000)));
  await expect(client().request({ method: 'GET', url: large.url, maxBytes: 999 })).rejects.toMatchObject({ problem: 'too_large' });
  const refusal = await server((response) => response.writeHead(400).end('x'.repeat(200_000)));
  expect((await client().request({ method: 'GET', url: refusal.url })).text).toHaveLength(65_536);
});

test("the caller's abort is the caller's own reason, while sending, reading and pausing", async () => {
  const reason = new Error('called off');
  const aborted = () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 20);
    return stop.signal;
  };
  const drip: Answer = (response) => response.write('x');
  for (const answer of [silent, drip]) {
    const { url } = await server(answer);
    await expect(client().request({ method: 'GET', url, signal: aborted() })).rejects.toBe(reason);
  }
  const { url } = await server(status(503));
  await expect(client({ pausesMs: [10_000], longestWaitMs: 10_000 }).request({ method: 'GET', url, signal: aborted() })).rejects.toBe(
    reason,
  );
});

test('nobody there, and a body that breaks while it is read', async () => {
  await expect(client().request({ method: 'GET', url: 'http://127.0.0.1:9/' })).rejects.toMatchObject({ problem: 'unreachable' });
  const { url } = await server(half);
  const { body } = await client().open({ method: 'GET', url });
  const read = async () => {
    for await (const _chunk of body);
  };
  await expect(read()).rejects.toBeInstanceOf(TransportError);
});

test('a bug stays a bug: a header that cannot be sent is not trouble on the way, and is not tried again', async () => {
  const { url, seen } = await server(status(200));
  const bug = await client()
    .request({ method: 'GET', url, headers: { authorization: 'a\nb' } })
    .catch((error: unknown) => error);
  expect(bug).toBeInstanceOf(Error);
  expect(bug).not.toBeInstanceOf(TransportError);
  expect(seen).toHaveLength(0);
});

test('libraries get it as their fetch', async () => {
  const echo: Answer = async (response, request) => {
    let text = '';
    for await (const piece of request) text += piece;
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1; Path=/', 'b=2'] }).end(text);
  };
  for (const fetch of [bufferedFetch(client()), streamedFetch(client())]) {
    const { url } = await server(status(204), echo);
    expect((await fetch(url)).status).toBe(204);
    const reply = await fetch(url, { method: 'POST', body: '{"a":1}' });
    expect(reply.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2']);
    expect(await reply.json()).toEqual({ a: 1 });
    await expect(fetch('http://127.0.0.1:9/')).rejects.toBeInstanceOf(TransportError);
  }
});

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatRequest {
  model: string;
  stream: boolean;
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string; parameters: unknown } }[];
  tool_choice?: unknown;
}

/** What the endpoint does with one request. */
export interface Behaviour {
  text?: string;
  /** Arguments are sent as they are when they are text. */
  calls?: { name: string; arguments: object | string }[];
  status?: number;
  error?: { message: string; code?: string };
  /** Answers with this in place of a stream, as a web server does. */
  page?: string;
  headers?: Record<string, string>;
  /** What the answer waits for. */
  after?: Promise<void>;
  /** Says nothing and never ends. */
  silent?: true;
  /** Goes silent after this many chunks, or closes the connection there. */
  silentAfter?: number;
  cutAfter?: number;
  /** Ends the stream properly, but in the middle of the answer. */
  endsAfter?: number;
  chunkDelayMs?: number;
}

export interface StandIn {
  url: string;
  requests: ChatRequest[];
  /** One behaviour for each request; the last one repeats. */
  will(...behaviours: (Behaviour | ((request: ChatRequest) => Behaviour))[]): void;
  /** Resolves when this many requests have come in. */
  asked(times: number): Promise<void>;
  close(): Promise<void>;
}

/** An OpenAI-compatible endpoint that speaks the real wire format: chunks as server-sent events, calls in pieces. */
export async function standIn(): Promise<StandIn> {
  const requests: ChatRequest[] = [];
  const waiting: { times: number; resolve(): void }[] = [];
  let planned: (Behaviour | ((request: ChatRequest) => Behaviour))[] = [{ text: 'Hello.' }];
  let served = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end('{"error":{"message":"not here"}}');
      const body = JSON.parse(await bodyOf(request)) as ChatRequest;
      requests.push(body);
      const next = planned[Math.min(served++, planned.length - 1)] ?? {};
      for (const waiter of waiting) if (requests.length >= waiter.times) waiter.resolve();
      await answer(response, body, typeof next === 'function' ? next(body) : next);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    will(...behaviours) {
      planned = behaviours;
      served = 0;
    },
    asked: (times) => (requests.length >= times ? Promise.resolve() : new Promise((resolve) => waiting.push({ times, resolve }))),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answer(response: ServerResponse, { model }: ChatRequest, behaviour: Behaviour): Promise<void> {
  await behaviour.after;
  if (behaviour.silent) return;
  if (behaviour.status !== undefined) {
    response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
    response.end(JSON.stringify({ error: { message: 'the secret inner words of the endpoint', type: 'error', ...behaviour.error } }));
    return;
  }
  if (behaviour.page !== undefined) {
    response.writeHead(200, { 'content-type': behaviour.page.startsWith('<') ? 'text/html' : 'application/json' }).end(behaviour.page);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1767787200, model, choices: [{ index: 0, ...choice }] })}\n\n`;
  const chunks = chunksOf(behaviour).map((delta) => chunk({ delta, finish_reason: null }));
  const reason = behaviour.calls?.length ? 'tool_calls' : 'stop';
  const ending = [chunk({ delta: {}, finish_reason: reason }), 'data: [DONE]\n\n'];
  for (const [index, text] of [...chunks, ...ending].entries()) {
    if (index === behaviour.silentAfter) return;
    if (index === behaviour.cutAfter) return void response.destroy();
    if (index === behaviour.endsAfter) return void response.end();
    response.write(text);
    await new Promise((resolve) => setTimeout(resolve, behaviour.chunkDelayMs ?? 0));
  }
  response.end();
}

/** Text word by word; each call as its name first, then its arguments in two pieces. */
function chunksOf({ text, calls = [] }: Behaviour): object[] {
  const words = text?.match(/\S+\s*/g) ?? [];
  return [
    { role: 'assistant', content: '' },
    ...words.map((content) => ({ content })),
    ...calls.flatMap((call, index) => {
      const words = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
      const half = Math.ceil(words.length / 2);
      const piece = (content: string) => ({ tool_calls: [{ index, function: { arguments: content } }] });
      const id = `call_${Math.random().toString(36).slice(2)}`;
      return [
        { tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] },
        piece(words.slice(0, half)),
        piece(words.slice(half)),
      ];
    }),
  ];
}

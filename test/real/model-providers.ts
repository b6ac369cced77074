import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';

type Json = Record<string, unknown>;

export interface ModelProviders {
  /** The variables that lead each provider's client here. */
  environment: Record<string, string>;
  /** The paths that were asked for, decoded. */
  paths: string[];
  close(): Promise<void>;
}

/** What every provider's model says when it is asked to extract, and when it is talked to. */
const EXTRACTION = {
  entities: ['Checkout', 'Kafka'].map((name) => ({ name, type: 'SERVICE', description: `${name} it is`, aliases: [], passage: 0 })),
  relations: [
    { source: 'Checkout', type: 'PRODUCES', target: 'Kafka', description: 'orders', evidence: 'Checkout', passage: 0, confidence: 0.9 },
  ],
};
export const SPOKEN = 'Hello from the model.';

/** The HTTP interfaces of Gemini, Bedrock, Anthropic and OpenAI on loopback, in their own wire formats. */
export async function startModelProviders(): Promise<ModelProviders> {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const path = decodeURIComponent(request.url ?? '').replace(/\?.*/, '');
    paths.push(path);
    answer(path, JSON.parse(text || '{}') as Json, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    paths,
    environment: {
      GEMINI_API_KEY: 'gemini-key',
      GEMINI_BASE_URL: `${address}/gemini/v1beta`,
      OPENAI_API_KEY: 'openai-key',
      OPENAI_BASE_URL: `${address}/openai/v1`,
      ANTHROPIC_API_KEY: 'anthropic-key',
      ANTHROPIC_BASE_URL: `${address}/anthropic/v1`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      BEDROCK_BASE_URL: `${address}/bedrock`,
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Reply = { type: string; body: string | Buffer };

const REPLIES: Record<string, (body: Json) => Reply> = {
  ':batchEmbedContents': ({ requests }) => json({ embeddings: (requests as unknown[]).map(() => ({ values: vector(768) })) }),
  ':embedContent': () => json({ embedding: { values: vector(768) } }),
  ':generateContent': () => json(geminiReply(JSON.stringify(EXTRACTION))),
  ':streamGenerateContent': () => events([{ data: geminiReply(SPOKEN) }]),
  '/embeddings': ({ input }) => json(openaiVectors(input as string[])),
  '/chat/completions': ({ stream }) => (stream ? events(openaiStream()) : json(openaiReply())),
  '/messages': (body) => (body.stream ? events(anthropicStream()) : json(anthropicReply(body))),
  '/invoke': () => json({ embedding: vector(1024), inputTextTokenCount: 3 }),
  '/converse': (body) => json(bedrockReply(body)),
  '/converse-stream': bedrockStream,
};

function answer(path: string, body: Json, response: ServerResponse): void {
  const reply = Object.entries(REPLIES).find(([ending]) => path.endsWith(ending))?.[1](body);
  response.writeHead(reply ? 200 : 404, { 'content-type': reply?.type ?? 'text/plain' }).end(reply?.body ?? 'not here');
}

const vector = (dimensions: number) => Array.from({ length: dimensions }, (_, index) => (index % 7) + 1);

function json(value: unknown): Reply {
  return { type: 'application/json', body: JSON.stringify(value) };
}

function events(list: { event?: string; data: unknown }[]): Reply {
  const text = ({ event, data }: { event?: string; data: unknown }) =>
    `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  return { type: 'text/event-stream', body: list.map(text).join('') };
}

function geminiReply(text: string): Json {
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  };
}

function openaiVectors(input: string[]): Json {
  return { object: 'list', model: 'm', data: input.map((_, index) => ({ object: 'embedding', index, embedding: vector(1536) })) };
}

function openaiReply(): Json {
  const message = { role: 'assistant', content: JSON.stringify(EXTRACTION) };
  return { id: '1', object: 'chat.completion', created: 1, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }] };
}

function openaiStream(): { data: unknown }[] {
  const chunk = (delta: Json, finish_reason: string | null) => ({
    data: { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] },
  });
  return [chunk({ role: 'assistant', content: SPOKEN }, null), chunk({}, 'stop'), { data: '[DONE]' }];
}

function anthropicReply(body: Json): Json {
  const content = body.tools
    ? [{ type: 'tool_use', id: 't', name: 'json', input: EXTRACTION }]
    : [{ type: 'text', text: JSON.stringify(EXTRACTION) }];
  const usage = { input_tokens: 4, output_tokens: 2 };
  return { id: 'm1', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn', stop_sequence: null, usage, content };
}

function anthropicStream(): { event: string; data: Json }[] {
  const message = {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [],
    usage: { input_tokens: 4, output_tokens: 1 },
  };
  const list: Json[] = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: SPOKEN } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  return list.map((data) => ({ event: data.type as string, data }));
}

function bedrockReply(body: Json): Json {
  const content = body.toolConfig
    ? [{ toolUse: { toolUseId: 't', name: 'json', input: EXTRACTION } }]
    : [{ text: JSON.stringify(EXTRACTION) }];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: body.toolConfig ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
  };
}

function bedrockStream(): Reply {
  const body = Buffer.concat([
    awsEvent('messageStart', { role: 'assistant' }),
    awsEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: SPOKEN } }),
    awsEvent('contentBlockStop', { contentBlockIndex: 0 }),
    awsEvent('messageStop', { stopReason: 'end_turn' }),
    awsEvent('metadata', { usage: { inputTokens: 4, outputTokens: 5, totalTokens: 9 }, metrics: { latencyMs: 1 } }),
  ]);
  return { type: 'application/vnd.amazon.eventstream', body };
}

/** One message of AWS' event stream: lengths, headers and payload, each part with its checksum. */
function awsEvent(type: string, payload: Json): Buffer {
  const header = (name: string, value: string) =>
    Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, value.length]), Buffer.from(value)]);
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, headers, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, checksum]);
}

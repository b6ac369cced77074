import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A stand-in for an OpenAI-compatible endpoint, on loopback. */
export interface StandInModel {
  /** As a model's base path. */
  url: string;
  /** Requests that were answered or are being answered. */
  requests: number;
  /** Requests whose caller went away before they were answered. */
  abandoned: number;
  /** Requests that wait for others. */
  waiting: (() => void)[];
  close(): Promise<void>;
}

interface ChatRequest {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  messages?: { content?: string | Part[] }[];
}

interface Part {
  type?: string;
  text?: string;
}

const FAILURES: Record<string, [status: number, error: object]> = {
  FAIL401: [401, { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' }],
  FAIL500: [500, { message: 'boom' }],
};

/** What the model designs when Flowise's generator asks it for an agent flow: a start and a language model behind it. */
const DESIGN = {
  description: 'Translate text from one language to another',
  nodes: [
    {
      id: 'startAgentflow_0',
      type: 'agentFlow',
      position: { x: 0, y: 0 },
      width: 103,
      height: 66,
      data: { label: 'Start', name: 'startAgentflow' },
    },
    {
      id: 'llmAgentflow_0',
      type: 'agentFlow',
      position: { x: 250, y: 0 },
      width: 200,
      height: 72,
      data: { label: 'Translator', name: 'llmAgentflow' },
    },
  ],
  edges: [
    {
      id: 'edge-0',
      type: 'agentFlow',
      source: 'startAgentflow_0',
      sourceHandle: 'startAgentflow_0-output-startAgentflow',
      target: 'llmAgentflow_0',
      targetHandle: 'llmAgentflow_0',
      data: { isHumanInput: false },
    },
  ],
};

/**
 * Echoes the last message, with [image_url] for an image. In it, SLOW<n> waits n seconds, GATHER<n> until n such requests are there, FAIL401 and FAIL500 answer with that error, LONG answers with
 * 40 words one after another; a request for an agent flow gets a design, or prose when it says NONSENSE.
 */
export async function startModel(): Promise<StandInModel> {
  const server = createServer((request, response) => void answer(request, response, model));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const model: StandInModel = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: 0,
    abandoned: 0,
    waiting: [],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

async function answer(request: IncomingMessage, response: ServerResponse, model: StandInModel): Promise<void> {
  model.requests += 1;
  let body = '';
  for await (const chunk of request) body += chunk;
  const call = JSON.parse(body || '{}') as ChatRequest;
  const said = reply((call.messages ?? []).map(textOf));
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) {
      model.abandoned += 1;
      gone.abort();
    }
  });
  const slow = /SLOW(\d+)/.exec(said);
  if (slow) await sleep(Number(slow[1]) * 1000, undefined, { signal: gone.signal }).catch(() => {});
  if (gone.signal.aborted) return;
  const gathering = /GATHER(\d+)/.exec(said);
  if (gathering) await gathered(model, Number(gathering[1]));
  const failure = Object.entries(FAILURES).find(([word]) => said.includes(word))?.[1];
  if (failure) json(response, failure[0], { error: failure[1] });
  else if (call.stream) await stream(response, call, said, gone.signal);
  else json(response, 200, completion(call, said));
}

/** All who wait are let go when there are enough of them. */
async function gathered(model: StandInModel, enough: number): Promise<void> {
  const waiting = new Promise<void>((resolve) => model.waiting.push(resolve));
  if (model.waiting.length >= enough) for (const go of model.waiting.splice(0)) go();
  await waiting;
}

function reply(messages: string[]): string {
  const all = messages.join('\n');
  if (/workflow orchestrator|nodes and edges/i.test(all))
    return all.includes('NONSENSE') ? 'I would rather not.' : `\`\`\`json\n${JSON.stringify(DESIGN)}\n\`\`\``;
  if (/selectedTools|select.*tools/i.test(all)) return '{"selectedTools":[]}';
  const last = messages.at(-1) ?? '';
  const seen = all.includes('[image_url]') && !last.includes('[image_url]') ? '[image_url] ' : '';
  return last.includes('LONG') ? Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ') : `STUB: ${seen}${last}`;
}

function textOf({ content }: { content?: string | Part[] }): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? `[${part.type}]`).join('');
}

const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

function completion(call: ChatRequest, content: string): object {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  return { ...frame(call), object: 'chat.completion', choices: [choice], usage: USAGE };
}

async function stream(response: ServerResponse, call: ChatRequest, content: string, signal: AbortSignal): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: object[], extra: object = {}) =>
    response.write(`data: ${JSON.stringify({ ...frame(call), object: 'chat.completion.chunk', choices, ...extra })}\n\n`);
  const words = content.match(/\S+\s*/g) ?? [];
  for (const word of words) {
    if (signal.aborted) return;
    send([{ index: 0, delta: { role: 'assistant', content: word }, finish_reason: null }]);
    if (words.length >= 40) await sleep(50);
  }
  send([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  if (call.stream_options?.include_usage) send([], { usage: USAGE });
  response.end('data: [DONE]\n\n');
}

function frame(call: ChatRequest): object {
  return { id: 'chatcmpl-1', created: 1, model: call.model ?? 'stub' };
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

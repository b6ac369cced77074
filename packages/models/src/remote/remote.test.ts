import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buggy, callWith } from '../../../../test/harness/call-with.ts';
import { createEmbedder, createGenerator, type EmbeddingChoice, type GenerationChoice, hasAccess, PROVIDERS } from '../index.ts';

interface Seen {
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

type Answer = { status?: number; headers?: Record<string, string>; body: unknown } | 'hang';

let server: Server;
let address: string;
let seen: Seen[];
/** What the stand-in answers, request by request; the last one is repeated. */
let answers: ((request: Seen) => Answer)[];

beforeEach(async () => {
  seen = [];
  answers = [];
  server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const one: Seen = { url: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} };
    seen.push(one);
    const answer = (answers.length > 1 ? answers.shift() : answers[0])?.(one) ?? { status: 500, body: {} };
    if (answer === 'hang') return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const KEYS = {
  GEMINI_API_KEY: 'gk',
  OPENAI_API_KEY: 'ok',
  ANTHROPIC_API_KEY: 'ak',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'id',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
const patience = { attempts: 3, waitMs: 1, timeoutMs: 5_000 };
const environment = () => ({
  ...KEYS,
  GEMINI_BASE_URL: `${address}/v1beta`,
  OPENAI_BASE_URL: `${address}/v1`,
  ANTHROPIC_BASE_URL: `${address}/v1`,
  BEDROCK_BASE_URL: address,
});
const embedder = (choice: EmbeddingChoice, more: object = {}) =>
  createEmbedder(choice, { environment: environment(), folders: [], patience: { ...patience, ...more } });
const generator = (choice: GenerationChoice, more: object = {}) => createGenerator(choice, environment(), { ...patience, ...more });
const failure = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => Promise.reject(new Error('it worked')),
    (error: unknown) => {
      if (error instanceof Failure) return error;
      throw error;
    },
  );

describe('embedding over the wire', () => {
  test('Gemini: batches, task types, dimensions, unit vectors', async () => {
    answers = [
      ({ body }) => ({ body: { embeddings: ((body.requests as unknown[] | undefined) ?? [0]).map(() => ({ values: [3, 4, 0] })) } }),
    ];
    const gemini = await embedder({ provider: 'gemini', dimensions: 3 });
    expect(gemini).toMatchObject({ provider: 'gemini', model: 'gemini-embedding-001', dimensions: 3, maxTokens: 2048 });
    const vectors = await gemini.embed(
      Array.from({ length: 150 }, (_, index) => `text ${index}`),
      { kind: 'passage' },
    );
    expect(vectors).toHaveLength(150);
    expect([...(vectors[0] as Float32Array)]).toEqual([Math.fround(0.6), Math.fround(0.8), 0]);
    // Batches go out side by side, so they may arrive in either order.
    seen.sort((a, b) => (b.body.requests as unknown[]).length - (a.body.requests as unknown[]).length);
    expect(seen.map(({ body }) => (body.requests as unknown[]).length)).toEqual([100, 50]);
    expect(seen[0]?.url).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents');
    expect(seen[0]?.headers['x-goog-api-key']).toBe('gk');
    expect(seen[0]?.body.requests).toMatchObject(Array(100).fill({ outputDimensionality: 3, taskType: 'RETRIEVAL_DOCUMENT' }));
    answers = [() => ({ body: { embedding: { values: [1, 0, 0] } } })];
    await gemini.embed(['question'], { kind: 'query' });
    expect(JSON.stringify(seen.at(-1)?.body)).toContain('RETRIEVAL_QUERY');
    expect(await gemini.countTokens('x'.repeat(350))).toBe(102);
    expect(await gemini.fingerprint()).toHaveLength(64);
    await gemini.close();
  });

  test('Bedrock: Titan with a signature, one text a request', async () => {
    answers = [() => ({ body: { embedding: Array.from({ length: 256 }, () => 2), inputTextTokenCount: 3 } })];
    const titan = await embedder({ provider: 'bedrock', dimensions: 256 });
    expect(titan.model).toBe('amazon.titan-embed-text-v2:0');
    expect(await titan.embed(['one', 'two', ' '], { kind: 'passage' })).toHaveLength(3);
    expect(seen).toHaveLength(3);
    expect(decodeURIComponent(seen[0]?.url ?? '')).toBe('/model/amazon.titan-embed-text-v2:0/invoke');
    expect(seen[0]?.headers.authorization).toContain('AWS4-HMAC-SHA256');
    // The requests go out side by side, so they may arrive in any order; a blank text is sent as a dash.
    expect(seen.map(({ body }) => body.inputText).sort()).toEqual(['-', 'one', 'two']);
    expect(seen.every(({ body }) => body.dimensions === 256)).toBe(true);
  });

  test('an OpenAI-compatible endpoint of one’s own tells its dimensions itself', async () => {
    answers = [
      ({ body }) => ({
        body: {
          object: 'list',
          model: 'nomic',
          data: (body.input as string[]).map((_, index) => ({ object: 'embedding', index, embedding: [1, 1, 1, 1] })),
        },
      }),
    ];
    const ollama = await embedder({ provider: 'openai', model: 'nomic', baseUrl: `${address}/ollama/v1` });
    expect(ollama.dimensions).toBe(4);
    expect(seen[0]?.url).toBe('/ollama/v1/embeddings');
    expect(seen[0]?.headers.authorization).toBe('Bearer ok');
    const fixed = await embedder({ provider: 'openai', dimensions: 8 });
    expect(fixed.model).toBe('text-embedding-3-small');
    expect(await failure(fixed.embed(['x'], { kind: 'query' }))).toMatchObject({
      message: 'The model "text-embedding-3-small" answers with 4 dimensions instead of 8',
    });
    expect(seen.at(-1)?.body).toMatchObject({ dimensions: 8 });
  });
});

describe('generating over the wire', () => {
  const schema = z.object({ city: z.string() });
  const ask = { system: 'You answer.', prompt: 'Where?', schema };

  test('Gemini', async () => {
    answers = [
      () => ({
        body: {
          candidates: [{ content: { role: 'model', parts: [{ text: '{"city":"Rome"}' }] }, finishReason: 'STOP' }],
          usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
        },
      }),
    ];
    expect(await (await generator({ provider: 'gemini' })).generate(ask)).toEqual({
      value: { city: 'Rome' },
      tokens: { input: 7, output: 3 },
    });
    expect(seen[0]?.url).toBe('/v1beta/models/gemini-3-flash-preview:generateContent');
    expect(seen[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'You answer.' }] },
      generationConfig: { responseMimeType: 'application/json' },
    });
  });

  test('an OpenAI-compatible endpoint', async () => {
    answers = [
      () => ({
        body: {
          id: '1',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{"city":"Oslo"}' } }],
          usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
        },
      }),
    ];
    const openai = await generator({ provider: 'openai', model: 'm' });
    expect(openai).toMatchObject({ provider: 'openai', model: 'm' });
    expect((await openai.generate(ask)).value).toEqual({ city: 'Oslo' });
    expect(seen[0]?.body).toMatchObject({ model: 'm', response_format: { type: 'json_schema' } });
  });

  test('Anthropic', async () => {
    answers = [
      ({ body }) => ({
        body: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 4, output_tokens: 2 },
          content: body.tools
            ? [{ type: 'tool_use', id: 't', name: 'json', input: { city: 'Bern' } }]
            : [{ type: 'text', text: '{"city":"Bern"}' }],
        },
      }),
    ];
    expect((await (await generator({ provider: 'anthropic' })).generate(ask)).value).toEqual({ city: 'Bern' });
    expect(seen[0]?.url).toBe('/v1/messages');
    expect(seen[0]?.headers['x-api-key']).toBe('ak');
  });

  test('Bedrock', async () => {
    answers = [
      ({ body }) => ({
        body: {
          output: {
            message: {
              role: 'assistant',
              content: body.toolConfig
                ? [{ toolUse: { toolUseId: 't', name: 'json', input: { city: 'Lima' } } }]
                : [{ text: '{"city":"Lima"}' }],
            },
          },
          stopReason: body.toolConfig ? 'tool_use' : 'end_turn',
          usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
        },
      }),
    ];
    expect((await (await generator({ provider: 'bedrock' })).generate(ask)).value).toEqual({ city: 'Lima' });
    expect(decodeURIComponent(seen[0]?.url ?? '')).toBe('/model/anthropic.claude-haiku-4-5-20251001-v1:0/converse');
  });

  test('an answer in another shape is asked for once more, then a failure', async () => {
    const chat = (content: string) => ({
      body: {
        id: '1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      },
    });
    answers = [() => chat('not json'), () => chat('{"city":"Kyiv"}')];
    expect((await (await generator({ provider: 'openai' })).generate(ask)).value).toEqual({ city: 'Kyiv' });
    answers = [() => chat('{"town":"x"}')];
    expect(await failure((await generator({ provider: 'openai' })).generate(ask))).toMatchObject({
      code: 'upstream',
      message: 'The OpenAI-compatible endpoint answered twice in a shape that was not asked for',
    });
    expect(seen).toHaveLength(4);
  });
});

describe('what goes wrong', () => {
  const body = { error: { message: 'secret words of the provider', code: 400, status: 'X' } };
  const embedding = async (more: object = {}) =>
    (await embedder({ provider: 'gemini', dimensions: 2 }, more)).embed(['x'], { kind: 'query' });
  const good = () => ({ body: { embedding: { values: [1, 0] } } });

  test('a missing key is named before anything is sent', async () => {
    const missing = (choice: EmbeddingChoice, environment: Record<string, string>) =>
      failure(createEmbedder(choice, { environment, folders: [] }));
    expect(await missing({ provider: 'gemini' }, {})).toMatchObject({ code: 'unavailable', details: { variable: 'GEMINI_API_KEY' } });
    expect((await missing({ provider: 'bedrock' }, {})).message).toContain('AWS_REGION');
    expect((await missing({ provider: 'bedrock' }, { AWS_REGION: 'x' })).message).toContain('AWS_ACCESS_KEY_ID');
    expect((await missing({ provider: 'openai' }, {})).message).toContain('OPENAI_API_KEY or OPENAI_BASE_URL');
    expect((await failure(createGenerator({ provider: 'anthropic' }, {}))).message).toContain('ANTHROPIC_API_KEY');
    expect(hasAccess('gemini', {})).toBe(false);
    expect(hasAccess('bedrock', { AWS_REGION: 'x', AWS_BEARER_TOKEN_BEDROCK: 'y' })).toBe(true);
    expect(PROVIDERS.anthropic.generation).toEqual({ model: 'claude-haiku-4-5' });
  });

  test.each([
    [401, {}, 'unavailable', /does not accept the credentials/],
    [403, {}, 'unavailable', /does not accept the credentials/],
    [400, { error: { message: 'API key not valid. Please pass a valid API key.' } }, 'unavailable', /does not accept the credentials/],
    [404, body, 'unavailable', /has no model named "gemini-embedding-001"/],
    [400, { message: 'The provided model identifier is invalid.' }, 'unavailable', /has no model named/],
    [429, body, 'upstream', /a quota or rate limit is used up/],
    [500, body, 'upstream', /answered with status 500/],
    [400, body, 'upstream', /answered with status 400/],
  ])('status %i is reported in our own words', async (status, answer, code, message) => {
    answers = [() => ({ status, body: answer })];
    const failed = await failure(embedding());
    expect(failed.code).toBe(code);
    expect(failed.message).toMatch(message);
    expect(failed.message + JSON.stringify(failed.details)).not.toContain('secret words');
    expect(seen).toHaveLength(status === 429 || status >= 500 ? 3 : 1);
  });

  test('what may work later is tried again, after the time that the provider asks for', async () => {
    answers = [() => ({ status: 503, body }), () => ({ status: 429, headers: { 'retry-after': '0.02' }, body }), good];
    expect(await embedding()).toHaveLength(1);
    answers = [
      () => ({ status: 429, headers: { 'retry-after': new Date(Date.now() + 20).toUTCString() }, body }),
      () => ({ status: 429, headers: { 'retry-after': 'soon' }, body }),
      good,
    ];
    expect(await embedding()).toHaveLength(1);
  });

  test('no answer in time, nobody there, and a call that is called off', async () => {
    answers = [() => 'hang'];
    expect(await failure(embedding({ timeoutMs: 30, attempts: 2 }))).toMatchObject({
      code: 'timeout',
      message: 'Gemini did not answer in time',
    });
    const nobody = createEmbedder(
      { provider: 'gemini', dimensions: 2, baseUrl: 'http://127.0.0.1:9/v1beta' },
      { environment: KEYS, folders: [], patience },
    );
    expect(await failure((await nobody).embed(['x'], { kind: 'query' }))).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^Gemini cannot be reached: /),
    });
    const stop = new AbortController();
    const called = (await embedder({ provider: 'gemini', dimensions: 2 })).embed(['x'], { kind: 'query', signal: stop.signal });
    setTimeout(() => stop.abort(new Error('called off')), 20);
    await expect(called).rejects.toThrow('called off');
  });

  test('a reply that is not a model answer', async () => {
    answers = [() => ({ body: { surprise: true } })];
    expect((await failure(embedding())).message).toBe(
      "The address in GEMINI_BASE_URL answered with something that is not a model's answer",
    );
  });

  test('regression: a missing default model was to be corrected, or left out to use the default', async () => {
    answers = [() => ({ status: 404, body })];
    const said = async (choice: EmbeddingChoice) => {
      const { message, fix } = await failure((await embedder({ dimensions: 2, ...choice })).embed(['x'], { kind: 'query' }));
      return `${message}. ${fix?.instruction}`;
    };
    expect(await said({ provider: 'openai' })).toBe(
      'The OpenAI-compatible endpoint has no model named "text-embedding-3-small" (the default). ' +
        'Set model to one that it has, or check the address (OPENAI_BASE_URL): a wrong path also answers 404',
    );
    const settings = { model: 'embedder.model', baseUrl: 'embedder.baseUrl' };
    expect(await said({ provider: 'openai', model: 'x', baseUrl: `${address}/v2`, settings })).toBe(
      'The OpenAI-compatible endpoint has no model named "x". ' +
        'Set embedder.model to one that it has, or check the address (embedder.baseUrl): a wrong path also answers 404',
    );
  });

  test('regression: a key with characters that cannot be sent was to be copied "from The OpenAI-compatible endpoint"', async () => {
    const broken = await failure(createGenerator({ provider: 'openai' }, { OPENAI_API_KEY: 'sk-…' }));
    expect(broken.fix?.instruction).toBe('Copy it again from your account with the provider, and set OPENAI_API_KEY to it');
  });

  test('regression: a TypeError inside a model call was "Gemini cannot be reached", after four attempts', async () => {
    answers = [good];
    const gemini = await embedder({ provider: 'gemini', dimensions: 2 });
    const model = await generator({ provider: 'gemini' });
    for (const [bug, work] of [
      ((bug) => [bug, () => gemini.embed([bug.value], { kind: 'query' })] as const)(buggy('trim')),
      ((bug) => [bug, () => model.generate({ system: 'x', prompt: 'y', schema: bug.value })] as const)(buggy('~standard')),
    ] as const) {
      const { reply, logged, rows } = await callWith(work);
      expect(bug.looks()).toBe(1);
      expect(reply.failure).toMatchObject({ code: 'internal', message: 'Internal error' });
      const id = reply.failure?.details['id'];
      expect(reply.text).toContain(id);
      expect(logged).toMatchObject([{ level: 'error', details: { id, tool: 'work', err: expect.any(TypeError) } }]);
      expect(rows).toMatchObject([{ id, errorCode: 'internal' }]);
    }
    expect(seen).toHaveLength(0);
  });

  test('regression: a key with an ellipsis in it was "Gemini cannot be reached"', async () => {
    const opened = createEmbedder({ provider: 'gemini' }, { environment: { GEMINI_API_KEY: 'abc…xyz' }, folders: [] });
    expect(await failure(opened)).toMatchObject({
      message: 'GEMINI_API_KEY contains characters that a key cannot have',
      details: { variable: 'GEMINI_API_KEY' },
    });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StandIn, standIn } from '../harness/openai-stand-in.ts';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, HttpProcess, temporaryFolder } from '../harness/process.ts';

const TOKEN = 'the-token-of-the-owner';
const folder = temporaryFolder();
let endpoint: StandIn;
let server: HttpProcess;
let withModel: HttpProcess;

beforeAll(async () => {
  endpoint = await standIn();
  const env = cleanEnvironment(folder.path, { MILLRACE_TOKEN: TOKEN, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'todo' });
  server = await new HttpProcess([LAUNCHER, 'serve'], env).listening();
  const model = { MILLRACE_MODEL_PROVIDER: 'openai', MILLRACE_MODEL_URL: endpoint.url };
  withModel = await new HttpProcess([LAUNCHER, 'serve'], { ...env, ...model }).listening();
}, 60_000);
afterAll(async () => {
  await Promise.all([server.kill(), withModel.kill()]);
  await endpoint.close();
  folder[Symbol.dispose]();
});

interface Sent {
  event: string;
  data: Record<string, unknown>;
}

const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const post = (at: HttpProcess, body: unknown, signal?: AbortSignal) =>
  fetch(`${at.url}/chat`, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
const get = async (path: string, token = TOKEN) => {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

async function events(response: Response): Promise<Sent[]> {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return [...(await response.text()).matchAll(/^event: (.+)\ndata: (.+)\n$/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));
}

describe('POST /chat', () => {
  test('streams a turn, and the conversation is there afterwards', async () => {
    const sent = await events(await post(server, { message: 'Create a todo to buy milk' }));
    expect(sent.map(({ event }) => event)).toEqual(['started', 'call', 'result', 'text', 'text', 'text', 'done']);
    const { conversation, message } = (sent[0] as Sent).data;
    expect(sent[1]?.data).toMatchObject({ tool: 'create_todo', title: 'Create todo', parameters: { title: 'Buy milk' } });
    expect(sent.at(-1)?.data).toEqual({
      conversation,
      message,
      status: 'done',
      reply: 'Added "Buy milk".',
      tool_calls: [{ tool: 'create_todo', parameters: { title: 'Buy milk' }, status: 'success' }],
    });
    const next = await events(await post(server, { message: 'make it urgent', conversation }));
    expect(next.at(-1)?.data).toMatchObject({ conversation, status: 'done', tool_calls: [{ tool: 'update_todo' }] });

    const { body: list } = await get('/conversations');
    expect(list.conversations).toMatchObject([{ id: conversation, title: 'Create a todo to buy milk' }]);
    const { body: whole } = await get(`/conversations/${conversation}`);
    expect(whole).toMatchObject({
      id: conversation,
      messages: [
        { role: 'user', text: 'Create a todo to buy milk' },
        {
          id: message,
          role: 'assistant',
          status: 'done',
          text: 'Added "Buy milk".',
          tool_calls: [{ tool: 'create_todo', status: 'success' }],
        },
        { role: 'user' },
        { role: 'assistant' },
      ],
    });
  });

  test.each([
    ['no body', undefined, 400],
    ['no message', {}, 400],
    ['an empty message', { message: ' ' }, 400],
    ['a megabyte', { message: 'x'.repeat(1024 * 1024) }, 400],
    ['an unknown field', { message: 'hello', model: 'x' }, 400],
    ['an unknown conversation', { message: 'hello', conversation: 'nope' }, 404],
    ['nothing to try again', { retry: true }, 400],
  ])('refuses %s with a sentence', async (_, body, status) => {
    const response = await post(server, body);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { message: string; details: { reason: string } } };
    expect(error.message).toMatch(/^[A-Z].{10,}|^message must be text$/);
    expect(error.details.reason).toBe(status === 404 ? 'not_found' : 'invalid_input');
  });

  test('regression: trying again was suggested whatever the trouble was', async () => {
    endpoint.will({ status: 401 });
    const refused = (await events(await post(withModel, { message: 'hello' }))).at(-1)?.data;
    expect(refused).toMatchObject({ status: 'failed', reply: expect.stringMatching(/credentials/) });
    expect(refused?.reply).not.toMatch(/try again/);
    endpoint.will({ text: 'one two', cutAfter: 1 });
    const broken = (await events(await post(withModel, { message: 'hello' }))).at(-1)?.data;
    expect(broken).toMatchObject({ status: 'failed', reply: expect.stringMatching(/broke off.* say "try again" to continue\.$/) });
  });

  test('needs a token, and shows nobody the conversations of others', async () => {
    expect((await fetch(`${server.url}/chat`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await get('/conversations', 'somebody-else-entirely')).status).toBe(401);
    expect((await get('/conversations/nope')).status).toBe(404);
    expect((await get('/conversations?limit=0')).status).toBe(400);
  });

  test('a client that goes away stops the turn; what was done stays, and another message continues', async () => {
    endpoint.will(
      { calls: [{ name: 'create_todo', arguments: { title: 'Buy bread' } }] },
      { text: 'a long answer that never ends', silentAfter: 3 },
    );
    const asked = endpoint.requests.length;
    const leaving = new AbortController();
    const response = await post(withModel, { message: 'add bread' }, leaving.signal);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const conversation = /"conversation":"([^"]+)"/.exec(first)?.[1] ?? '';
    await endpoint.asked(asked + 2);
    const busy = await post(withModel, { message: 'hello', conversation });
    expect(busy.status).toBe(409);
    expect(((await busy.json()) as { error: { message: string } }).error.message).toBe('I am still answering in this conversation');
    leaving.abort();
    endpoint.will({ text: 'Hello again.' });
    const again = async (): Promise<Sent[]> => {
      const next = await post(withModel, { message: 'hello', conversation });
      return next.status === 409 ? again() : events(next);
    };
    expect((await again()).at(-1)?.data).toMatchObject({ reply: 'Hello again.' });
    const { body } = await get(`/conversations/${conversation}`);
    expect(body.messages).toMatchObject([
      {},
      { status: 'cancelled', tool_calls: [{ tool: 'create_todo', status: 'success' }] },
      {},
      { status: 'done' },
    ]);
  });

  test('a server that is stopped breaks off a turn, which can be continued later', async () => {
    const env = cleanEnvironment(folder.path, { MILLRACE_TOKEN: TOKEN, MILLRACE_PORT: '0', MILLRACE_TOOLSETS: 'todo' });
    const stopped = await new HttpProcess([LAUNCHER, 'serve'], {
      ...env,
      MILLRACE_MODEL_PROVIDER: 'openai',
      MILLRACE_MODEL_URL: endpoint.url,
    }).listening();
    endpoint.will({ silent: true });
    const asked = endpoint.requests.length;
    const response = await post(stopped, { message: 'think' });
    await endpoint.asked(asked + 1);
    const ending = stopped.stop();
    const sent = await events(response);
    expect(sent.at(-1)?.data).toMatchObject({ status: 'interrupted' });
    // SIGTERM broke off work, and the exit code shows it.
    expect(await ending).toBe(143);
    endpoint.will({ text: 'Thought.' });
    const next = await events(await post(withModel, { retry: true, conversation: sent[0]?.data.conversation }));
    expect(next.at(-1)?.data).toMatchObject({ status: 'done', reply: 'Thought.' });
  });
});

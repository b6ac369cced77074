import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OWNER, openMillrace, type TestMillrace } from '../harness/millrace.ts';
import { type ChatRequest, type StandIn, standIn } from '../harness/openai-stand-in.ts';
import { product } from '../harness/package.ts';
import { indexed } from '../harness/tool-listing.ts';
import { modelAt } from './stage.ts';
import { NEEDS, SMALL_TALK } from './tool-needs.ts';

const LEAST_FOUND = 0.97;
const HELLO_BYTES = 6_000;

let millrace: TestMillrace;
let endpoint: StandIn;
let agent: Awaited<ReturnType<Awaited<ReturnType<typeof product>>['openAgent']>>;

beforeAll(async () => {
  endpoint = await standIn();
  millrace = await openMillrace({ environment: { MILLRACE_TIME_ZONE: 'UTC', ...modelAt(endpoint.url) } });
  await indexed(millrace);
  const { openAgent } = await product();
  agent = await openAgent(millrace, millrace.configuration, millrace.log);
});
afterAll(async () => {
  await agent.close();
  await endpoint.close();
  await millrace.close();
});
beforeEach(() => {
  endpoint.requests.length = 0;
});

const say = (message: string, conversation?: string) => agent.turn({ user: OWNER, message, conversation });
const toolsOf = (request: ChatRequest | undefined) => request?.tools?.map((tool) => tool.function.name) ?? [];

describe('the model is shown', () => {
  test('no tool but find_tools for a greeting, which costs 6 KB at most', async () => {
    for (const greeting of ['hello', 'hello there', 'Good morning!']) {
      endpoint.requests.length = 0;
      await say(greeting);
      expect(toolsOf(endpoint.requests[0])).toEqual(['find_tools']);
      expect(Buffer.byteLength(JSON.stringify(endpoint.requests[0]))).toBeLessThanOrEqual(HELLO_BYTES);
    }
  });

  test('in the first request the tool that it needs', async () => {
    await say('Please remind me to water the plants');
    expect(toolsOf(endpoint.requests[0])).toContain('create_todo');
    expect(toolsOf(endpoint.requests[0]).length).toBeLessThan(20);
  });

  test('further tools when it asks for them', async () => {
    endpoint.will({ calls: [{ name: 'find_tools', arguments: { request: 'draw a workflow as a diagram' } }] }, { text: 'Now I can.' });
    await say('hello');
    const [first, second] = endpoint.requests;
    expect(toolsOf(first)).not.toContain('workflow_diagram');
    expect(toolsOf(second)).toContain('workflow_diagram');
    expect(String(second?.messages.at(-1)?.content)).toContain('workflow_diagram');
  });

  test('the tools that were used before in the conversation, and those of the request that a yes answers', async () => {
    endpoint.will(
      { calls: [{ name: 'flowrag_stats', arguments: {} }] },
      { text: 'It is empty.' },
      { text: 'Should I?' },
      { text: 'Done.' },
    );
    const { conversation } = await say('How large is the knowledge base?');
    await say('Then draw the invoice workflow for me', conversation);
    endpoint.requests.length = 0;
    await say('yes', conversation);
    expect(toolsOf(endpoint.requests[0])).toEqual(expect.arrayContaining(['flowrag_stats', 'workflow_diagram']));
  });

  test('fewer tools than it may call: one that it knows by name works', async () => {
    endpoint.will({ calls: [{ name: 'read_todos', arguments: {} }] }, { text: 'Nothing to do.' });
    const { toolCalls } = await say('hello');
    expect(toolsOf(endpoint.requests[0])).not.toContain('read_todos');
    expect(toolCalls).toMatchObject([{ tool: 'read_todos', status: 'success' }]);
  });
});

test(`of ${NEEDS.length} requests at least 97 of 100 find the tool that they need`, async () => {
  const signal = new AbortController().signal;
  const missed: string[] = [];
  for (const [request, ...needed] of NEEDS) {
    const found = (await millrace.catalog.toolsFor(request, signal)).map(({ tool }) => tool.name);
    if (!needed.some((name) => found.includes(name))) missed.push(`${request} (${needed[0]}) found ${found.join(', ')}`);
  }
  expect(1 - missed.length / NEEDS.length, missed.join('\n')).toBeGreaterThanOrEqual(LEAST_FOUND);
});

test('small talk never needs all tools', async () => {
  for (const words of SMALL_TALK) {
    endpoint.requests.length = 0;
    await say(words);
    expect(toolsOf(endpoint.requests[0]).length, words).toBeLessThan(millrace.catalog.entries().length / 2);
  }
});

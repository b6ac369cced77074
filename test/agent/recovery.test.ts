import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OWNER } from '../harness/millrace.ts';
import { type StandIn, standIn } from '../harness/openai-stand-in.ts';
import { LAUNCHER } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';
import { modelAt, type Stage, stage } from './stage.ts';

const clock = { now: () => new Date() };
const MESSAGE = 'add milk, eggs and bread';

/** Answers the conversation of a turn that was killed. */
function killedTurn(folder: string, when: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'killed-turn.ts'), folder, when, MESSAGE], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    child.on('close', (_code, signal) =>
      signal === 'SIGKILL' ? resolve(output.trim()) : reject(new Error(`it was not killed: ${complaint}`)),
    );
  });
}

const titles = async (scene: Stage) => (await scene.todos()).map((todo) => todo.title);

describe('killed with SIGKILL around the second of three calls', () => {
  test.each([
    ['before the effect', MESSAGE],
    ['after the effect', MESSAGE],
    ['after the audit row', 'go on'],
  ])('%s: saying "%s" finishes the turn, and no call is made twice', async (when, text) => {
    using folder = temporaryFolder();
    const conversation = await killedTurn(folder.path, when);
    const scene = await stage({ folder: folder.path, clock });
    try {
      const result = await scene.agent.turn({ user: OWNER, conversation, message: text });
      expect(result).toMatchObject({ status: 'done', reply: expect.stringContaining('"Bread"') });
      expect((await titles(scene)).sort()).toEqual(['Bread', 'Eggs', 'Milk']);
      const { messages } = await scene.agent.conversation(OWNER, conversation);
      expect(messages.map(({ role, status }) => [role, status])).toEqual([
        ['user', 'done'],
        ['assistant', 'done'],
      ]);
      expect(await scene.agent.turn({ user: OWNER, conversation, message: 'mark them all as done' })).toMatchObject({ status: 'done' });
    } finally {
      await scene.close();
    }
  });

  test('another message is answered after the broken turn was finished, and the answer reports it', async () => {
    using folder = temporaryFolder();
    const conversation = await killedTurn(folder.path, 'after the effect');
    const scene = await stage({ folder: folder.path, clock });
    try {
      expect(await titles(scene)).toEqual(['Milk', 'Eggs']);
      const heard: string[] = [];
      const result = await scene.agent.turn({ user: OWNER, conversation, message: 'show my todos' }, (event) => {
        if (event.type === 'text') heard.push(event.delta);
      });
      expect(result).toMatchObject({ status: 'done', toolCalls: [{ tool: 'read_todos', status: 'success' }] });
      expect(result.reply).toMatch(/^My answer to "add milk, eggs and bread" was interrupted\. I finished it first: Added .*"Bread"/);
      expect(result.reply).toContain('You have 3 open todos');
      expect(heard.join('')).toBe(result.reply);
      expect((await titles(scene)).sort()).toEqual(['Bread', 'Eggs', 'Milk']);
      const { messages } = await scene.agent.conversation(OWNER, conversation);
      expect(messages.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done']);
    } finally {
      await scene.close();
    }
  });

  test('somebody who wants it stopped gets it stopped: nothing more is done', async () => {
    using folder = temporaryFolder();
    const conversation = await killedTurn(folder.path, 'after the effect');
    const scene = await stage({ folder: folder.path, clock });
    try {
      const result = await scene.agent.turn({ user: OWNER, conversation, message: 'no, stop' });
      expect(result).toMatchObject({ status: 'done', toolCalls: [] });
      expect(result.reply).toMatch(/^My last answer was cut off/);
      expect(await titles(scene)).toEqual(['Milk', 'Eggs']);
    } finally {
      await scene.close();
    }
  });
});

describe('a whole process with a language model', () => {
  let endpoint: StandIn;
  beforeAll(async () => {
    endpoint = await standIn();
  });
  afterAll(() => endpoint.close());

  test('killed while the model thinks about what the first call answered: the call stays, and is not made again', async () => {
    using folder = temporaryFolder();
    const env = cleanEnvironment(folder.path, { MILLRACE_TOOLSETS: 'todo', ...modelAt(endpoint.url) });
    endpoint.will({ calls: [{ name: 'create_todo', arguments: { title: 'Buy milk' } }] }, { silent: true });
    const chat = spawn(process.execPath, [LAUNCHER, 'chat', '-m', 'add milk'], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => chat.on('close', (_code, signal) => resolve(signal)));
    await endpoint.asked(2);
    chat.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');

    const scene = await stage({ folder: folder.path, clock, model: endpoint });
    try {
      const { conversations } = await scene.agent.conversations(OWNER, { limit: 10 });
      endpoint.will({ text: 'Milk is on your list.' });
      const result = await scene.agent.turn({ user: OWNER, conversation: conversations[0]?.id, message: 'continue' });
      expect(result).toMatchObject({
        status: 'done',
        reply: 'Milk is on your list.',
        toolCalls: [{ tool: 'create_todo', status: 'success' }],
      });
      expect(await titles(scene)).toEqual(['Buy milk']);
      expect(endpoint.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('Buy milk') });
    } finally {
      await scene.close();
    }
  }, 60_000);
});

test('a call of which nobody knows whether it happened is not repeated for a model, which gets the reason', async () => {
  using folder = temporaryFolder();
  const conversation = await killedTurn(folder.path, 'after the effect');
  const endpoint = await standIn();
  const scene = await stage({ folder: folder.path, clock, model: endpoint });
  try {
    endpoint.will({ text: 'I have to look first.' });
    const result = await scene.agent.turn({ user: OWNER, conversation });
    expect(result.toolCalls.map(({ status }) => status)).toEqual(['success', 'unknown', 'success']);
    expect(await titles(scene)).toEqual(['Milk', 'Eggs', 'Bread']);
    const told = endpoint.requests[0]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    expect(told?.[1]).toContain('"outcome":"unknown"');
  } finally {
    await scene.close();
    await endpoint.close();
  }
});

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Failure } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LAUNCHER, product } from '../harness/package.ts';
import { cleanEnvironment, temporaryFolder } from '../harness/process.ts';
import { verifies } from '../requirements.ts';
import { type Stage, stage } from './stage.ts';

interface Answer {
  conversation: string;
  reply: string;
  tool_calls: { tool: string; parameters: Record<string, unknown>; status: string }[];
}

/** `millrace chat -m … --json` as a person would run it, on a machine without keys and without a network. */
function chat(home: string, message: string, conversation?: string): Promise<Answer> {
  const env = { ...cleanEnvironment(home), NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'no-network.mjs')).href}` };
  const args = [LAUNCHER, 'chat', '-m', message, '--json', ...(conversation ? ['--conversation', conversation] : [])];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaint += chunk;
    });
    child.on('close', (code) => (code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`${code}: ${output}${complaint}`))));
  });
}

const toolsOf = ({ tool_calls }: Answer) => tool_calls.map(({ tool, status }) => `${tool} ${status}`);

describe('the intents of the contract', () => {
  verifies(
    ['todo-agent-no-key', 'todo-agent-create', 'todo-agent-read', 'todo-agent-update', 'todo-agent-delete'],
    'one process after the other, without a key and without a network',
    async () => {
      using folder = temporaryFolder();
      const created = await chat(folder.path, 'Create a todo to buy milk');
      expect(Object.keys(created)).toEqual(['conversation', 'reply', 'tool_calls']);
      expect(created.tool_calls).toEqual([{ tool: 'create_todo', parameters: { title: 'Buy milk' }, status: 'success' }]);
      const { conversation } = created;
      await chat(folder.path, 'add call mom', conversation);
      const shown = await chat(folder.path, 'Show my todos', conversation);
      expect(toolsOf(shown)).toEqual(['read_todos success']);
      expect(shown.reply).toContain('1. Call mom\n2. Buy milk');
      const done = await chat(folder.path, 'Mark the first one as complete', conversation);
      expect(toolsOf(done)).toEqual(['update_todo success']);
      const deleted = await chat(folder.path, 'Delete buy milk', conversation);
      expect(toolsOf(deleted)).toContain('delete_todo success');
      const left = await chat(folder.path, 'show everything');
      expect(left.reply).toContain('1. Call mom (done)');
      expect(left.reply).not.toContain('Buy milk');
    },
    60_000,
  );

  let scene: Stage;
  beforeEach(async () => {
    scene = await stage();
  });
  afterEach(() => scene.close());

  const called = async (text: string) => (await scene.say(text)).toolCalls.map(({ tool }) => tool);

  verifies('todo-agent-create', 'create_todo for "Create a todo to buy milk", and the todo is there', async () => {
    expect(await called('Create a todo to buy milk')).toEqual(['create_todo']);
    expect(await scene.todos()).toMatchObject([{ title: 'Buy milk', status: 'open', priority: 'medium' }]);
  });

  verifies('todo-agent-read', 'read_todos for each way of asking', async () => {
    await scene.add('Buy milk');
    for (const text of ['Show my todos', 'List todos', 'What are my todos?']) expect(await called(text)).toEqual(['read_todos']);
  });

  verifies('todo-agent-update', 'update_todo for done, complete and archive', async () => {
    for (const [text, status] of [
      ['Mark as done', 'completed'],
      ['Complete', 'completed'],
      ['Archive', 'archived'],
    ]) {
      await scene.say('add something to do');
      expect(await called(text as string)).toEqual(['update_todo']);
      expect((await scene.todos()).at(-1)?.status).toBe(status);
    }
    await scene.add('Buy milk', 'Call mom');
    await scene.say('show my todos');
    expect(await called('Mark the first one as complete')).toEqual(['update_todo']);
    expect((await scene.todos()).at(-1)).toMatchObject({ title: 'Call mom', status: 'completed' });
  });

  verifies('todo-agent-delete', 'delete_todo for delete and remove, also for the oldest', async () => {
    await scene.add('Buy milk', 'Call mom', 'Pay rent');
    expect(await called('Delete call mom')).toContain('delete_todo');
    expect(await called('Remove pay rent')).toContain('delete_todo');
    await scene.add('Water the plants');
    expect(await called('Delete the oldest todo')).toContain('delete_todo');
    expect((await scene.todos()).map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Buy milk archived',
      'Call mom archived',
      'Pay rent archived',
      'Water the plants open',
    ]);
  });

  verifies('todo-agent-message-id', 'each call is logged with the message that made it, and a direct call without one', async () => {
    const { message, conversation } = await scene.say('add milk and show my todos');
    await scene.call('read_todos', {});
    const { rows } = await scene.storage.audit.read({});
    expect(rows.map((row) => [row.tool, row.messageId, row.userId, row.status])).toEqual([
      ['read_todos', null, 'owner', 'success'],
      ['read_todos', message, 'owner', 'success'],
      ['create_todo', message, 'owner', 'success'],
    ]);
    const { messages } = await scene.agent.conversation({ id: 'owner', name: 'owner', level: 'advanced', owner: true }, conversation);
    expect(messages.find(({ id }) => id === message)?.role).toBe('assistant');
  });
});

describe('a tool that fails', () => {
  const failing = async (error: Error, ...tools: string[]): Promise<Stage> => {
    const scene = await stage();
    const fail = async () => {
      throw error;
    };
    for (const tool of tools) scene.around(tool, () => fail);
    return scene;
  };
  const broken = async (): Promise<Failure> => {
    const { Failure } = await product();
    return new Failure('storage', 'SQLITE_IOERR: disk I/O error at /var/lib/x');
  };

  verifies('todo-agent-friendly-error', 'is answered with a friendly sentence and what to do next, never with the raw error', async () => {
    const scene = await failing(await broken(), 'update_todo', 'delete_todo');
    try {
      await scene.add('Buy milk');
      const result = await scene.say('mark buy milk as done');
      expect(result.reply).toBe(
        'I\'m having trouble updating that todo. Please try again. If it keeps happening, the command "millrace doctor" shows what is wrong.',
      );
      expect(result.toolCalls.at(-1)).toMatchObject({ tool: 'update_todo', status: 'failure' });
      expect((await scene.say('delete buy milk')).reply).toMatch(/^I'm having trouble deleting that todo\. Please try again\./);
      expect((await scene.storage.audit.read({ status: 'failure' })).rows).toHaveLength(2);
    } finally {
      await scene.close();
    }
  });

  test.each([
    ['create_todo', 'add milk', /^I'm having trouble adding that todo\. Please try again\./],
    ['read_todos', 'show my todos', /^I'm having trouble reading your todos\. Please try again\./],
    ['read_todos', 'mark milk as done', /^I'm having trouble reading your todos\. Please try again\./],
  ])('%s for "%s"', async (tool, text, sentence) => {
    const scene = await failing(new Error('TypeError: x is not a function'), tool);
    try {
      const { reply, status } = await scene.say(text);
      expect(reply).toMatch(sentence);
      expect(reply).not.toContain('TypeError');
      expect(status).toBe('done');
    } finally {
      await scene.close();
    }
  });

  test('works when the message is repeated, or asked to try again', async () => {
    const failure = await broken();
    let fails = true;
    const scene = await stage();
    scene.around('create_todo', (run) => async (input, call) => {
      if (fails) throw failure;
      return run(input, call);
    });
    try {
      await scene.say('add milk');
      fails = false;
      expect((await scene.say('please try again')).reply).toBe('Added "Milk".');
      expect(await scene.todos()).toHaveLength(1);
    } finally {
      await scene.close();
    }
  });

  test('a read-only server explains that it is read-only', async () => {
    const scene = await stage({ flags: { readOnly: true } });
    try {
      expect((await scene.say('add milk')).reply).toContain('I can only read todos here');
    } finally {
      await scene.close();
    }
  });
});

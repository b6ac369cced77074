import { PassThrough } from 'node:stream';
import { Agent, type AgentOptions, rulesModel, type TurnResult } from '@millrace/agent';
import { createLanguageModel } from '@millrace/models';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { standIn } from '../../../test/harness/openai-stand-in.ts';
import { temporaryFolder } from '../../../test/harness/process.ts';
import { ChatTerminal, harmless } from './agent-terminal.ts';
import { compose } from './compose.ts';
import { configure } from './configuration.ts';
import { OWNER } from './identity.ts';

/** A terminal that somebody types into. */
class Keyboard {
  readonly input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  readonly output = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  shown = '';

  constructor() {
    this.output.on('data', (chunk) => {
      this.shown += chunk;
    });
  }

  type(line: string): void {
    this.input.write(`${line}\r`);
  }

  async sees(text: string): Promise<void> {
    while (!this.plain().includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** What is on the screen, without colours and cursor movements. */
  plain(): string {
    return this.shown.replaceAll(new RegExp(`${'\u001b'}\\[[\\d;]*[A-Za-z]`, 'g'), '');
  }
}

interface Stage {
  agent: Agent;
  say(text: string): Promise<TurnResult>;
  todos(): Promise<{ title: string; status: string }[]>;
  close(): Promise<void>;
}

/** An agent with the given model over the todos of a new home. */
async function stage(options: Pick<Partial<AgentOptions>, 'chatModel'> = {}): Promise<Stage> {
  const folder = temporaryFolder();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const configuration = configure({
    flags: { toolsets: ['todo'] },
    home: folder.path,
    config: undefined,
    environment: {},
    workingDirectory: folder.path,
  });
  const { catalog, storage, clock, close } = await compose({ configuration, log });
  const timeZone = 'UTC';
  const agent = new Agent({
    store: storage.store,
    catalog,
    audit: storage.audit,
    chatModel: async () => rulesModel({ timeZone, now: () => clock.now() }),
    clock,
    log,
    instructions: '',
    timeZone,
    ...options,
  });
  return {
    agent,
    say: (message) => agent.turn({ user: OWNER, message }),
    async todos() {
      const read = async (filter: object) => {
        const { structured } = await catalog.call('read_todos', { sort: 'oldest', ...filter }, { credentials: { kind: 'local' } });
        return (structured as { todos: { title: string; status: string }[] }).todos;
      };
      return [...(await read({})), ...(await read({ status: 'archived' }))];
    },
    async close() {
      await agent.close();
      await close();
      folder[Symbol.dispose]();
    },
  };
}

let scene: Stage;
let keyboard: Keyboard;
beforeEach(async () => {
  scene = await stage();
  keyboard = new Keyboard();
});
afterEach(() => scene.close());

const talk = (given: Stage = scene, conversation?: string, signal = new AbortController().signal) =>
  ChatTerminal.run({
    agent: given.agent,
    user: OWNER,
    conversation,
    signal,
    model: 'a test',
    input: keyboard.input,
    output: keyboard.output,
  });

describe('a conversation in the terminal', () => {
  test('answers, folds tool calls, unfolds them when asked, and asks before several are deleted', async () => {
    const ended = talk();
    await keyboard.sees('/help lists the commands');
    keyboard.type('add milk, eggs and bread');
    await keyboard.sees('Added "Milk", "Eggs" and "Bread".');
    expect(keyboard.plain()).toContain('· create_todo ✓ ×3');
    keyboard.type('/calls');
    await keyboard.sees('create_todo {"title":"Eggs"}: success');
    keyboard.type('delete everything');
    await keyboard.sees('Should I delete these 3?');
    keyboard.type('yes');
    await keyboard.sees('Deleted "');
    keyboard.type('/quit');
    expect(await ended).toBe(0);
    expect((await scene.todos()).map(({ status }) => status)).toEqual(['archived', 'archived', 'archived']);
  });

  test('remembers earlier lines and conversations', async () => {
    const { conversation } = await scene.say('add the first thing');
    const ended = talk();
    await keyboard.sees('›');
    keyboard.input.write('\u001b[A');
    await keyboard.sees('add the first thing');
    keyboard.input.write('\u0003');
    keyboard.type('/conversations');
    await keyboard.sees('1. add the first thing');
    keyboard.type('/open 1');
    await keyboard.sees('Added "First thing".');
    keyboard.type('make it urgent');
    await keyboard.sees('its priority is now high');
    keyboard.type('/nonsense');
    await keyboard.sees('Unknown command: /nonsense');
    keyboard.input.write('\u0004');
    expect(await ended).toBe(0);
    expect((await scene.agent.conversation(OWNER, conversation)).messages).toHaveLength(4);
  });

  test('Ctrl-C stops an answer but not the conversation; /retry repeats the message', async () => {
    const endpoint = await standIn();
    const chatModel = () => createLanguageModel({ provider: 'openai', baseUrl: endpoint.url }, {});
    const withModel = await stage({ chatModel });
    try {
      endpoint.will({ text: 'one two three four', silentAfter: 3 });
      const ended = talk(withModel);
      await keyboard.sees('›');
      keyboard.type('count');
      await keyboard.sees('one two');
      keyboard.input.write('\u0003');
      await keyboard.sees('(stopped)');
      endpoint.will({ text: 'one two three four' });
      keyboard.type('/retry');
      await keyboard.sees('three four');
      keyboard.type('/quit');
      expect(await ended).toBe(0);
      const [conversation] = (await withModel.agent.conversations(OWNER, { limit: 1 })).conversations;
      const { messages } = await withModel.agent.conversation(OWNER, conversation?.id ?? '');
      expect(messages.map(({ text, status }) => [text, status])).toEqual([
        ['count', 'done'],
        ['one two three four', 'done'],
      ]);
    } finally {
      await withModel.close();
      await endpoint.close();
    }
  });

  test('a process that is asked to stop cancels the answer and exits', async () => {
    const endpoint = await standIn();
    const chatModel = () => createLanguageModel({ provider: 'openai', baseUrl: endpoint.url }, {});
    const withModel = await stage({ chatModel });
    const idle = new AbortController();
    const busy = new AbortController();
    try {
      const left = talk(withModel, undefined, idle.signal);
      await keyboard.sees('›');
      idle.abort();
      expect(await left).toBe(0);
      keyboard = new Keyboard();
      endpoint.will({ text: 'one two three four', silentAfter: 3 });
      const ended = talk(withModel, undefined, busy.signal);
      await keyboard.sees('›');
      keyboard.type('count');
      await keyboard.sees('one two');
      busy.abort();
      expect(await ended).toBe(1);
    } finally {
      await withModel.close();
      await endpoint.close();
    }
  });

  test('an empty line does nothing, Ctrl-C on it warns before it quits, and "exit" quits', async () => {
    const ended = talk();
    await keyboard.sees('›');
    keyboard.type('');
    keyboard.input.write('\u0003');
    await keyboard.sees('Press Ctrl-C again to quit');
    keyboard.type('add milk');
    await keyboard.sees('Added "Milk".');
    keyboard.input.write('\u0003');
    keyboard.type('exit');
    expect(await ended).toBe(0);
    expect((await scene.todos()).map(({ title }) => title)).toEqual(['Milk']);
  });

  test('Ctrl-C twice on an empty line quits', async () => {
    const ended = talk();
    await keyboard.sees('›');
    keyboard.input.write('\u0003');
    keyboard.input.write('\u0003');
    expect(await ended).toBe(0);
  });

  test('text from others cannot control the terminal', () => {
    expect(harmless('a\u001b[2Jb\u0007c\u202ed\n\te')).toBe('a[2Jbcd\n\te');
  });
});

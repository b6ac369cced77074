import { Failure, type Next, type Step, toolsOf, type User } from '@millrace/kernel';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Levels, levelGuard } from '../../toolsets/flowmind/teaching/levels.ts';
import { OWNER, testCatalog, user } from '../harness/catalog.ts';
import { plainWire } from '../harness/plain-wire.ts';
import { verifies } from '../requirements.ts';

const hints = { title: 'Test', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const tool = toolsOf<{ seen: string[] }>();

function toolset(...tools: ReturnType<typeof tool>[]) {
  return { name: 'test', title: 'Test', instructions: '', tools, wire: plainWire, services: { seen: [] as string[] } };
}

const echo = tool({
  name: 'echo',
  description: 'Answers what it was given',
  said: [],
  access: 'read',
  annotations: hints,
  input: z.strictObject({ text: z.string().max(10), options: z.strictObject({ loud: z.boolean() }).optional() }),
  output: z.object({ text: z.string(), user: z.string() }),
  run: ({ text }, { user }) => ({ text, user: user.id }),
});

describe('a step', () => {
  test('that forgets to return next() does not compile', () => {
    // @ts-expect-error nothing proves that the rest of the pipeline ran
    const forgetful: Step = async (_invocation, next: Next) => {
      await next();
    };
    expect(forgetful).toBeTypeOf('function');
  });
});

describe('a call', () => {
  test('passes input and user to the handler and its result to the wire', async () => {
    const { call, rows } = testCatalog([toolset(echo)]);
    const reply = await call('echo', { text: 'hi' }, user('u1'));
    expect(reply).toEqual({ structured: { text: 'hi', user: 'u1' }, text: '{"text":"hi","user":"u1"}', isError: false });
    expect(rows).toMatchObject([
      {
        tool: 'echo',
        userId: 'u1',
        status: 'success',
        parameters: { text: 'hi' },
        result: { text: 'hi' },
        errorCode: null,
        messageId: null,
        parentId: null,
      },
    ]);
  });

  verifies(
    ['kernel-unknown-argument', 'kernel-validation-envelope'],
    'with an unknown argument names it and the nearest known one',
    async () => {
      const { call, rows } = testCatalog([toolset(echo)]);
      const reply = await call('echo', { text: 'hi', optoins: {} });
      expect(reply.isError).toBe(true);
      expect(reply.failure?.message).toBe('Unknown argument "optoins". Did you mean "options"?');
      expect(reply.failure?.details).toMatchObject({ field: 'optoins', constraint: 'unknown' });
      expect(rows).toMatchObject([{ status: 'failure', errorCode: 'invalid_input' }]);
      expect((await call('echo', { text: 'hi', options: { loud: true, quiet: 1 } })).failure?.message).toContain('"options.quiet"');
      expect((await call('echo', JSON.parse('{"text":"hi","__proto__":{"a":1}}'))).isError).toBe(true);
    },
  );

  test('without a required argument says which', async () => {
    const { call } = testCatalog([toolset(echo)]);
    expect((await call('echo', {})).failure).toMatchObject({
      message: 'text is required',
      details: { field: 'text', value: null, constraint: 'required' },
    });
    expect((await call('echo', { text: 'x'.repeat(11) })).failure).toMatchObject({ details: { field: 'text', constraint: 'maxLength' } });
    expect((await call('echo', [])).failure?.message).toBe('Arguments must be an object');
  });

  verifies(
    'kernel-internal-error',
    'that fails unexpectedly answers with an id that finds the logged cause, and nothing internal',
    async () => {
      const broken = tool({
        ...echo,
        name: 'broken',
        run: () => {
          throw new Error('secret path /etc/x');
        },
      });
      const { call, logged, rows } = testCatalog([toolset(broken)]);
      const reply = await call('broken', { text: 'hi' });
      expect(reply.text).not.toContain('secret');
      expect(reply.failure).toMatchObject({ code: 'internal', message: 'Internal error' });
      expect(logged).toMatchObject([
        { level: 'error', details: { id: reply.failure?.details.id, err: { message: 'secret path /etc/x' } } },
      ]);
      expect(rows).toMatchObject([{ id: reply.failure?.details.id, errorCode: 'internal', result: { error: 'Internal error' } }]);
    },
  );

  verifies(['kernel-cancel', 'todo-deadline'], 'is aborted at its deadline, and the work sees it', async () => {
    let stopped: unknown;
    const slow = tool({
      ...echo,
      name: 'slow',
      deadlineMs: 30,
      run: (_input, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            stopped = signal.reason;
            reject(signal.reason);
          }),
        ),
    });
    const { call } = testCatalog([toolset(slow)]);
    expect((await call('slow', { text: 'x' })).failure).toMatchObject({ code: 'timeout' });
    expect(stopped).toBeInstanceOf(Failure);
  });

  test('is answered at its deadline even when the work does not stop', async () => {
    const deaf = tool({ ...echo, name: 'deaf', deadlineMs: 20, run: () => new Promise<never>(() => {}) });
    expect((await testCatalog([toolset(deaf)]).call('deaf', { text: 'x' })).failure?.code).toBe('timeout');
  });

  test('is aborted with the client', async () => {
    const client = new AbortController();
    const waiting = tool({ ...echo, name: 'waiting', run: () => new Promise<never>(() => {}) });
    const reply = testCatalog([toolset(waiting)]).call('waiting', { text: 'x' }, OWNER, { signal: client.signal });
    client.abort();
    expect((await reply).failure?.code).toBe('cancelled');
  });

  test('of an unknown tool offers the nearest and is recorded', async () => {
    const { call, rows } = testCatalog([toolset(echo)]);
    expect((await call('ehco')).failure).toMatchObject({ code: 'unknown_tool', details: { nearest: ['echo'] } });
    expect(rows).toMatchObject([{ tool: 'ehco', status: 'failure', errorCode: 'unknown_tool', userId: 'owner' }]);
  });

  test('deeper than anyone needs is refused', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100; level++) deep = { deep };
    expect((await testCatalog([toolset(echo)]).call('echo', { text: 'x', options: deep })).failure?.message).toContain('nested');
  });
});

describe('a read-only server', () => {
  verifies('kernel-read-only', 'hides and refuses writes', async () => {
    const write = tool({ ...echo, name: 'write', access: 'write' });
    const { catalog, call } = testCatalog([toolset(echo, write)], { selection: { readOnly: true } });
    expect(catalog.entries().map((entry) => entry.tool.name)).toEqual(['echo']);
    expect((await call('write', { text: 'x' })).failure?.code).toBe('unknown_tool');
  });
});

describe('a call made by another call', () => {
  verifies('kernel-inner-calls', 'passes every step but the rate limit, as the same user', async () => {
    const limited = tool({ ...echo, name: 'limited', limits: { perMinute: 1 } });
    const outer = tool({
      ...echo,
      name: 'outer',
      async run(_input, call) {
        const reply = await call.callTool('limited', { text: 'in' });
        const refused = await call.callTool('limited', { text: 1 });
        return { text: `${JSON.stringify(reply.structured)} ${refused.failure?.code}`, user: call.user.id };
      },
    });
    const entered: string[] = [];
    const limiter = {
      async enter(_user: string, name: string) {
        entered.push(name);
        return () => {};
      },
    };
    const { call, rows } = testCatalog([toolset(limited, outer)], { ports: { limiter } });
    const reply = await call('outer', { text: 'x' }, user('u7'));
    expect(reply.structured).toEqual({ text: '{"text":"in","user":"u7"} invalid_input', user: 'u7' });
    expect(entered).toEqual([]);
    const parent = rows.find((row) => row.tool === 'outer');
    expect(rows.filter((row) => row.tool === 'limited')).toMatchObject([
      { parentId: parent?.id, userId: 'u7', status: 'success' },
      { parentId: parent?.id, userId: 'u7', status: 'failure' },
    ]);
    await call('limited', { text: 'x' });
    expect(entered).toEqual(['limited']);
  });
});

describe('a level', () => {
  test('that is too low locks the tool and says what opens it', async () => {
    const levels = { levelOf: ({ level }: User) => level, unlockHint: () => 'Make 3 more calls' } as unknown as Levels;
    const high = { ...tool({ ...echo, name: 'high' }), level: 'advanced' };
    const { call } = testCatalog([{ ...toolset(high), guards: [levelGuard(levels)] }]);
    expect((await call('high', { text: 'x' }, user('u1'))).failure).toMatchObject({
      code: 'locked',
      fix: { instruction: 'Make 3 more calls' },
    });
    expect((await call('high', { text: 'x' }, user('u2', 'advanced'))).isError).toBe(false);
  });
});

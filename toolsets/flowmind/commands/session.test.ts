import type { Command, Terminal } from '@millrace/kernel';
import { expect, test } from 'vitest';
import { flowmind } from '../testing/fixture.ts';
import type { FlowmindServices } from '../tool.ts';
import { sessionCancel, sessionList, sessionTrace } from './session.ts';

async function said(
  command: Command<FlowmindServices>,
  services: FlowmindServices,
  positionals: string[],
  values: Record<string, string | boolean> = {},
) {
  const out: string[] = [];
  const terminal: Terminal = {
    program: 'millrace',
    out: (text) => out.push(text),
    say: (text) => out.push(text),
    status: () => {},
    progress: () => () => {},
    interactive: false,
    columns: 80,
    signal: new AbortController().signal,
  };
  return { code: await command.run({ positionals, values }, terminal, services), out };
}

test('sessions are listed, traced and cancelled', async () => {
  const { run, services } = await flowmind({ contexts: ['{metadata: {id: think, description: x}, flow: [{step: Think}]}'] });
  expect(await said(sessionList, services, [])).toEqual({ code: 0, out: ['There are no sessions'] });
  const { session_id: id } = await run('workflow://think');
  const listed = await said(sessionList, services, [], { open: true });
  expect(listed.out).toEqual([expect.stringMatching(new RegExp(`^${id} .* awaiting_step \\(step\\)  0 steps  owner  workflow://think$`))]);
  expect(
    JSON.parse((await said(sessionList, services, [], { json: true, status: 'awaiting_step', user: 'owner' })).out[0] ?? ''),
  ).toMatchObject([{ id }]);
  expect((await said(sessionList, services, [], { user: 'bob' })).out).toEqual(['There are no sessions']);
  expect((await said(sessionList, services, [], { limit: 'x' })).code).toBe(2);

  const traced = await said(sessionTrace, services, [id]);
  expect(traced.out[0]).toContain('workflow://think  awaiting_step (step)');
  expect(traced.out.slice(1)).toEqual([expect.stringContaining('started'), expect.stringContaining('asked')]);
  expect(JSON.parse((await said(sessionTrace, services, [id], { json: true })).out[0] ?? '')).toHaveLength(2);

  expect(await said(sessionCancel, services, [id])).toEqual({ code: 0, out: [`${id} is cancelled`] });
  expect((await said(sessionList, services, [], { open: true })).out).toEqual(['There are no sessions']);
});

test('a session that does not exist, or is not named, is reported', async () => {
  const { services } = await flowmind();
  for (const command of [sessionTrace, sessionCancel]) {
    expect(await said(command, services, ['none'])).toEqual({ code: 1, out: ['There is no session none'] });
    expect((await said(command, services, [])).code).toBe(2);
  }
});

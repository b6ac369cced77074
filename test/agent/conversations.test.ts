import type { Agent } from '@millrace/agent';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { onEachPlace, type Place, TestClock } from '../harness/databases.ts';
import { OWNER, user } from '../harness/millrace.ts';
import { type StandIn, standIn } from '../harness/openai-stand-in.ts';
import { type Stage, stage } from './stage.ts';

const MAX_MESSAGE = 20_000;

let clock = new TestClock();
let opened: Stage[] = [];

/** As a process would open it; several share one database. */
async function agentOn(place: Place, model?: StandIn): Promise<Agent> {
  const where = place.dialect === 'sqlite' ? { folder: place.folder } : { environment: { DATABASE_URL: place.databaseUrl } };
  const scene = await stage({ clock, ...where, ...(model && { model }) });
  opened.push(scene);
  return scene.agent;
}

onEachPlace('conversations', (place) => {
  afterEach(async () => {
    await Promise.all(opened.map((scene) => scene.close()));
    opened = [];
    clock = new TestClock();
  });

  test('are kept with what was said and done, and continue in another process', async () => {
    const first = await agentOn(place());
    const { conversation, message } = await first.turn({ user: OWNER, message: 'add milk' });
    clock.advance(60_000);
    const second = await agentOn(place());
    const result = await second.turn({ user: OWNER, conversation, message: 'make it urgent' });
    expect(result.reply).toContain('its priority is now high');
    const kept = await first.conversation(OWNER, conversation);
    expect(kept.conversation).toMatchObject({ id: conversation, title: 'add milk' });
    expect(kept.messages.map(({ role, text, status }) => [role, text, status])).toEqual([
      ['user', 'add milk', 'done'],
      ['assistant', 'Added "Milk".', 'done'],
      ['user', 'make it urgent', 'done'],
      ['assistant', result.reply, 'done'],
    ]);
    expect(kept.messages[1]).toMatchObject({
      id: message,
      calls: [{ tool: 'create_todo', parameters: { title: 'Milk' }, status: 'success' }],
    });
  });

  test('are listed page by page, the latest first, and belong to their user', async () => {
    const agent = await agentOn(place());
    for (const text of ['hello', 'thanks', 'help', 'bye', 'who are you']) {
      clock.advance(1_000);
      await agent.turn({ user: OWNER, message: text });
    }
    const first = await agent.conversations(OWNER, { limit: 3 });
    const second = await agent.conversations(OWNER, { limit: 3, after: first.next });
    expect([...first.conversations, ...second.conversations].map(({ title }) => title)).toEqual([
      'who are you',
      'bye',
      'help',
      'thanks',
      'hello',
    ]);
    expect(second.next).toBeUndefined();
    const eve = user('eve');
    expect((await agent.conversations(eve, { limit: 3 })).conversations).toEqual([]);
    const [own] = first.conversations;
    await expect(agent.conversation(eve, own?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await expect(agent.turn({ user: eve, conversation: own?.id, message: 'hello' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await agent.lastSaid(OWNER, 2)).toEqual(['who are you', 'bye']);
  });

  test('refuse a second turn at once kindly, in the same process and in another one', async () => {
    const gate = Promise.withResolvers<void>();
    const endpoint = await standIn();
    onTestFinished(() => endpoint.close());
    endpoint.will({ after: gate.promise, text: 'Milk it is.' });
    const first = await agentOn(place(), endpoint);
    const started = Promise.withResolvers<string>();
    const turn = first.turn(
      { user: OWNER, message: 'add milk' },
      (event) => event.type === 'started' && started.resolve(event.conversation),
    );
    const conversation = await started.promise;
    const second = await agentOn(place());
    for (const agent of [first, second]) {
      await expect(agent.turn({ user: OWNER, conversation, message: 'add bread' })).rejects.toMatchObject({
        code: 'conflict',
        message: 'I am still answering in this conversation',
        fix: { instruction: expect.stringContaining('Wait') },
      });
    }
    gate.resolve();
    expect((await turn).status).toBe('done');
    expect((await second.turn({ user: OWNER, conversation, message: 'add bread' })).status).toBe('done');
    expect((await second.conversation(OWNER, conversation)).messages).toHaveLength(4);
  });

  test('can be cancelled, and tried again', async () => {
    const agent = await agentOn(place());
    const stop = new AbortController();
    stop.abort();
    const cancelled = await agent.turn({ user: OWNER, message: 'add milk', signal: stop.signal });
    expect(cancelled).toMatchObject({ status: 'cancelled', toolCalls: [] });
    const again = await agent.turn({ user: OWNER, conversation: cancelled.conversation });
    expect(again).toMatchObject({ status: 'done', reply: 'Added "Milk".', message: cancelled.message });
    await expect(agent.turn({ user: OWNER, conversation: cancelled.conversation })).rejects.toMatchObject({
      message: expect.stringContaining('nothing to try again'),
    });
    await expect(agent.turn({ user: OWNER })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('take no empty message and none of a megabyte, and lose nothing', async () => {
    const agent = await agentOn(place());
    const { conversation } = await agent.turn({ user: OWNER, message: 'add milk' });
    for (const message of ['', '  \n ', '\0']) {
      await expect(agent.turn({ user: OWNER, conversation, message })).rejects.toMatchObject({
        code: 'invalid_input',
        message: 'The message is empty',
      });
    }
    await expect(agent.turn({ user: OWNER, conversation, message: 'x'.repeat(1024 * 1024) })).rejects.toMatchObject({
      message: `The message has 1048576 characters; I can read ${MAX_MESSAGE}`,
    });
    expect((await agent.turn({ user: OWNER, conversation, message: `add ${'very '.repeat(3_000)}long` })).reply).toContain('smaller parts');
    const list = Array.from({ length: 60 }, (_, index) => `- ${'a rather long errand '.repeat(4)}number ${index + 1}`).join('\n');
    expect(list.length).toBeGreaterThan(5_000);
    const added = await agent.turn({ user: OWNER, conversation, message: `things to do:\n${list}` });
    expect(added.toolCalls.filter(({ tool, status }) => tool === 'create_todo' && status === 'success')).toHaveLength(60);
    expect((await agent.turn({ user: OWNER, conversation, message: 'undo' })).status).toBe('done');
    expect((await agent.turn({ user: OWNER, conversation, message: 'half a character \ud800 and \0 null' })).status).toBe('done');
    expect((await agent.turn({ user: OWNER, conversation, message: 'show my todos' })).reply).toContain('1. Milk');
  });
});

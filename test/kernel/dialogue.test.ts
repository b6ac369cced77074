import { toolsOf } from '@millrace/kernel';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OWNER, testCatalog } from '../harness/catalog.ts';
import { plainWire } from '../harness/plain-wire.ts';

const BOB = { ...OWNER, id: 'bob', name: 'Bob', owner: false };

function asking() {
  const effects: string[] = [];
  const tool = toolsOf<{ effects: string[] }>();
  const order = tool({
    name: 'order',
    description: 'Reserves, asks, then orders',
    said: [],
    access: 'write',
    annotations: { title: 'Order', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    asks: true,
    input: z.strictObject({ item: z.string() }),
    output: z.object({ ordered: z.string(), size: z.string() }),
    async run({ item }, { ask, once, services }) {
      const reserved = await once('reserve', () => {
        services.effects.push(`reserve ${item}`);
        return { number: services.effects.length };
      });
      const { size } = await ask(`Which size of ${item}?`, z.object({ size: z.enum(['S', 'M']) }));
      await once('order', () => void services.effects.push(`order ${item} ${size} ${reserved.number}`));
      return { ordered: item, size };
    },
  });
  const services = { effects };
  return { effects, ...testCatalog([{ name: 'shop', title: 'Shop', instructions: '', tools: [order], wire: plainWire, services }]) };
}

describe('a tool that asks', () => {
  test('answers with the question first, then does each effect once', async () => {
    const { call, effects } = asking();
    const first = await call('order', { item: 'shirt' });
    expect(first).toMatchObject({ isError: false, question: { question: { text: 'Which size of shirt?' } } });
    expect(first.structured).toMatchObject({ error: { code: 'answer_needed', details: { question: 'Which size of shirt?' } } });
    const id = first.question?.question.id as string;
    const done = await call('order', { item: 'shirt', answer: { question_id: id, value: { size: 'M' } } });
    expect(done.structured).toEqual({ ordered: 'shirt', size: 'M' });
    expect(effects).toEqual(['reserve shirt', 'order shirt M 1']);
  });

  test('continues by its pending id, and gives the same reply to an answer sent twice', async () => {
    const { call, effects } = asking();
    const { question } = await call('order', { item: 'shirt' });
    const origin = {
      pendingId: question?.pendingId as string,
      answers: { [question?.question.id as string]: { action: 'accept' as const, value: { size: 'S' } } },
    };
    const once = await call('order', { item: 'shirt' }, OWNER, origin);
    const twice = await call('order', { item: 'shirt' }, OWNER, origin);
    expect(twice.structured).toEqual(once.structured);
    expect(effects).toHaveLength(2);
  });

  test('takes an answer only for a question that was asked, of this call and this user', async () => {
    const { call, effects } = asking();
    const answer = (question_id: unknown) => ({ item: 'shirt', answer: { question_id, value: { size: 'M' } } });
    const { question } = await call('order', { item: 'coat' });
    const ofCoat = question?.question.id as string;
    for (const guessed of ['q1-3702a4cc', 'q1', '', `q1-${crypto.randomUUID()}-3702a4cc`])
      expect((await call('order', answer(guessed))).failure, guessed).toMatchObject({ code: 'not_found' });
    expect((await call('order', answer(ofCoat))).failure).toMatchObject({ code: 'conflict' });
    expect((await call('order', { ...answer(ofCoat), item: 'coat' }, BOB)).failure).toMatchObject({
      code: 'not_found',
    });
    expect(effects).toEqual(['reserve coat']);
  });

  test('answered among its arguments twice does everything once; another answer is refused', async () => {
    const { call, effects } = asking();
    const { question } = await call('order', { item: 'shirt' });
    const answer = (size: string) => ({ item: 'shirt', answer: { question_id: question?.question.id, value: { size } } });
    const replies = [await call('order', answer('M')), await call('order', answer('M')), await call('order', answer('M'))];
    for (const reply of replies) expect(reply.structured).toEqual({ ordered: 'shirt', size: 'M' });
    expect((await call('order', answer('S'))).failure).toMatchObject({ code: 'conflict' });
    expect(effects).toEqual(['reserve shirt', 'order shirt M 1']);
  });

  test('takes no answer from the arguments where the client can ask a person', async () => {
    const { call, effects } = asking();
    const { question } = await call('order', { item: 'shirt' }, OWNER, { canAsk: true });
    const parameters = { item: 'shirt', answer: { question_id: question?.question.id, value: { size: 'M' } } };
    expect((await call('order', parameters, OWNER, { canAsk: true })).failure).toMatchObject({
      code: 'invalid_input',
      fix: { instruction: 'Call the tool again without answer: the person will be asked' },
    });
    expect(effects).toEqual(['reserve shirt']);
  });

  test('asks again after a wrong answer, with its first effect kept', async () => {
    const { call, effects } = asking();
    const { question } = await call('order', { item: 'shirt' });
    const wrong = await call('order', { item: 'shirt', answer: { question_id: question?.question.id, value: { size: 'XXL' } } });
    expect(wrong.failure).toMatchObject({ code: 'invalid_input' });
    expect(effects).toEqual(['reserve shirt']);
    expect((await call('order', { item: 'shirt' })).question).toBeDefined();
    expect(effects).toEqual(['reserve shirt']);
  });

  test('does nothing more when the person declines, and starts afresh the next time', async () => {
    const { call, effects } = asking();
    const { question } = await call('order', { item: 'shirt' });
    const origin = {
      pendingId: question?.pendingId as string,
      answers: { [question?.question.id as string]: { action: 'decline' as const } },
    };
    expect((await call('order', { item: 'shirt' }, OWNER, origin)).failure?.code).toBe('cancelled');
    expect(effects).toEqual(['reserve shirt']);
    await call('order', { item: 'shirt' });
    expect(effects).toEqual(['reserve shirt', 'reserve shirt']);
  });

  test('advertises the answer argument and refuses a malformed one', async () => {
    const { catalog, call } = asking();
    expect(Object.keys(catalog.find('order')?.inputSchema.properties as object)).toEqual(['item', 'answer']);
    expect((await call('order', { item: 'x', answer: 'M' })).failure?.message).toBe('answer must be {question_id, value}');
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { user } from '../harness/millrace.ts';
import { type Stage, stage } from './stage.ts';

let scene: Stage;
beforeAll(async () => {
  scene = await stage();
});
afterAll(() => scene.close());

test.each([
  ['add "buy milk" for friday, purple', 'purple'],
  ['add "buy milk" to my todos for friday, whatever that means', 'whatever that means'],
  ['add "buy milk" to my todos because we are out, high priority', 'because we are out'],
  ['create a todo: "buy milk", for friday, high priority, in green ink', 'in green ink'],
  ['add "buy milk" for friday, high priority, low priority', 'low priority'],
])('what means nothing after a quoted title is named in the reply: %s', async (text, unused) => {
  const { reply, toolCalls } = await scene.say(text, user(text));
  expect(reply).toMatch(/^Added "buy milk"/);
  expect(reply).toContain(`I didn't understand "${unused}", so I left it out.`);
  expect((await scene.todos(user(text))).map(({ title }) => title)).toEqual(['buy milk']);
  expect(toolCalls[0]?.parameters).not.toHaveProperty('unused');
});

test('what means nothing is also named after the question whether to add it', async () => {
  const { reply: question } = await scene.say('"buy milk" for friday, purple', user('asked'));
  expect(question).toContain('Should I add "buy milk" to your todos?');
  const { reply } = await scene.say('yes', user('asked'));
  expect(reply).toContain(`I didn't understand "purple", so I left it out.`);
});

test.each(['add "buy milk" for friday, high priority, tagged shop', 'Add "buy milk" to my todos, please', 'add "buy milk", thanks!'])(
  'what was understood is not: %s',
  async (text) => {
    expect((await scene.say(text, user(text))).reply).not.toContain("didn't understand");
  },
);

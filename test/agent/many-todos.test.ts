import { afterAll, beforeAll, expect, test } from 'vitest';
import { user } from '../harness/millrace.ts';
import { type Stage, stage } from './stage.ts';

const MANY = 500;
const PATIENCE_MS = 120_000;

let scene: Stage;
beforeAll(async () => {
  scene = await stage();
});
afterAll(() => scene.close());

const description = 'Ask twice, write down who answered, and file the answer where the others find it.';

async function manyTodos(name: string): Promise<void> {
  const todos = Array.from({ length: MANY }, (_, index) => ({ title: `Call customer ${index + 1}`, description, tags: ['calls'] }));
  for (let first = 0; first < MANY; first += 100) await scene.addFor(user(name), ...todos.slice(first, first + 100));
}

const open = async (name: string) => (await scene.todos(user(name))).filter(({ status }) => status === 'open').map(({ title }) => title);

test(
  'one of five hundred todos is marked as done by its name',
  async () => {
    await manyTodos('marker');
    const { reply } = await scene.say('mark "Call customer 7" as done', user('marker'));
    expect(reply).toContain('Call customer 7');
    const left = await open('marker');
    expect(left).toHaveLength(MANY - 1);
    expect(left).not.toContain('Call customer 7');
  },
  PATIENCE_MS,
);

test(
  'numbers count on beyond the part of a list that was shown',
  async () => {
    await manyTodos('counter');
    await scene.say('show my todos', user('counter'));
    const { reply } = await scene.say('delete todo 4-99', user('counter'));
    expect(reply).toContain('Should I delete these 96?');
    expect(reply).toContain('(and 76 more)');
    await scene.say('yes', user('counter'));
    const left = await open('counter');
    expect(left).toHaveLength(MANY - 96);
    expect(left).toContain(`Call customer ${MANY - 2}`);
    expect(left).not.toContain(`Call customer ${MANY - 3}`);
    expect(left).toContain(`Call customer ${MANY - 99}`);
  },
  PATIENCE_MS,
);

test(
  'five hundred todos are deleted at once, and brought back',
  async () => {
    await manyTodos('cleaner');
    const { reply } = await scene.say('delete everything', user('cleaner'));
    expect(reply).toContain(`Should I delete these ${MANY}?`);
    expect(reply).toContain('(and 480 more)');
    await scene.say('yes', user('cleaner'));
    expect(await open('cleaner')).toEqual([]);
    await scene.say('undo', user('cleaner'));
    expect(await open('cleaner')).toHaveLength(MANY);
  },
  PATIENCE_MS,
);

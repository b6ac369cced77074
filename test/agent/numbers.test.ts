import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user } from '../harness/millrace.ts';
import { type Stage, stage } from './stage.ts';

let scene: Stage;
beforeAll(async () => {
  scene = await stage();
});
afterAll(() => scene.close());

const HOUSEHOLD = [
  { title: 'Pay rent', priority: 'high' },
  { title: 'Book flights', priority: 'high' },
  { title: 'Renew passport', priority: 'high' },
  { title: 'Buy milk', due: '2026-01-05' },
  { title: 'Call mom', due: '2026-01-05' },
  { title: 'Water the plants' },
  { title: 'Clean the kitchen', status: 'completed' },
];

async function moveIn(name: string): Promise<(text: string) => Promise<string>> {
  await scene.addFor(user(name), ...HOUSEHOLD);
  return async (text) => (await scene.say(text, user(name))).reply;
}

const gone = async (name: string) =>
  (await scene.todos(user(name))).filter(({ status }) => status === 'archived').map(({ title }) => title);

describe('a number means the list that was last shown with numbers', () => {
  test.each([
    ['a count', 'how many todos do I have?', 'You have 6 open todos.'],
    ['a count of some', 'how many overdue todos are there', 'You have 2 overdue todos.'],
    ['a count of one', 'how many done todos do I have?', 'You have one completed todo.'],
    ['a count of none', 'how many todos are tagged garden?', 'You have no open todos tagged #garden.'],
    ['an empty list', 'show my deleted todos', 'You have no deleted todos.'],
    ['a question about one', 'when is call mom due?', '"Call mom" is due'],
    ['a question to confirm', 'is buy milk done?', 'Should I mark "Buy milk" as done?'],
    ['a change', 'make call mom low priority', 'Call mom'],
    ['an addition', 'add order a cake and sweep the porch', 'Added "Order a cake" and "Sweep the porch".'],
    ['a search that finds nothing', 'mark the tax return as done', 'I found no todo'],
    ['small talk', 'thanks', ''],
    ['words that nobody understands', 'what is the capital of France?', ''],
  ])('after %s', async (kind, between, answer) => {
    const say = await moveIn(kind);
    expect(await say('show high priority')).toContain('2. Book flights');
    const reply = await say(between);
    expect(reply).toContain(answer);
    expect(reply).not.toMatch(/^\d\. /m);
    await say('delete number 2');
    expect(await gone(kind)).toEqual(['Book flights']);
  });

  test('a count without any list before it has no number 2', async () => {
    const say = await moveIn('no list');
    await say('how many todos do I have?');
    expect(await say('delete number 2')).toMatch(/^Which one should I delete\?\n1\. /);
    expect(await gone('no list')).toEqual([]);
  });

  test('"them" after a count means what was counted', async () => {
    const say = await moveIn('them');
    await say('show high priority');
    await say('how many overdue todos are there');
    expect(await say('delete them')).toMatch(/^Should I delete these 2\?\n1\. (?:Call mom|Buy milk)/);
    await say('yes');
    expect((await gone('them')).sort()).toEqual(['Buy milk', 'Call mom']);
  });

  test('"them" after an empty list means nothing that was shown before it', async () => {
    const say = await moveIn('nothing');
    await say('show high priority');
    await say('show my deleted todos');
    await say('mark them as done');
    expect((await scene.todos(user('nothing'))).filter(({ status }) => status === 'completed')).toHaveLength(1);
  });

  test('"more" after a count continues the list that was shown', async () => {
    await scene.addFor(user('pages'), ...Array.from({ length: 30 }, (_, index) => `Letter ${index + 1}`));
    await scene.addFor(user('pages'), { title: 'Old bill', due: '2026-01-05' });
    await scene.say('show my todos', user('pages'));
    await scene.say('how many overdue todos are there', user('pages'));
    expect((await scene.say('more', user('pages'))).reply).toMatch(/^21\. Letter 11\n/);
  });

  test('a question that lists todos replaces the list', async () => {
    const say = await moveIn('asked');
    await say('show high priority');
    const [, second] = /\n2\. ([^(\n]+?)(?: \(|\n|$)/.exec(await say('delete all overdue todos')) ?? [];
    await say('delete number 2');
    expect(await gone('asked')).toEqual([second]);
  });

  test('what to do next replaces it too', async () => {
    const say = await moveIn('next');
    await say('show high priority');
    const [, second] = /\n2\. ([^(\n]+?)(?: \(|\n|$)/.exec(await say('what should I do next?')) ?? [];
    await say('delete number 2');
    expect(await gone('next')).toEqual([second]);
  });
});

describe('a title that looks like a number in the list', () => {
  test.each(['complete task 137', 'mark task 137 as done', 'task 137 is done', 'finish Task 137', 'check off task 137'])(
    'wins over the number: %s',
    async (text) => {
      await scene.addFor(user(text), 'Task 137', 'Task 138', 'Buy milk');
      await scene.say('show my todos', user(text));
      await scene.say(text, user(text));
      const done = (await scene.todos(user(text))).filter(({ status }) => status === 'completed').map(({ title }) => title);
      expect(done).toEqual(['Task 137']);
    },
  );

  test('also when it is a number that was shown, and for two of them', async () => {
    await scene.addFor(user('both'), 'Task 1', 'Task 2', 'Buy milk');
    await scene.say('show my todos', user('both'));
    await scene.say('mark task 1 and task 2 as done', user('both'));
    const done = (await scene.todos(user('both'))).filter(({ status }) => status === 'completed').map(({ title }) => title);
    expect(done).toEqual(['Task 1', 'Task 2']);
  });

  test('without such a title it is the number', async () => {
    await scene.addFor(user('plain'), 'Call 2', 'Task 22', 'Buy milk');
    await scene.say('show my todos', user('plain'));
    await scene.say('complete task 2', user('plain'));
    const done = (await scene.todos(user('plain'))).filter(({ status }) => status === 'completed').map(({ title }) => title);
    expect(done).toEqual(['Task 22']);
  });
});

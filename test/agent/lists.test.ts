import { afterAll, beforeAll, expect, test } from 'vitest';
import { user } from '../harness/millrace.ts';
import { type Stage, stage } from './stage.ts';

let scene: Stage;
beforeAll(async () => {
  scene = await stage();
});
afterAll(() => scene.close());

const titlesOf = async (name: string) => (await scene.todos(user(name))).map(({ title }) => title);

test('lines that are plainly todos are a list, the short ones among them too', async () => {
  await scene.say('fix the tap\nemail the report to Jonas\ngym\ncall aunt Martha\ndentist 3pm tuesday', user('paster'));
  expect(await titlesOf('paster')).toEqual(['Fix the tap', 'Email the report to Jonas', 'Gym', 'Call aunt Martha', 'Dentist']);
  await scene.say('undo', user('paster'));
  expect((await scene.todos(user('paster'))).every(({ status }) => status === 'archived')).toBe(true);
});

test('lines with orders among them are not a list', async () => {
  await scene.addFor(user('mixed'), 'Milk');
  await scene.say('add bread\ndelete milk\nadd tea', user('mixed'));
  const open = (await scene.todos(user('mixed'))).filter(({ status }) => status === 'open').map(({ title }) => title);
  expect(open).toEqual(['Bread', 'Tea']);
});

test('a hundred pasted lines are a hundred todos', async () => {
  await scene.say(Array.from({ length: 100 }, (_, number) => `call customer ${number}`).join('\n'), user('many'));
  expect(await titlesOf('many')).toHaveLength(100);
});

test('more orders than a turn can carry out are refused before the first', async () => {
  await scene.addFor(user('busy'), ...Array.from({ length: 20 }, (_, number) => `Letter ${number}`));
  const orders = Array.from({ length: 20 }, (_, number) => `rename letter ${number} to parcel ${number}.`).join(' ');
  const { reply } = await scene.say(orders, user('busy'));
  expect(reply).toContain('so I did none of them');
  expect((await titlesOf('busy')).every((title) => title.startsWith('Letter'))).toBe(true);
});

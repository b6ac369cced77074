import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user } from '../harness/catalog.ts';
import { comparable, outcomeOf } from './effects.ts';
import { PHRASINGS } from './phrasings.ts';
import { type Stage, stage } from './stage.ts';

let scene: Stage;
beforeAll(async () => {
  scene = await stage();
});
afterAll(() => scene.close());

test('there are many ways of saying it', () => {
  expect(PHRASINGS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(PHRASINGS.map(([say]) => String(say))).size).toBe(PHRASINGS.length);
});

describe('said without a language model, against the real store', () => {
  const named = PHRASINGS.map((phrasing, index) => ({ title: [phrasing[0]].flat().join(' → '), phrasing, index }));
  test.each(named)('$title', async ({ phrasing, index }) => {
    const [, ...wanted] = phrasing;
    const { effects, statuses } = await outcomeOf(phrasing, scene, user(`person-${index}`));
    expect(comparable(effects)).toEqual(comparable(wanted));
    expect(new Set(statuses)).toEqual(new Set(['done']));
  });
});

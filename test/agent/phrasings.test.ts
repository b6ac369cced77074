import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { user } from '../harness/millrace.ts';
import { comparable, outcomeOf } from './effects.ts';
import { HOUSE, PHRASINGS, type Phrasing } from './phrasings.ts';
import { COMPANY, COMPANY_PHRASINGS } from './phrasings-company.ts';
import { ERRANDS, ERRANDS_PHRASINGS } from './phrasings-errands.ts';
import { EVERYDAY, EVERYDAY_PHRASINGS } from './phrasings-everyday.ts';
import { FAMILY, FAMILY_PHRASINGS } from './phrasings-family.ts';
import { FLAT, FLAT_PHRASINGS } from './phrasings-flat.ts';
import { HOME_PHRASINGS } from './phrasings-home.ts';
import { HOSPITAL, HOSPITAL_PHRASINGS } from './phrasings-hospital.ts';
import { OFFICE, OFFICE_PHRASINGS } from './phrasings-office.ts';
import { QUOTED_PHRASINGS } from './phrasings-quoted.ts';
import { VILLAGE, VILLAGE_PHRASINGS } from './phrasings-village.ts';
import { type Stage, stage } from './stage.ts';

test('there are many ways of saying it', () => {
  expect(PHRASINGS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(PHRASINGS.map(([say]) => String(say))).size).toBe(PHRASINGS.length);
});

const WORLDS: { name: string; house: readonly object[]; phrasings: readonly Phrasing[] }[] = [
  { name: 'a house', house: HOUSE, phrasings: PHRASINGS },
  { name: 'the same house', house: HOUSE, phrasings: HOME_PHRASINGS },
  { name: 'quotes', house: HOUSE, phrasings: QUOTED_PHRASINGS },
  { name: 'an office', house: OFFICE, phrasings: OFFICE_PHRASINGS },
  { name: 'errands', house: ERRANDS, phrasings: ERRANDS_PHRASINGS },
  { name: 'a flat', house: FLAT, phrasings: FLAT_PHRASINGS },
  { name: 'a family', house: FAMILY, phrasings: FAMILY_PHRASINGS },
  { name: 'a company', house: COMPANY, phrasings: COMPANY_PHRASINGS },
  { name: 'a village', house: VILLAGE, phrasings: VILLAGE_PHRASINGS },
  { name: 'a hospital', house: HOSPITAL, phrasings: HOSPITAL_PHRASINGS },
  { name: 'everyday life', house: EVERYDAY, phrasings: EVERYDAY_PHRASINGS },
];

describe.each(WORLDS)('said in $name without a language model, against the real store', ({ name, house, phrasings }) => {
  let scene: Stage;
  beforeAll(async () => {
    scene = await stage();
  });
  afterAll(() => scene.close());

  const named = phrasings.map((phrasing, index) => ({ title: [phrasing[0]].flat().join(' → '), phrasing, index }));
  test.each(named)('$title', async ({ phrasing, index }) => {
    const [, ...wanted] = phrasing;
    const { effects, statuses } = await outcomeOf(phrasing, scene, user(`${name} ${index}`), house);
    expect(comparable(effects)).toEqual(comparable(wanted));
    expect(new Set(statuses)).toEqual(new Set(['done']));
  });
});

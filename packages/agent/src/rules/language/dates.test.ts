import { describe, expect, test } from 'vitest';
import { dueOf, takeDate, wholeMoment } from './dates.ts';

/** A Wednesday. */
const now = { instant: new Date('2026-01-07T12:00:00Z'), timeZone: 'UTC' };

describe('a date inside a sentence', () => {
  test.each([
    ['call mom tomorrow at 5pm', 'call mom', '2026-01-08T17:00'],
    ['call mom at 5 tomorrow', 'call mom', '2026-01-08T17:00'],
    ['buy milk friday', 'buy milk', '2026-01-09'],
    ['call dad next friday', 'call dad', '2026-01-16'],
    ['review it by thu', 'review it', '2026-01-08'],
    ['pay rent on the 1st', 'pay rent', '2026-02-01'],
    ['dentist on march 15 at 9:30', 'dentist', '2026-03-15T09:30'],
    ['meeting at 17:00 on friday', 'meeting', '2026-01-09T17:00'],
    ['finish it by end of the month', 'finish it', '2026-01-31'],
    ['call bob tonight', 'call bob', '2026-01-07T21:00'],
    ['wake up at 6am', 'wake up', '2026-01-08T06:00'],
    ['call mom in 2 hours', 'call mom', '2026-01-07T14:00:00.000Z'],
    ['clean up this weekend', 'clean up', '2026-01-10'],
    ['pay the bill by 1/20', 'pay the bill', '2026-01-20'],
    ['call the plumber first thing tomorrow', 'call the plumber', '2026-01-08'],
  ])('%s', (text, rest, due) => {
    const taken = takeDate(text, now);
    expect(taken.rest).toBe(rest);
    expect(taken.moment && dueOf(taken.moment, now)).toBe(due);
  });

  test.each([
    'submit the Friday report',
    "prepare for Monday's meeting",
    'read Tuesday newsletter',
    'buy 1/2 gallon of milk',
    'party friday or saturday',
    'lunch with May',
    'pay the 3rd invoice',
    'email Sam about friday',
  ])('%s has none', (text) => expect(takeDate(text, now)).toEqual({ rest: text, repeats: false }));

  test('what repeats is not one date', () => {
    expect(takeDate('water the plants every monday', now)).toEqual({ rest: 'water the plants every monday', repeats: true });
  });
});

test.each([
  ['monday', '2026-01-12'],
  ['to next week', '2026-01-14'],
  ['friday at 5', '2026-01-09T17:00'],
  ['the 20th', '2026-01-20'],
  ['sat', '2026-01-10'],
  ['high priority', undefined],
  ['february 30', undefined],
])('nothing but a date: %s', (text, due) => {
  const moment = wholeMoment(text, now);
  expect(moment && dueOf(moment, now)).toBe(due);
});

test('days are those of the person, wherever the server is', () => {
  const late = new Date('2026-01-07T23:30:00Z');
  const tomorrowIn = (timeZone: string) => dueOf(wholeMoment('tomorrow', { instant: late, timeZone }) ?? {}, { instant: late, timeZone });
  expect(tomorrowIn('Europe/Berlin')).toBe('2026-01-09');
  expect(tomorrowIn('America/New_York')).toBe('2026-01-08');
});

import { describe, expect, test } from 'vitest';
import { dueOf, takeDate, wholeMoment } from './dates.ts';
import { writtenTimes } from './spoken-times.ts';

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
    ['party friday week', 'party', '2026-01-16'],
    ['call a week on monday', 'call', '2026-01-19'],
    ['dentist fri 3pm', 'dentist', '2026-01-09T15:00'],
    ['call bob thurs', 'call bob', '2026-01-08'],
    ['finish the scarf before christmas eve', 'finish the scarf', '2026-12-24'],
    ['pay 14.01.2026', 'pay', '2026-01-14'],
    ['plan the trip mid february', 'plan the trip', '2026-02-15'],
    ['call jim on friday, jan 23rd at 4', 'call jim', '2026-01-23T16:00'],
    ['email them on the 3rd of next month', 'email them', '2026-02-03'],
    ['meeting tomorrow from 3 to 4pm', 'meeting', '2026-01-08T15:00'],
    ['take the pill at 8', 'take the pill', '2026-01-07T20:00'],
    ['take the pill at 08:00', 'take the pill', '2026-01-08T08:00'],
    ['do laundry in the next couple of days', 'do laundry', '2026-01-09'],
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
    'buy christmas presents',
    'lie in the sun',
    'pack lunch',
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

test.each([
  ['at half past three', 'at 3:30'],
  ['at quarter to five', 'at 4:45'],
  ['at ten past one', 'at 1:10'],
  ['at 6.30pm', 'at 6:30pm'],
  ['at seven pm', 'at 7pm'],
  ['at five thirty tomorrow', 'at 5:30 tomorrow'],
  ['in an hour and a half', 'in 90 minutes'],
  ['in forty five minutes', 'in 45 minutes'],
  ['in two weeks time', 'in 2 weeks'],
  ['the first of february', 'the 1st of february'],
  ['by the twenty third', 'by the 23rd'],
  ['by end of day friday', 'by friday'],
  ['buy two lemons', 'buy two lemons'],
  ['pick up the first aid kit', 'pick up the first aid kit'],
  ['the second one', 'the second one'],
])('%s is written %s', (spoken, written) => expect(writtenTimes(spoken)).toBe(written));

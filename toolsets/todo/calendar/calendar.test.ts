import { describe, expect, test } from 'vitest';
import { Calendar } from './calendar.ts';

/** Sunday, 10:30 in London, 11:30 in Berlin. */
const NOW = new Date('2026-01-04T10:30:00Z');
const at = (now: Date, timeZone = 'Europe/Berlin') => new Calendar({ now: () => now }, timeZone);

describe('reading', () => {
  test.each([
    ['friday 5pm', '2026-01-09T16:00:00.000Z'],
    ['by friday 5pm', '2026-01-09T16:00:00.000Z'],
    ['Friday at 17:30', '2026-01-09T16:30:00.000Z'],
    ['friday', '2026-01-09T22:59:59.000Z'],
    ['sunday', '2026-01-11T22:59:59.000Z'],
    ['today', '2026-01-04T22:59:59.000Z'],
    ['tomorrow', '2026-01-05T22:59:59.000Z'],
    ['tomorrow morning', '2026-01-05T08:00:00.000Z'],
    ['tonight', '2026-01-04T20:00:00.000Z'],
    ['tomorrow at noon', '2026-01-05T11:00:00.000Z'],
    ['9am', '2026-01-05T08:00:00.000Z'],
    ['in 2 hours', '2026-01-04T12:30:00.000Z'],
    ['in 3 days', '2026-01-07T22:59:59.000Z'],
    ['next monday at 9', '2026-01-05T08:00:00.000Z'],
    ['15 march', '2026-03-15T22:59:59.000Z'],
    ['jan 3', '2027-01-03T22:59:59.000Z'],
    ['friday 5pm EST', '2026-01-09T22:00:00.000Z'],
    ['2026-01-09', '2026-01-09T22:59:59.000Z'],
    ['2026-01-09T17:00', '2026-01-09T16:00:00.000Z'],
    ['2026-01-09 17:00:30', '2026-01-09T16:00:30.000Z'],
    ['2026-01-09T17:00:00Z', '2026-01-09T17:00:00.000Z'],
    ['2026-01-09T17:00:00.000+0200', '2026-01-09T15:00:00.000Z'],
    ['2020-02-29', '2020-02-29T22:59:59.000Z'],
  ])('%s', async (text, expected) => {
    expect((await at(NOW).read(text, 'due')).toISOString()).toBe(expected);
  });

  test.each([
    'next banana',
    'soon',
    'friday or saturday',
    'monday - friday',
    'buy milk friday',
    '2026-02-30',
    '0000-01-01',
    '1969-12-30',
    'in 999999 weeks',
    '2026-13-01',
    '2026-01-09T25:00',
    '17',
    '!',
  ])('refuses %s with words that help', async (text) => {
    await expect(at(NOW).read(text, 'due')).rejects.toMatchObject({
      code: 'invalid_input',
      message: `"${text}" is not a date I understand. Try "friday 5pm", "tomorrow" or "2026-03-01"`,
      details: { field: 'due' },
    });
  });

  test('keeps the hour over a change to summer time', async () => {
    const before = new Date('2026-03-27T12:00:00Z');
    expect((await at(before).read('next monday at 9', 'due')).toISOString()).toBe('2026-03-30T07:00:00.000Z');
    expect((await at(before, 'America/New_York').read('monday 9am', 'due')).toISOString()).toBe('2026-03-30T13:00:00.000Z');
  });

  test('does not depend on the time zone of the machine', async () => {
    expect((await at(NOW, 'Asia/Tokyo').read('friday 5pm', 'due')).toISOString()).toBe('2026-01-09T08:00:00.000Z');
    expect((await at(NOW, 'Asia/Kathmandu').read('2026-01-09', 'due')).toISOString()).toBe('2026-01-09T18:14:59.000Z');
  });
});

describe('saying', () => {
  test.each([
    ['2026-01-04T16:00:00Z', 'today at 5 pm'],
    ['2026-01-04T22:59:59Z', 'today'],
    ['2026-01-05T08:30:00Z', 'tomorrow at 9:30 am'],
    ['2026-01-03T11:00:00Z', 'yesterday at noon'],
    ['2026-01-09T16:00:00Z', 'Friday at 5 pm'],
    ['2026-01-10T22:59:59Z', 'Saturday'],
    ['2026-01-11T22:59:59Z', 'January 11'],
    ['2026-03-14T23:00:00Z', 'March 15 at midnight'],
    ['2027-01-03T22:59:59Z', 'January 3, 2027'],
    ['2025-12-24T17:00:00Z', 'December 24, 2025 at 6 pm'],
  ])('%s is %s', (instant, words) => {
    expect(at(NOW).say(new Date(instant))).toBe(words);
  });

  test('reads back what it says', async () => {
    const calendar = at(NOW);
    for (const text of ['today at 5 pm', 'tomorrow', 'Friday at 5 pm', 'January 11', 'January 3, 2027']) {
      expect(calendar.say(await calendar.read(text, 'due'))).toBe(text);
    }
  });
});

test('days begin and end at midnight where the people are', () => {
  expect(at(NOW).days(1)).toEqual({ from: new Date('2026-01-03T23:00:00Z'), until: new Date('2026-01-04T23:00:00Z') });
  const lateEvening = new Date('2026-01-04T23:30:00Z');
  expect(at(lateEvening).days(7)).toEqual({ from: new Date('2026-01-04T23:00:00Z'), until: new Date('2026-01-11T23:00:00Z') });
});

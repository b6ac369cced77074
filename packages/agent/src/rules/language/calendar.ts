/** A calendar day in the person's time zone. */
export interface Day {
  year: number;
  month: number;
  day: number;
}

export interface Time {
  hour: number;
  minute: number;
}

/** The moment a message was sent, as the person sees it. */
export interface Now {
  instant: Date;
  timeZone: string;
}

const DAY_MS = 86_400_000;
export const DAYS_A_WEEK = 7;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Local day and time at an instant. */
export function wallOf(instant: Date, timeZone: string): Day & Time {
  let format = clocks.get(timeZone);
  if (!format) {
    const numeric = 'numeric' as const;
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
    });
    clocks.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
  return { year, month, day, hour, minute };
}

export function today({ instant, timeZone }: Now): Day {
  const { year, month, day } = wallOf(instant, timeZone);
  return { year, month, day };
}

export function plusDays(day: Day, days: number): Day {
  return dayOf(utc(day) + days * DAY_MS);
}

/** The same day of a later month, or its last day. */
export function plusMonths({ year, month, day }: Day, months: number): Day {
  const first = dayOf(Date.UTC(year, month - 1 + months, 1));
  return { ...first, day: Math.min(day, lastOfMonth(first).day) };
}

export function lastOfMonth({ year, month }: Day): Day {
  return dayOf(Date.UTC(year, month, 0));
}

/** 0 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(utc(day)).getUTCDay();
}

export function weekdayNamed(name: string): number | undefined {
  const found = WEEKDAYS.indexOf(name.toLowerCase().slice(0, 3));
  return found < 0 ? undefined : found;
}

export function monthNamed(name: string): number | undefined {
  const found = MONTHS.indexOf(name.toLowerCase().slice(0, 3));
  return found < 0 ? undefined : found + 1;
}

/** The next such day after this one. */
export function comingWeekday(from: Day, weekday: number): Day {
  return plusDays(from, ((weekday - weekdayOf(from) + DAYS_A_WEEK - 1) % DAYS_A_WEEK) + 1);
}

/** "next friday": in the week after this one, unless this week is almost over. */
export function weekdayOfNextWeek(from: Day, weekday: number): Day {
  const current = weekdayOf(from);
  const coming = comingWeekday(from, weekday);
  if (current === 0 || weekday === 0) return coming;
  return weekday > current ? plusDays(coming, DAYS_A_WEEK) : coming;
}

export function isBefore(a: Day, b: Day): boolean {
  return utc(a) < utc(b);
}

export function isRealDay({ year, month, day }: Day): boolean {
  const real = dayOf(Date.UTC(year, month - 1, day));
  return real.month === month && real.day === day;
}

export function iso({ year, month, day }: Day, time?: Time): string {
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return time ? `${date}T${two(time.hour)}:${two(time.minute)}` : date;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function utc({ year, month, day }: Day): number {
  return Date.UTC(year, month - 1, day);
}

function dayOf(ms: number): Day {
  const date = new Date(ms);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** "today", "tomorrow at 5 pm", "Friday", "March 1": a due date as a person says it. A day without a time ends at 23:59. */
export function sayDue(dueAt: string, now: Now): string {
  const wall = wallOf(new Date(dueAt), now.timeZone);
  return sayDay(wall, today(now)) + (wall.hour === 23 && wall.minute === 59 ? '' : sayTime(wall));
}

function sayDay(day: Day, from: Day): string {
  const ahead = Math.round((utc(day) - utc(from)) / DAY_MS);
  if (ahead === 0) return 'today';
  if (ahead === 1) return 'tomorrow';
  if (ahead === -1) return 'yesterday';
  const named = (options: Intl.DateTimeFormatOptions) => new Date(utc(day)).toLocaleDateString('en-US', { ...options, timeZone: 'UTC' });
  if (ahead > 1 && ahead < DAYS_A_WEEK) return named({ weekday: 'long' });
  return named({ month: 'long', day: 'numeric', ...(day.year !== from.year && { year: 'numeric' }) });
}

function sayTime({ hour, minute }: Time): string {
  if (minute === 0 && hour % 12 === 0) return hour === 0 ? ' at midnight' : ' at noon';
  return ` at ${hour % 12 || 12}${minute === 0 ? '' : `:${two(minute)}`} ${hour < 12 ? 'am' : 'pm'}`;
}

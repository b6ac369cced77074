import { type Clock, Failure } from '@millrace/kernel';

/** Words that may stand around a date without changing it. */
const FILLERS = /^(?:due|by|on|at|before|until|till|the|this|,|\s)*$/i;
const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const PARTS_OF_DAY: [RegExp, number][] = [
  [/morning/i, 9],
  [/afternoon/i, 15],
  [/evening/i, 19],
  [/night/i, 21],
];
/** A day without a time is due when it ends. */
const END_OF_DAY = { hour: 23, minute: 59, second: 59 };
/** Beyond these, dates no longer sort as text. */
const FIRST = new Date(0);
const LAST = new Date('9999-12-31T23:59:59Z');
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** Reads and says dates as people of one time zone do. */
export class Calendar {
  readonly #clock: Clock;
  #zone: string | undefined;

  /** Without a time zone, that of the machine. */
  constructor(clock: Clock, timeZone?: string | undefined) {
    this.#clock = clock;
    this.#zone = timeZone;
  }

  /** Asking for the machine's time zone is slow the first time, so it waits until a date is read or said. */
  get timeZone(): string {
    this.#zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
    return this.#zone;
  }

  now(): Date {
    return this.#clock.now();
  }

  /** "friday 5pm", "tomorrow", "in 3 days" or ISO; what could be past or future is future. Refuses text that is not a date. */
  async read(text: string, field: string): Promise<Date> {
    const found = ISO.test(text) ? this.#readIso(text) : await this.#readWords(text);
    if (found && found >= FIRST && found <= LAST) return found;
    throw new Failure('invalid_input', `"${text}" is not a date I understand. Try "friday 5pm", "tomorrow" or "2026-03-01"`, {
      details: { field, value: text, constraint: 'date' },
    });
  }

  #readIso(text: string): Date | undefined {
    const [, year, month, day, hour, minute, second, zone] = ISO.exec(text) ?? [];
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    const time = hour === undefined ? END_OF_DAY : { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) };
    if (!isOnTheCalendar({ ...date, ...time })) return undefined;
    if (zone === undefined) return instantOf({ ...date, ...time }, this.timeZone);
    const instant = new Date(
      text
        .replace(' ', 'T')
        .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
        .toUpperCase(),
    );
    return Number.isNaN(instant.getTime()) ? undefined : instant;
  }

  async #readWords(text: string): Promise<Date | undefined> {
    const { parse } = await import('chrono-node/en');
    const now = this.#clock.now();
    const reference = { instant: now, timezone: offsetMs(now, this.timeZone) / 60_000 };
    const [result, ...others] = parse(text, reference, { forwardDate: true });
    if (!result || others.length > 0 || result.end) return undefined;
    const around = text.slice(0, result.index) + text.slice(result.index + result.text.length);
    if (!FILLERS.test(around)) return undefined;
    const { start } = result;
    if (start.isCertain('timezoneOffset')) return start.date();
    const part = PARTS_OF_DAY.find(([words]) => words.test(text));
    const time = start.isCertain('hour')
      ? { hour: start.get('hour') ?? 0, minute: start.get('minute') ?? 0, second: start.get('second') ?? 0 }
      : part
        ? { hour: part[1], minute: 0, second: 0 }
        : END_OF_DAY;
    return instantOf({ year: start.get('year') ?? 0, month: start.get('month') ?? 1, day: start.get('day') ?? 1, ...time }, this.timeZone);
  }

  /** "today at 5 pm", "Friday", "March 1 at 9:30 am". */
  say(instant: Date): string {
    const wall = wallClock(instant, this.timeZone);
    return sayDay(wall, wallClock(this.#clock.now(), this.timeZone)) + sayTime(wall);
  }

  /** Start and end of the next `count` days, beginning today. */
  days(count: number): { from: Date; until: Date } {
    const today = { ...wallClock(this.#clock.now(), this.timeZone), hour: 0, minute: 0, second: 0 };
    return { from: instantOf(today, this.timeZone), until: instantOf({ ...today, day: today.day + count }, this.timeZone) };
  }
}

function isOnTheCalendar({ year, month, day, hour, minute, second }: WallClock): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  );
}

function sayDay(wall: WallClock, today: WallClock): string {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day));
  const ahead = Math.round((date.getTime() - Date.UTC(today.year, today.month - 1, today.day)) / DAY_MS);
  if (ahead === 0) return 'today';
  if (ahead === 1) return 'tomorrow';
  if (ahead === -1) return 'yesterday';
  const named = (options: Intl.DateTimeFormatOptions) => date.toLocaleDateString('en-US', { ...options, timeZone: 'UTC' });
  if (ahead > 1 && ahead < WEEK_DAYS) return named({ weekday: 'long' });
  return named({ month: 'long', day: 'numeric', ...(wall.year !== today.year && { year: 'numeric' }) });
}

function sayTime({ hour, minute, second }: WallClock): string {
  if (hour === END_OF_DAY.hour && minute === END_OF_DAY.minute && second === END_OF_DAY.second) return '';
  if (minute === 0 && hour % 12 === 0) return hour === 0 ? ' at midnight' : ' at noon';
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`;
  return ` at ${hour % 12 || 12}${minutes} ${hour < 12 ? 'am' : 'pm'}`;
}

/** What a clock on the wall shows. */
interface WallClock {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function wallClock(instant: Date, timeZone: string): WallClock {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second };
}

/** When the clock on that wall shows this; a time that a change to summer time leaves out moves behind it. */
function instantOf(wall: WallClock, timeZone: string): Date {
  const shown = utc(wall);
  const first = shown - offsetMs(new Date(shown), timeZone);
  return new Date(shown - offsetMs(new Date(first), timeZone));
}

/** How far that wall is ahead of UTC at an instant. */
function offsetMs(instant: Date, timeZone: string): number {
  return utc(wallClock(instant, timeZone)) - Math.floor(instant.getTime() / 1000) * 1000;
}

function utc({ year, month, day, hour, minute, second }: WallClock): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** What a clock on the wall shows. */
export interface WallClock {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

export function wallClock(instant: Date, timeZone: string): WallClock {
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
export function instantOf(wall: WallClock, timeZone: string): Date {
  const shown = utc(wall);
  const first = shown - offsetMs(new Date(shown), timeZone);
  return new Date(shown - offsetMs(new Date(first), timeZone));
}

/** How far that wall is ahead of UTC at an instant. */
export function offsetMs(instant: Date, timeZone: string): number {
  return utc(wallClock(instant, timeZone)) - Math.floor(instant.getTime() / 1000) * 1000;
}

function utc({ year, month, day, hour, minute, second }: WallClock): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

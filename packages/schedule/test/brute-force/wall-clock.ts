/** Wall time of a zone, minute by minute, directly from `Intl`. */
export interface WallClock {
  readonly fromMs: number;
  /** For each minute from `fromMs` on: day number and minute of the day. */
  readonly days: Int32Array;
  readonly minutes: Int16Array;
}

export function readWallClock(zone: string, fromMs: number, lengthMinutes: number): WallClock {
  const read = wallReader(zone);
  const days = new Int32Array(lengthMinutes);
  const minutes = new Int16Array(lengthMinutes);
  for (let index = 0; index < lengthMinutes; index++) {
    const { day, minute } = read(fromMs + index * 60_000);
    days[index] = day;
    minutes[index] = minute;
  }
  return { fromMs, days, minutes };
}

/** Reads the clock of a zone at an instant. */
export type WallReader = (atMs: number) => { day: number; minute: number };

const readers = new Map<string, WallReader>();
/** Each may take a few megabytes. */
const MOST_READERS = 16;

/** Remembers what it has read: `Intl` takes most of the time of a comparison. */
export function wallReader(zone: string): WallReader {
  const known = readers.get(zone);
  if (known) {
    return known;
  }
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const readings = new Map<number, { day: number; minute: number }>();
  const reader: WallReader = (atMs) => {
    const before = readings.get(atMs);
    if (before) {
      return before;
    }
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(atMs)) {
      part[type] = Number(value);
    }
    const reading = {
      day: Date.UTC(part['year']!, part['month']! - 1, part['day']) / 86_400_000,
      minute: part['hour']! * 60 + part['minute']!,
    };
    readings.set(atMs, reading);
    return reading;
  };
  if (readers.size === MOST_READERS) {
    readers.clear();
  }
  readers.set(zone, reader);
  return reader;
}

/** The first instant, to the minute, at which the clock reads this day and minute or later. */
export function firstReading(zone: string, day: number, minute: number): number {
  const read = wallReader(zone);
  let atMs = day * 86_400_000 - 26 * 3_600_000;
  for (;;) {
    const wall = read(atMs);
    if (wall.day > day || (wall.day === day && wall.minute >= minute)) {
      return atMs;
    }
    atMs += 60_000;
  }
}

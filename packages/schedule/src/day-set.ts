import type { Day } from './calendar.ts';
import { weekdayOf } from './calendar.ts';

/** A set of calendar days, in most cases unbounded. */
export interface DaySet {
  readonly has: (day: Day) => boolean;
  /** The first day of the set in `[from, to]` (day numbers), or null. */
  readonly next: (from: number, to: number) => number | null;
}

export const EMPTY_DAY_SET: DaySet = { has: () => false, next: () => null };

/** @param mask bit 0 is Monday, bit 6 is Sunday */
export function createWeekdaySet(mask: number): DaySet {
  return {
    has: (day) => ((mask >> day.weekday) & 1) === 1,
    next(from, to) {
      for (let number = from; number <= to && number < from + 7; number++) {
        if (((mask >> weekdayOf(number)) & 1) === 1) {
          return number;
        }
      }
      return null;
    },
  };
}

/** The days of a set but some. */
export function excludeDays(set: DaySet, excluded: ReadonlySet<number>): DaySet {
  if (excluded.size === 0) {
    return set;
  }
  return {
    has: (day) => !excluded.has(day.number) && set.has(day),
    next(from, to) {
      let found = set.next(from, to);
      while (found !== null && excluded.has(found)) {
        found = set.next(found + 1, to);
      }
      return found;
    },
  };
}

/** The days of a set from `first` to `last`, inclusive. */
export function limitDaySet(set: DaySet, first: number, last: number): DaySet {
  if (first === -Infinity && last === Infinity) {
    return set;
  }
  return {
    has: (day) => day.number >= first && day.number <= last && set.has(day),
    next: (from, to) => set.next(Math.max(from, first), Math.min(to, last)),
  };
}

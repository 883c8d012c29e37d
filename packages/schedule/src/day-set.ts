import type { Day } from './calendar.ts';
import { weekdayOf } from './calendar.ts';

/** A set of calendar days, most of them without end. */
export interface DaySet {
  readonly has: (day: Day) => boolean;
  /** The first day of the set in `[from, to]` (day numbers), or null. */
  readonly next: (from: number, to: number) => number | null;
}

export const noDays: DaySet = { has: () => false, next: () => null };

/** @param mask bit 0 is Monday, bit 6 is Sunday */
export function weekdays(mask: number): DaySet {
  return {
    has: (day) => ((mask >> day.weekday) & 1) === 1,
    next(from, to) {
      for (let number = from; number <= to && number < from + 7; number++)
        if (((mask >> weekdayOf(number)) & 1) === 1) return number;
      return null;
    },
  };
}

/** The days of a set from `first` to `last`, both included. */
export function within(set: DaySet, first: number, last: number): DaySet {
  if (first === -Infinity && last === Infinity) return set;
  return {
    has: (day) => day.number >= first && day.number <= last && set.has(day),
    next: (from, to) => set.next(Math.max(from, first), Math.min(to, last)),
  };
}

/**
 * The first `count` days of a set. They are counted once, and only as far as somebody asks and only when so much time
 * has gone by that they can be used up.
 *
 * @param start no day of the set is earlier
 */
export function firstOf(set: DaySet, count: number, start: number): DaySet {
  let counted = 0;
  let through = start - 1;
  const isAmong = (number: number) => {
    if (number - start < count) return true;
    while (counted < count && through < number) {
      const next = set.next(through + 1, number);
      through = next ?? number;
      if (next !== null) counted++;
    }
    return counted < count || number <= through;
  };
  return {
    has: (day) => set.has(day) && isAmong(day.number),
    next(from, to) {
      const found = set.next(from, to);
      return found !== null && isAmong(found) ? found : null;
    },
  };
}

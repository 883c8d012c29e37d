import type { Day } from './calendar.ts';
import { dayNumber, dayFromNumber, daysInMonth } from './calendar.ts';
import type { DaySet } from './day-set.ts';
import { ALL_DAYS, countDays, daysFromTo, firstDay, createMonthMasks, nthDay } from './month-masks.ts';
import type { Recurrence } from './recurrence-rule.ts';

/**
 * The days on which a rule recurs, without UNTIL, in closed form: the days of a month follow from the kind of its year
 * and from its distance to the anchor. COUNT is converted to a last day, month by month instead of day by day.
 *
 * @param anchor day number; aligns INTERVAL and provides the defaults of missing BY parts. No earlier day matches.
 * @param lastYear the last year that is evaluated; a COUNT that is not used up by then never ends
 */
export function recurringDays(rule: Recurrence, anchor: number, lastYear: number): DaySet {
  const { freq, interval, count } = rule;
  const start = dayFromNumber(anchor);
  const monthMasks = createMonthMasks(rule, start);
  const intervalMask = INTERVAL_MASKS[freq](rule, start);
  let lastDay: number | null = count === null ? Infinity : null;
  /** Computed when it first matters: most days are before COUNT could be used up. */
  const isWithinCount = (number: number) => {
    if (count === null || number - anchor < count) {
      return true;
    }
    return number <= (lastDay ??= lastDayByCount());
  };

  /** The day on which COUNT is used up; `Infinity` when it is not by the end of the last year. */
  function lastDayByCount(): number {
    const countsEveryYear = interval === 1 || freq === 'YEARLY';
    let remaining = count ?? Infinity;
    for (let year = start.year; year <= lastYear; year++) {
      if (freq === 'YEARLY' && (year - start.year) % interval !== 0) {
        continue;
      }
      const months = monthMasks(year);
      const countInYear = months[0]!;
      if (countInYear === 0) {
        continue;
      }
      if (year > start.year && countsEveryYear && countInYear < remaining) {
        remaining -= countInYear;
        continue;
      }
      let first = dayNumber(year, 1, 1);
      for (let month = 1; month <= 12; first += daysInMonth(year, month), month++) {
        let days = months[month]!;
        if (days === 0 || (year === start.year && month < start.month)) {
          continue;
        }
        if (first < start.number) {
          days &= daysFromTo(start.dayOfMonth, 31);
        }
        days &= intervalMask(first, year, month);
        const countInMonth = countDays(days);
        if (countInMonth >= remaining) {
          return first + nthDay(days, remaining) - 1;
        }
        remaining -= countInMonth;
      }
    }
    return Infinity;
  }

  return {
    has(day) {
      if (day.number < anchor) {
        return false;
      }
      const days = monthMasks(day.year)[day.month]!;
      if (((days >> day.dayOfMonth) & 1) === 0) {
        return false;
      }
      const month = intervalMask(day.number - day.dayOfMonth + 1, day.year, day.month);
      return ((month >> day.dayOfMonth) & 1) === 1 && isWithinCount(day.number);
    },
    next(from, to) {
      let { year, month, dayOfMonth, number } = dayFromNumber(Math.max(from, anchor));
      number -= dayOfMonth - 1;
      let rangeMask = daysFromTo(dayOfMonth, 31);
      // `number` is the first day of each month in turn.
      while (number <= to) {
        let days = monthMasks(year)[month]! & rangeMask;
        if (days !== 0) {
          days &= intervalMask(number, year, month);
        }
        if (days !== 0) {
          const foundDay = number + firstDay(days) - 1;
          return foundDay <= to && isWithinCount(foundDay) ? foundDay : null;
        }
        number += daysInMonth(year, month);
        month = (month % 12) + 1;
        if (month === 1) {
          year++;
        }
        rangeMask = ALL_DAYS;
      }
      return null;
    },
  };
}

/** Mask of the days of a month that INTERVAL allows; `first` is the day number of the first of the month. */
type IntervalMask = (first: number, year: number, month: number) => number;

const INTERVAL_MASKS: Record<Recurrence['freq'], (rule: Recurrence, anchor: Day) => IntervalMask> = {
  DAILY({ interval }, anchor) {
    if (interval === 1) {
      return () => ALL_DAYS;
    }
    // Indexed by the first aligned day of the month.
    const days = Array.from({ length: 32 }, (_, from) => {
      let bits = 0;
      for (let day = from; day <= 31 && day > 0; day += interval) {
        bits |= 1 << day;
      }
      return bits;
    });
    return (first) => days[1 + periodsUntilAligned(first - anchor.number, interval)] ?? 0;
  },
  WEEKLY({ interval, weekStart }, anchor) {
    if (interval === 1) {
      return () => ALL_DAYS;
    }
    // Day −3 was a Monday.
    const weekOf = (number: number) => Math.floor((number + 3 - weekStart) / 7);
    const anchorWeek = weekOf(anchor.number);
    return (first) => {
      const week = weekOf(first);
      let days = 0;
      // Day of the month of the first day of an aligned week.
      let start = (week + periodsUntilAligned(week - anchorWeek, interval)) * 7 - 2 + weekStart - first;
      for (; start <= 31; start += interval * 7) {
        days |= daysFromTo(Math.max(1, start), Math.min(31, start + 6));
      }
      return days;
    };
  },
  MONTHLY:
    ({ interval }, anchor) =>
    (_first, year, month) =>
      ((year - anchor.year) * 12 + month - anchor.month) % interval === 0 ? ALL_DAYS : 0,
  YEARLY:
    ({ interval }, anchor) =>
    (_first, year) =>
      (year - anchor.year) % interval === 0 ? ALL_DAYS : 0,
};

/** How many periods after one at this distance from the anchor the next aligned one comes; 0: it is aligned itself. */
function periodsUntilAligned(distance: number, interval: number): number {
  return (interval - (((distance % interval) + interval) % interval)) % interval;
}

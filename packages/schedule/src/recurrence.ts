import type { Day } from './calendar.ts';
import { dayNumber, dayOf, daysInMonth } from './calendar.ts';
import type { DaySet } from './day-set.ts';
import { ALL_DAYS, countDays, daysFromTo, firstDay, monthDaysOf, nthDay } from './month-days.ts';
import type { MonthDays } from './month-days.ts';

/** A point in time as RFC 5545 writes it: a day, a wall-clock time (local time dressed as UTC) or an instant; in ms. */
export interface Moment {
  readonly kind: 'date' | 'wall' | 'instant';
  readonly ms: number;
}

/** The parts of an RRULE, read and checked. Weekdays: 0 is Monday. Empty lists: the part is absent. */
export interface Recurrence {
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly count: number | null;
  readonly until: Moment | null;
  /** `nth` 0: every such weekday; else the nth in the month or year, negative from its end. */
  readonly byDay: readonly { readonly weekday: number; readonly nth: number }[];
  readonly byMonthDay: readonly number[];
  readonly byMonth: readonly number[];
  readonly bySetPos: readonly number[];
  /** First day of the week. */
  readonly weekStart: number;
}

/**
 * The days on which a rule recurs, UNTIL aside, in closed form: the days of a month follow from the kind of its year
 * and from its distance to the anchor. COUNT is turned into a last day, month by month, not day by day.
 *
 * @param anchor day number; aligns INTERVAL and stands in for missing BY parts. No earlier day matches.
 * @param lastYear the last year that anybody asks about; a COUNT that is not used up by then never ends
 */
export function recurringDays(rule: Recurrence, anchor: number, lastYear: number): DaySet {
  const start = dayOf(anchor);
  const picked = monthDaysOf(rule, start);
  const inStep = STEPS[rule.freq](rule, start);
  const { count } = rule;
  let last: number | null = count === null ? Infinity : null;
  /** Found out when it first matters: most days are earlier than COUNT could have been used up. */
  const isCounted = (number: number) => {
    if (count === null || number - anchor < count) return true;
    return number <= (last ??= lastDayByCount(rule, start, { picked, inStep }, lastYear));
  };

  return {
    has(day) {
      if (day.number < anchor) return false;
      const days = picked(day.year)[day.month]!;
      if (((days >> day.dayOfMonth) & 1) === 0) return false;
      const month = inStep(day.number - day.dayOfMonth + 1, day.year, day.month);
      return ((month >> day.dayOfMonth) & 1) === 1 && isCounted(day.number);
    },
    next(from, to) {
      let { year, month, dayOfMonth, number } = dayOf(Math.max(from, anchor));
      number -= dayOfMonth - 1;
      let inside = daysFromTo(dayOfMonth, 31);
      // From month to month, with the day number of its first day.
      while (number <= to) {
        let days = picked(year)[month]! & inside;
        if (days !== 0) days &= inStep(number, year, month);
        if (days !== 0) {
          const found = number + firstDay(days) - 1;
          return found <= to && isCounted(found) ? found : null;
        }
        number += daysInMonth(year, month);
        month = (month % 12) + 1;
        if (month === 1) year++;
        inside = ALL_DAYS;
      }
      return null;
    },
  };
}

interface Months {
  readonly picked: (year: number) => MonthDays;
  readonly inStep: InStep;
}

/** The day on which COUNT is used up, `Infinity` when it is not by the end of the last year. */
function lastDayByCount(
  { freq, interval, count }: Recurrence,
  anchor: Day,
  { picked, inStep }: Months,
  lastYear: number,
): number {
  const everyYear = interval === 1 || freq === 'YEARLY';
  let left = count ?? Infinity;
  for (let year = anchor.year; year <= lastYear; year++) {
    if (freq === 'YEARLY' && (year - anchor.year) % interval !== 0) continue;
    const months = picked(year);
    const total = months[0]!;
    if (total === 0) continue;
    if (year > anchor.year && everyYear && total < left) {
      left -= total;
      continue;
    }
    let first = dayNumber(year, 1, 1);
    for (let month = 1; month <= 12; first += daysInMonth(year, month), month++) {
      let days = months[month]!;
      if (days === 0 || (year === anchor.year && month < anchor.month)) continue;
      if (first < anchor.number) days &= daysFromTo(anchor.dayOfMonth, 31);
      days &= inStep(first, year, month);
      const here = countDays(days);
      if (here >= left) return first + nthDay(days, left) - 1;
      left -= here;
    }
  }
  return Infinity;
}

/** The days of a month, as bits, that INTERVAL lets a rule have; `first` is the number of the month's first day. */
type InStep = (first: number, year: number, month: number) => number;

const STEPS: Record<Recurrence['freq'], (rule: Recurrence, anchor: Day) => InStep> = {
  DAILY({ interval }, anchor) {
    if (interval === 1) return () => ALL_DAYS;
    // By the first day of the month that is in step.
    const days = Array.from({ length: 32 }, (_, from) => {
      let bits = 0;
      for (let day = from; day <= 31 && day > 0; day += interval) bits |= 1 << day;
      return bits;
    });
    return (first) => days[1 + untilInStep(first - anchor.number, interval)] ?? 0;
  },
  WEEKLY({ interval, weekStart }, anchor) {
    if (interval === 1) return () => ALL_DAYS;
    // Day −3 was a Monday.
    const weekOf = (number: number) => Math.floor((number + 3 - weekStart) / 7);
    const anchorWeek = weekOf(anchor.number);
    return (first) => {
      const week = weekOf(first);
      let days = 0;
      // The place in the month of the first day of a week in step.
      let start = (week + untilInStep(week - anchorWeek, interval)) * 7 - 2 + weekStart - first;
      for (; start <= 31; start += interval * 7)
        days |= daysFromTo(Math.max(1, start), Math.min(31, start + 6));
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

/** How many periods after one that lies so far from the anchor the next one in step comes; 0: it is in step. */
function untilInStep(distance: number, interval: number): number {
  return (interval - (((distance % interval) + interval) % interval)) % interval;
}

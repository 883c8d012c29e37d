import type { Day } from './calendar.ts';
import { dayNumber, dayOf, weekdayOf } from './calendar.ts';
import type { DaySet } from './day-set.ts';

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
 * The days on which a rule recurs, COUNT and UNTIL aside, in closed form: whether a day is one follows from its number,
 * its place in month and year, and its distance from the anchor. Nothing is counted up from the anchor.
 *
 * @param anchor day number; aligns INTERVAL and stands in for missing BY parts. No earlier day matches.
 */
export function recurringDays(rule: Recurrence, anchor: number): DaySet {
  const start = dayOf(anchor);
  const periods = PERIODS[rule.freq](rule);
  const firstPeriod = periods.index(start);
  const { months, inSet } = periodSet(rule, start);
  const picked = rule.bySetPos.length === 0 ? null : setPositions(rule.bySetPos, periods, inSet);

  /** How many periods too late a day is for INTERVAL. */
  const periodsOff = (day: Day) => (periods.index(day) - firstPeriod) % rule.interval;
  const has = (day: Day) =>
    day.number >= anchor && periodsOff(day) === 0 && inSet(day) && (picked === null || picked(day));

  return {
    has,
    next(from, to) {
      for (let number = Math.max(from, anchor); number <= to;) {
        const day = dayOf(number);
        const off = periodsOff(day);
        if (off !== 0) number = periods.start(periods.index(day) + rule.interval - off);
        else if (((months >> day.month) & 1) === 0) number += day.daysInMonth - day.dayOfMonth + 1;
        else if (has(day)) return number;
        else number++;
      }
      return null;
    },
  };
}

/** The last day that COUNT allows, when plain arithmetic tells: for whole days and weeks that all count alike. */
export function lastDayByCount(rule: Recurrence, anchor: number): number | null {
  const { freq, interval, count, weekStart } = rule;
  if (count === null || rule.byMonth.length + rule.byMonthDay.length + rule.bySetPos.length > 0) return null;
  if (freq === 'DAILY') return rule.byDay.length === 0 ? anchor + (count - 1) * interval : null;
  if (freq !== 'WEEKLY') return null;
  const weekdays = new Set(
    rule.byDay.length === 0 ? [weekdayOf(anchor)] : rule.byDay.map(({ weekday }) => weekday),
  );
  const inWeek = [...weekdays].map((weekday) => (weekday - weekStart + 7) % 7).toSorted((a, b) => a - b);
  const daysIntoWeek = (weekdayOf(anchor) - weekStart + 7) % 7;
  const fromWeekStart = count - 1 + inWeek.filter((day) => day < daysIntoWeek).length;
  const weeks = Math.floor(fromWeekStart / inWeek.length) * interval;
  return anchor - daysIntoWeek + weeks * 7 + inWeek[fromWeekStart % inWeek.length]!;
}

/** Days, weeks, months or years, numbered through. */
interface Periods {
  index(day: Day): number;
  /** Day number of the first day of a period. */
  start(index: number): number;
}

const PERIODS: Record<Recurrence['freq'], (rule: Recurrence) => Periods> = {
  DAILY: () => ({ index: (day) => day.number, start: (index) => index }),
  WEEKLY: ({ weekStart }) => ({
    // Day −3 was a Monday.
    index: (day) => Math.floor((day.number + 3 - weekStart) / 7),
    start: (index) => index * 7 - 3 + weekStart,
  }),
  MONTHLY: () => ({
    index: (day) => day.year * 12 + day.month - 1,
    start: (index) => dayNumber(Math.floor(index / 12), (index % 12) + 1, 1),
  }),
  YEARLY: () => ({ index: (day) => day.year, start: (index) => dayNumber(index, 1, 1) }),
};

const EVERY_MONTH = -1;

/** The set of days that the BY parts make of a period, before BYSETPOS; and the months (bits 1–12) that it may lie in. */
function periodSet(rule: Recurrence, anchor: Day): { months: number; inSet: (day: Day) => boolean } {
  const { freq, byDay, byMonthDay, byMonth } = rule;
  const ordinals = byDay.filter(({ nth }) => nth !== 0);
  const ordinalsOfYear = freq === 'YEARLY' && byMonth.length === 0;
  let months = bits(byMonth) || EVERY_MONTH;
  let weekdays = bits(byDay.filter(({ nth }) => nth === 0).map(({ weekday }) => weekday));
  let fromStart = bits(byMonthDay.filter((n) => n > 0));
  const fromEnd = bits(byMonthDay.filter((n) => n < 0).map((n) => -n));
  // What RFC 5545 takes from DTSTART when the rule leaves it open.
  if (byDay.length === 0 && byMonthDay.length === 0) {
    if (freq === 'WEEKLY') weekdays = bits([anchor.weekday]);
    if (freq === 'MONTHLY' || freq === 'YEARLY') fromStart = bits([anchor.dayOfMonth]);
    if (ordinalsOfYear) months = bits([anchor.month]);
  }
  const anyMonthDay = (fromStart | fromEnd) === 0;
  const anyWeekday = weekdays === 0 && ordinals.length === 0;

  const inSet = (day: Day): boolean => {
    if (((months >> day.month) & 1) === 0) return false;
    if (!anyMonthDay) {
      const fromBack = day.daysInMonth - day.dayOfMonth + 1;
      if ((((fromStart >> day.dayOfMonth) | (fromEnd >> fromBack)) & 1) === 0) return false;
    }
    if (anyWeekday || ((weekdays >> day.weekday) & 1) === 1) return true;
    const index = ordinalsOfYear ? day.dayOfYear : day.dayOfMonth;
    const length = ordinalsOfYear ? day.daysInYear : day.daysInMonth;
    for (const { weekday, nth } of ordinals) {
      if (weekday !== day.weekday) continue;
      if (nth > 0 ? Math.ceil(index / 7) === nth : Math.ceil((length - index + 1) / 7) === -nth) return true;
    }
    return false;
  };
  return { months, inSet };
}

/** Numbers from 0 to 31 as the bits of one. */
function bits(numbers: readonly number[]): number {
  return numbers.reduce((mask, number) => mask | (1 << number), 0);
}

/** Whether BYSETPOS picks a day of its period's set. The picks of the last period asked about are kept. */
function setPositions(
  positions: readonly number[],
  periods: Periods,
  inSet: (day: Day) => boolean,
): (day: Day) => boolean {
  let period = NaN;
  let picks: readonly (number | undefined)[] = [];
  return (day) => {
    const index = periods.index(day);
    if (index !== period) {
      const end = periods.start(index + 1);
      const set: number[] = [];
      for (let number = periods.start(index); number < end; number++)
        if (inSet(dayOf(number))) set.push(number);
      picks = positions.map((position) => set.at(position > 0 ? position - 1 : position));
      period = index;
    }
    return picks.includes(day.number);
  };
}

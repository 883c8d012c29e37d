import { dayNumber, daysInMonth, isLeapYear, weekdayOf } from './calendar.ts';
import type { Day } from './calendar.ts';
import type { Recurrence } from './recurrence-rule.ts';

/** The days of a year that a rule picks: at 1–12, bits 1–31 are the days of that month; at 0 is the total count. */
export type MonthMasks = Int32Array;

export const ALL_DAYS = -1;
/** Days 1, 8, 15, 22 and 29; shifted left for the other weekdays. */
const EVERY_SEVENTH = (1 << 1) | (1 << 8) | (1 << 15) | (1 << 22) | (1 << 29);

/** Bits `from` to `to` (1–31), inclusive. */
export function daysFromTo(from: number, to: number): number {
  return (ALL_DAYS << from) & (to === 31 ? ALL_DAYS : ~(ALL_DAYS << (to + 1)));
}

export function countDays(days: number): number {
  // Population count: sums in pairs, fours and eights of bits.
  let bits = days - ((days >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}

/** The first day of a non-empty mask. */
export function firstDay(days: number): number {
  return 31 - Math.clz32(days & -days);
}

/** The nth day of a mask, counted from 1; the mask must have at least so many. */
export function nthDay(days: number, nth: number): number {
  let rest = days;
  for (let skipped = 1; skipped < nth; skipped++) {
    rest &= rest - 1;
  }
  return firstDay(rest);
}

/**
 * The days that the BY parts and BYSETPOS of a rule pick in a year, without INTERVAL, COUNT and UNTIL. They depend only
 * on the weekday of 1 January and on the length of the year, so there are fourteen kinds of years, each computed on
 * first use.
 *
 * @param anchor provides the defaults of missing BY parts
 */
export function createMonthMasks(rule: Recurrence, anchor: Day): (year: number) => MonthMasks {
  const parts = resolveByParts(rule, anchor);
  const createYearMasks = createYearMaskBuilder(parts);
  const applySetPositions = rule.bySetPos.length === 0 ? null : SET_POSITION_FILTERS[rule.freq](rule, parts);
  const masksByYearKind: (MonthMasks | undefined)[] = [];
  let latestYear = NaN;
  let latestMasks: MonthMasks = new Int32Array(13);
  return (year) => {
    if (year === latestYear) {
      return latestMasks;
    }
    const kind = weekdayOf(dayNumber(year, 1, 1)) + (isLeapYear(year) ? 7 : 0);
    latestYear = year;
    return (latestMasks = masksByYearKind[kind] ??=
      withTotal(applySetPositions ? applySetPositions(createYearMasks(year), year) : createYearMasks(year)));
  };
}

function withTotal(months: MonthMasks): MonthMasks {
  let count = 0;
  for (let month = 1; month <= 12; month++) {
    count += countDays(months[month]!);
  }
  months[0] = count;
  return months;
}

type Ordinal = Recurrence['byDay'][number];

interface ByParts {
  /** Bits 1–12, or all. */
  readonly months: number;
  /** Masks of the days of the month, from its start and from its end; any day when both are 0. */
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly weekdays: readonly number[];
  readonly ordinals: readonly Ordinal[];
  /** Ordinals count within the year instead of the month. */
  readonly ordinalsOfYear: boolean;
}

/** The BY parts, with the defaults that RFC 5545 takes from DTSTART. */
function resolveByParts({ freq, byDay, byMonthDay, byMonth }: Recurrence, anchor: Day): ByParts {
  const ordinalsOfYear = freq === 'YEARLY' && byMonth.length === 0;
  const hasNoDayPart = byDay.length === 0 && byMonthDay.length === 0;
  const plainWeekdays = byDay.filter(({ nth }) => nth === 0).map(({ weekday }) => weekday);
  const fromStart = byMonthDay.filter((day) => day > 0);
  if (hasNoDayPart && (freq === 'MONTHLY' || freq === 'YEARLY')) {
    fromStart.push(anchor.dayOfMonth);
  }
  return {
    months: toMask(hasNoDayPart && ordinalsOfYear ? [anchor.month] : byMonth) || ALL_DAYS,
    fromStart: toMask(fromStart),
    fromEnd: toMask(byMonthDay.filter((day) => day < 0).map((day) => -day)),
    weekdays: hasNoDayPart && freq === 'WEEKLY' ? [anchor.weekday] : [...new Set(plainWeekdays)],
    ordinals: byDay.filter(({ nth }) => nth !== 0),
    ordinalsOfYear,
  };
}

/** A mask with these bits (0–31) set. */
function toMask(numbers: readonly number[]): number {
  let mask = 0;
  for (const number of numbers) {
    mask |= 1 << number;
  }
  return mask;
}

/** Builds the masks of the BY parts for a year, before BYSETPOS. */
function createYearMaskBuilder({ months, fromStart, fromEnd, weekdays, ordinals, ordinalsOfYear }: ByParts) {
  const anyMonthDay = (fromStart | fromEnd) === 0;
  const anyWeekday = weekdays.length + ordinals.length === 0;

  /** The mask of a month by the weekday of its first day and its length; `ordinalDays` are added to the weekdays. */
  const maskOfMonth = (first: number, length: number, ordinalDays: number): number => {
    let days = daysFromTo(1, length);
    if (!anyMonthDay) {
      let listedDays = fromStart;
      for (let rest = fromEnd; rest !== 0; rest &= rest - 1) {
        const day = length + 1 - firstDay(rest);
        if (day > 0) {
          listedDays |= 1 << day;
        }
      }
      days &= listedDays;
    }
    if (anyWeekday) {
      return days;
    }
    let weekdayMask = ordinalDays;
    for (const weekday of weekdays) {
      weekdayMask |= EVERY_SEVENTH << ((weekday - first + 7) % 7);
    }
    return days & weekdayMask;
  };

  /** Without ordinals of the year a month depends only on its length and on the weekday of its first day. */
  const masksByMonthKind: (number | undefined)[] = [];
  const cachedMaskOfMonth = (first: number, length: number): number => {
    const kind = first * 4 + length - 28;
    return (masksByMonthKind[kind] ??= maskOfMonth(
      first,
      length,
      toMask(ordinals.map((each) => ordinalDay(each, first, length))),
    ));
  };
  return (year: number): MonthMasks => {
    const masks: MonthMasks = new Int32Array(13);
    const ordinalDaysByMonth =
      ordinalsOfYear && ordinals.length > 0 ? ordinalDaysOfYear(ordinals, year) : null;
    let first = weekdayOf(dayNumber(year, 1, 1));
    for (let month = 1; month <= 12; month++) {
      const length = daysInMonth(year, month);
      if (((months >> month) & 1) === 1) {
        masks[month] = ordinalDaysByMonth
          ? maskOfMonth(first, length, ordinalDaysByMonth[month]!)
          : cachedMaskOfMonth(first, length);
      }
      first = (first + length) % 7;
    }
    return masks;
  };
}

/** The day (from 1) of the nth weekday in a period by the weekday of its first day and its length; 0 when none. */
function ordinalDay({ weekday, nth }: Ordinal, first: number, length: number): number {
  const earliest = 1 + ((weekday - first + 7) % 7);
  const latest = earliest + Math.floor((length - earliest) / 7) * 7;
  const day = nth > 0 ? earliest + (nth - 1) * 7 : latest + (nth + 1) * 7;
  return day >= 1 && day <= length ? day : 0;
}

function ordinalDaysOfYear(ordinals: readonly Ordinal[], year: number): MonthMasks {
  const found: MonthMasks = new Int32Array(13);
  const first = weekdayOf(dayNumber(year, 1, 1));
  for (const ordinal of ordinals) {
    let day = ordinalDay(ordinal, first, isLeapYear(year) ? 366 : 365);
    if (day === 0) {
      continue;
    }
    let month = 1;
    for (; day > daysInMonth(year, month); month++) {
      day -= daysInMonth(year, month);
    }
    found[month]! |= 1 << day;
  }
  return found;
}

/** Applies BYSETPOS to the masks of a year. */
type SetPositionFilter = (set: MonthMasks, year: number) => MonthMasks;

const SET_POSITION_FILTERS: Record<
  Recurrence['freq'],
  (rule: Recurrence, parts: ByParts) => SetPositionFilter
> = {
  YEARLY({ bySetPos }) {
    return (set) => {
      const picked: MonthMasks = new Int32Array(13);
      const places = resolveSetPositions(bySetPos, withTotal(set)[0]!);
      for (let month = 1, before = 0; month <= 12; before += countDays(set[month]!), month++) {
        picked[month] = selectDaysAt(set[month]!, places, before);
      }
      return picked;
    };
  },
  MONTHLY({ bySetPos }) {
    const known = new Map<number, number>();
    const pick = (days: number): number => {
      let picked = known.get(days);
      if (picked === undefined) {
        known.set(days, (picked = selectDaysAt(days, resolveSetPositions(bySetPos, countDays(days)), 0)));
      }
      return picked;
    };
    return (set) => set.map(pick);
  },
  WEEKLY({ bySetPos, weekStart }, { weekdays }) {
    // Days of a week as bits; bit 0 is the first day of the week.
    const whole = toMask(weekdays.map((weekday) => (weekday - weekStart + 7) % 7));
    const known: (number | undefined)[] = [];
    const pick = (week: number) =>
      (known[week] ??= selectDaysAt(week << 1, resolveSetPositions(bySetPos, countDays(week)), 0) >>> 1);
    return (set, year) =>
      set.map((days, month) => {
        if (days === 0) {
          return 0;
        }
        const length = daysInMonth(year, month);
        const [hasBefore, hasAfter] = [set[month === 1 ? 12 : month - 1] !== 0, set[(month % 12) + 1] !== 0];
        let picked = 0;
        // Day of the month of the first day of each week that overlaps the month.
        let start = 1 - ((weekdayOf(dayNumber(year, month, 1)) - weekStart + 7) % 7);
        for (; start <= length; start += 7) {
          let week = whole;
          if (start < 1 && !hasBefore) {
            week &= ALL_DAYS << (1 - start);
          }
          if (start + 6 > length && !hasAfter) {
            week &= ~(ALL_DAYS << (length - start + 1));
          }
          picked |= start < 0 ? pick(week) >>> -start : pick(week) << start;
        }
        return picked & daysFromTo(1, length);
      });
  },
  DAILY({ bySetPos }) {
    // The set of a day is that day, or empty.
    const isPicked = resolveSetPositions(bySetPos, 1).length > 0;
    return (set) => (isPicked ? set : new Int32Array(13));
  },
};

/** Set positions as sorted indexes from 0 into a set of `length` days. */
function resolveSetPositions(positions: readonly number[], length: number): number[] {
  const places = new Set<number>();
  for (const position of positions) {
    const place = position > 0 ? position - 1 : length + position;
    if (place >= 0 && place < length) {
      places.add(place);
    }
  }
  return [...places].toSorted((a, b) => a - b);
}

/** The days at the given indexes; the first day of the mask has the index `before`. */
function selectDaysAt(days: number, places: readonly number[], before: number): number {
  let picked = 0;
  let index = before;
  let next = places.findIndex((place) => place >= before);
  if (next < 0) {
    return 0;
  }
  for (let rest = days; rest !== 0; rest &= rest - 1, index++) {
    if (places[next] !== index) {
      continue;
    }
    picked |= rest & -rest;
    next++;
  }
  return picked;
}

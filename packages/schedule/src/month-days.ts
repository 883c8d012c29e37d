import { dayNumber, daysInMonth, isLeapYear, weekdayOf } from './calendar.ts';
import type { Day } from './calendar.ts';
import type { Recurrence } from './recurrence.ts';

/** The days of a year that a rule picks: at 1–12, bits 1–31 stand for the days of that month; at 0 is how many in all. */
export type MonthDays = Int32Array;

export const ALL_DAYS = -1;
/** Days 1, 8, 15, 22 and 29; shifted, those of any weekday. */
const EVERY_SEVENTH = (1 << 1) | (1 << 8) | (1 << 15) | (1 << 22) | (1 << 29);

/** Bits `from` to `to` (1–31), both included. */
export function daysFromTo(from: number, to: number): number {
  return (ALL_DAYS << from) & (to === 31 ? ALL_DAYS : ~(ALL_DAYS << (to + 1)));
}

export function countDays(days: number): number {
  // Side by side in pairs, fours and eights of bits.
  let bits = days - ((days >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}

/** The first of some days; there must be one. */
export function firstDay(days: number): number {
  return 31 - Math.clz32(days & -days);
}

/** The nth of some days, counted from 1; there must be so many. */
export function nthDay(days: number, nth: number): number {
  let rest = days;
  for (let skipped = 1; skipped < nth; skipped++) rest &= rest - 1;
  return firstDay(rest);
}

/**
 * The days that the BY parts and BYSETPOS of a rule pick in a year, INTERVAL and the rest aside. They follow from the
 * weekday on which the year begins and from its length, so there are fourteen kinds of years, each worked out when it
 * is first asked for.
 *
 * @param anchor stands in for BY parts that are left out
 */
export function monthDaysOf(rule: Recurrence, anchor: Day): (year: number) => MonthDays {
  const parts = partsOf(rule, anchor);
  const setOf = setsOf(parts);
  const pick = rule.bySetPos.length === 0 ? null : PICKERS[rule.freq](rule, parts);
  const kinds: (MonthDays | undefined)[] = [];
  let latestYear = NaN;
  let latest: MonthDays = new Int32Array(13);
  return (year) => {
    if (year === latestYear) return latest;
    const kind = weekdayOf(dayNumber(year, 1, 1)) + (isLeapYear(year) ? 7 : 0);
    latestYear = year;
    return (latest = kinds[kind] ??= counted(pick ? pick(setOf(year), year) : setOf(year)));
  };
}

function counted(months: MonthDays): MonthDays {
  let count = 0;
  for (let month = 1; month <= 12; month++) count += countDays(months[month]!);
  months[0] = count;
  return months;
}

type Ordinal = Recurrence['byDay'][number];

interface Parts {
  /** Bits 1–12, or all. */
  readonly months: number;
  /** Days of the month as bits, from its start and from its end; neither: any. */
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly weekdays: readonly number[];
  readonly ordinals: readonly Ordinal[];
  /** Ordinals count in the year and not in the month. */
  readonly ordinalsOfYear: boolean;
}

/** The BY parts, with what RFC 5545 takes from DTSTART when the rule leaves it open. */
function partsOf({ freq, byDay, byMonthDay, byMonth }: Recurrence, anchor: Day): Parts {
  const ordinalsOfYear = freq === 'YEARLY' && byMonth.length === 0;
  const isOpen = byDay.length === 0 && byMonthDay.length === 0;
  const plain = byDay.filter(({ nth }) => nth === 0).map(({ weekday }) => weekday);
  const fromStart = byMonthDay.filter((day) => day > 0);
  if (isOpen && (freq === 'MONTHLY' || freq === 'YEARLY')) fromStart.push(anchor.dayOfMonth);
  return {
    months: bits(isOpen && ordinalsOfYear ? [anchor.month] : byMonth) || ALL_DAYS,
    fromStart: bits(fromStart),
    fromEnd: bits(byMonthDay.filter((day) => day < 0).map((day) => -day)),
    weekdays: isOpen && freq === 'WEEKLY' ? [anchor.weekday] : [...new Set(plain)],
    ordinals: byDay.filter(({ nth }) => nth !== 0),
    ordinalsOfYear,
  };
}

/** Numbers from 0 to 31 as the bits of one. */
function bits(numbers: readonly number[]): number {
  let found = 0;
  for (const number of numbers) found |= 1 << number;
  return found;
}

/** The set of days that the BY parts make of a year, before BYSETPOS. */
function setsOf({ months, fromStart, fromEnd, weekdays, ordinals, ordinalsOfYear }: Parts) {
  const anyMonthDay = (fromStart | fromEnd) === 0;
  const anyWeekday = weekdays.length + ordinals.length === 0;

  /** Of a month of so many days that begins with a weekday; `ordinalDays` are added to those of the weekdays. */
  const ofMonth = (first: number, length: number, ordinalDays: number): number => {
    let days = daysFromTo(1, length);
    if (!anyMonthDay) {
      let listed = fromStart;
      for (let rest = fromEnd; rest !== 0; rest &= rest - 1) {
        const day = length + 1 - firstDay(rest);
        if (day > 0) listed |= 1 << day;
      }
      days &= listed;
    }
    if (anyWeekday) return days;
    let ofWeek = ordinalDays;
    for (const weekday of weekdays) ofWeek |= EVERY_SEVENTH << ((weekday - first + 7) % 7);
    return days & ofWeek;
  };

  /** Without ordinals of the year a month follows from its length and the weekday that it begins with. */
  const kinds: (number | undefined)[] = [];
  const kindOf = (first: number, length: number): number => {
    const kind = first * 4 + length - 28;
    return (kinds[kind] ??= ofMonth(
      first,
      length,
      bits(ordinals.map((each) => ordinalDay(each, first, length))),
    ));
  };
  return (year: number): MonthDays => {
    const set: MonthDays = new Int32Array(13);
    const ofYear = ordinalsOfYear && ordinals.length > 0 ? ordinalDaysOfYear(ordinals, year) : null;
    let first = weekdayOf(dayNumber(year, 1, 1));
    for (let month = 1; month <= 12; month++) {
      const length = daysInMonth(year, month);
      if (((months >> month) & 1) === 1)
        set[month] = ofYear ? ofMonth(first, length, ofYear[month]!) : kindOf(first, length);
      first = (first + length) % 7;
    }
    return set;
  };
}

/** The place from 1 of the nth weekday among so many days that begin with a weekday; 0 when there is no such. */
function ordinalDay({ weekday, nth }: Ordinal, first: number, length: number): number {
  const earliest = 1 + ((weekday - first + 7) % 7);
  const latest = earliest + Math.floor((length - earliest) / 7) * 7;
  const day = nth > 0 ? earliest + (nth - 1) * 7 : latest + (nth + 1) * 7;
  return day >= 1 && day <= length ? day : 0;
}

function ordinalDaysOfYear(ordinals: readonly Ordinal[], year: number): MonthDays {
  const found: MonthDays = new Int32Array(13);
  const first = weekdayOf(dayNumber(year, 1, 1));
  for (const ordinal of ordinals) {
    let day = ordinalDay(ordinal, first, isLeapYear(year) ? 366 : 365);
    if (day === 0) continue;
    let month = 1;
    for (; day > daysInMonth(year, month); month++) day -= daysInMonth(year, month);
    found[month]! |= 1 << day;
  }
  return found;
}

/** What BYSETPOS leaves of the set of a year. */
type Picker = (set: MonthDays, year: number) => MonthDays;

const PICKERS: Record<Recurrence['freq'], (rule: Recurrence, parts: Parts) => Picker> = {
  YEARLY({ bySetPos }) {
    return (set) => {
      const picked: MonthDays = new Int32Array(13);
      const places = placesOf(bySetPos, counted(set)[0]!);
      for (let month = 1, before = 0; month <= 12; before += countDays(set[month]!), month++)
        picked[month] = daysAt(set[month]!, places, before);
      return picked;
    };
  },
  MONTHLY({ bySetPos }) {
    const known = new Map<number, number>();
    const pick = (days: number): number => {
      let picked = known.get(days);
      if (picked === undefined)
        known.set(days, (picked = daysAt(days, placesOf(bySetPos, countDays(days)), 0)));
      return picked;
    };
    return (set) => set.map(pick);
  },
  WEEKLY({ bySetPos, weekStart }, { weekdays }) {
    // Days of a week as bits, 0 for the one that it begins with.
    const whole = bits(weekdays.map((weekday) => (weekday - weekStart + 7) % 7));
    const known: (number | undefined)[] = [];
    const pick = (week: number) =>
      (known[week] ??= daysAt(week << 1, placesOf(bySetPos, countDays(week)), 0) >>> 1);
    return (set, year) =>
      set.map((days, month) => {
        if (days === 0) return 0;
        const length = daysInMonth(year, month);
        const [hasBefore, hasAfter] = [set[month === 1 ? 12 : month - 1] !== 0, set[(month % 12) + 1] !== 0];
        let picked = 0;
        // The place in the month of the first day of each week that touches it.
        let start = 1 - ((weekdayOf(dayNumber(year, month, 1)) - weekStart + 7) % 7);
        for (; start <= length; start += 7) {
          let week = whole;
          if (start < 1 && !hasBefore) week &= ALL_DAYS << (1 - start);
          if (start + 6 > length && !hasAfter) week &= ~(ALL_DAYS << (length - start + 1));
          picked |= start < 0 ? pick(week) >>> -start : pick(week) << start;
        }
        return picked & daysFromTo(1, length);
      });
  },
  DAILY({ bySetPos }) {
    // The set of a day is that day, or empty.
    const isPicked = placesOf(bySetPos, 1).length > 0;
    return (set) => (isPicked ? set : new Int32Array(13));
  },
};

/** The places from 0, in order, that are picked of so many days. */
function placesOf(positions: readonly number[], length: number): number[] {
  const places = new Set<number>();
  for (const position of positions) {
    const place = position > 0 ? position - 1 : length + position;
    if (place >= 0 && place < length) places.add(place);
  }
  return [...places].toSorted((a, b) => a - b);
}

/** Those of some days that stand at some places, which count on from so many days before them. */
function daysAt(days: number, places: readonly number[], before: number): number {
  let picked = 0;
  let index = before;
  let next = places.findIndex((place) => place >= before);
  if (next < 0) return 0;
  for (let rest = days; rest !== 0; rest &= rest - 1, index++) {
    if (places[next] !== index) continue;
    picked |= rest & -rest;
    next++;
  }
  return picked;
}

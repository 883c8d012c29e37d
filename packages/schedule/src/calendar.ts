/** The proleptic Gregorian calendar as day numbers: day 0 is 1 January 1970, a Thursday. */

export const MINUTES_PER_DAY = 1440;
export const MS_PER_MINUTE = 60_000;
export const MS_PER_DAY = 86_400_000;
/** The calendar repeats every 400 years, weekdays included. */
const DAYS_PER_400_YEARS = 146_097;
/** Rules can be anchored and schedules evaluated from 1 January 1970 to the end of this year. */
export const LAST_YEAR = 2200;

/** A calendar day with everything that a recurrence rule refers to. */
export interface Day {
  /** Days since 1 January 1970. */
  readonly number: number;
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  /** 1–31. */
  readonly dayOfMonth: number;
  /** 0 is Monday, 6 is Sunday. */
  readonly weekday: number;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** @param month 1–12 */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) {
    return isLeapYear(year) ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function daysBeforeMonth(year: number, month: number): number {
  return DAYS_BEFORE_MONTH[month - 1]! + (month > 2 && isLeapYear(year) ? 1 : 0);
}

function daysBeforeYear(year: number): number {
  const y = year - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) - 719_162;
}

/** Whether rules may be anchored on this day. */
export function isAnchorDay(number: number): boolean {
  return number >= 0 && number < dayNumber(LAST_YEAR + 1, 1, 1);
}

/** Day number of a date. The date must exist. */
export function dayNumber(year: number, month: number, dayOfMonth: number): number {
  return daysBeforeYear(year) + daysBeforeMonth(year, month) + dayOfMonth - 1;
}

/** 0 is Monday, 6 is Sunday. */
export function weekdayOf(number: number): number {
  return (((number + 3) % 7) + 7) % 7;
}

/** The day with a number. Years are counted from March, so that the leap day comes last. */
export function dayFromNumber(number: number): Day {
  const fromEpoch = number + 719_468;
  const era = Math.floor(fromEpoch / DAYS_PER_400_YEARS);
  const dayOfEra = fromEpoch - era * DAYS_PER_400_YEARS;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const sinceMarch = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // Months from March on begin on days 0, 31, 61, 92, … of such a year.
  const monthSinceMarch = Math.floor((5 * sinceMarch + 2) / 153);
  const month = monthSinceMarch < 10 ? monthSinceMarch + 3 : monthSinceMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const dayOfMonth = sinceMarch - Math.floor((153 * monthSinceMarch + 2) / 5) + 1;
  return {
    number,
    year,
    month,
    dayOfMonth,
    weekday: weekdayOf(number),
  };
}

/** `YYYY-MM-DD` to a day number; null when the date does not exist. */
export function parseDate(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) {
    return null;
  }
  const [year, month, dayOfMonth] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > daysInMonth(year, month)) {
    return null;
  }
  return dayNumber(year, month, dayOfMonth);
}

/** Day number to `YYYY-MM-DD`. */
export function formatDate(number: number): string {
  const { year, month, dayOfMonth } = dayFromNumber(number);
  return [String(year).padStart(4, '0'), padTwo(month), padTwo(dayOfMonth)].join('-');
}

/** Minutes of a day to `HH:MM`. */
export function formatMinutes(minutes: number): string {
  return `${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}`;
}

function padTwo(value: number): string {
  return String(value).padStart(2, '0');
}

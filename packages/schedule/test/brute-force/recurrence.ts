/**
 * Slow reference implementation of RFC 5545: expands period after period from the anchor into a list of days and then
 * limits it. It shares no code with the engine, not even the calendar (`Date` does the arithmetic).
 */

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export interface SlowRecurrence {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  count: number | null;
  /** As written after `UNTIL=`; only its date counts here, see `stillOpens` for the time. */
  until: string | null;
  /** `MO`, `2TU`, `-1FR`. */
  byDay: string[];
  byMonthDay: number[];
  byMonth: number[];
  bySetPos: number[];
  wkst: Weekday;
}

/** UTC midnight of a day as its number. */
type DayNumber = number;

const utc = (day: DayNumber) => new Date(day * 86_400_000);
const date = (year: number, month: number, dayOfMonth: number): DayNumber =>
  Date.UTC(year, month - 1, dayOfMonth) / 86_400_000;
const weekday = (day: DayNumber): Weekday => WEEKDAYS[(utc(day).getUTCDay() + 6) % 7]!;

export function textOf(rule: SlowRecurrence): string {
  const parts = [`FREQ=${rule.freq}`];
  if (rule.interval !== 1) {
    parts.push(`INTERVAL=${rule.interval}`);
  }
  if (rule.count !== null) {
    parts.push(`COUNT=${rule.count}`);
  }
  if (rule.until !== null) {
    parts.push(`UNTIL=${rule.until}`);
  }
  if (rule.byMonth.length > 0) {
    parts.push(`BYMONTH=${rule.byMonth.join(',')}`);
  }
  if (rule.byMonthDay.length > 0) {
    parts.push(`BYMONTHDAY=${rule.byMonthDay.join(',')}`);
  }
  if (rule.byDay.length > 0) {
    parts.push(`BYDAY=${rule.byDay.join(',')}`);
  }
  if (rule.bySetPos.length > 0) {
    parts.push(`BYSETPOS=${rule.bySetPos.join(',')}`);
  }
  if (rule.wkst !== 'MO') {
    parts.push(`WKST=${rule.wkst}`);
  }
  return parts.join(';');
}

/** All days from the anchor to `to` on which the rule recurs. `opens`: whether UNTIL allows a day's window to open. */
export function slowDays(
  rule: SlowRecurrence,
  anchor: DayNumber,
  to: DayNumber,
  opens: (day: DayNumber) => boolean,
): DayNumber[] {
  const days: DayNumber[] = [];
  for (let period = 0; ; period += rule.interval) {
    const [first, last] = periodDays(rule, anchor, period);
    if (first > to) {
      return days;
    }
    const set = expand(rule, anchor, first, last);
    const positions = rule.bySetPos.map((n) => set.at(n > 0 ? n - 1 : n));
    const picked = rule.bySetPos.length === 0 ? set : set.filter((day) => positions.includes(day));
    for (const day of picked) {
      if (day < anchor) {
        continue;
      }
      if (day > to || !opens(day) || days.length === rule.count) {
        return days;
      }
      days.push(day);
    }
  }
}

function periodDays(rule: SlowRecurrence, anchor: DayNumber, period: number): [DayNumber, DayNumber] {
  const start = utc(anchor);
  const year = start.getUTCFullYear();
  const month = start.getUTCMonth() + 1;
  if (rule.freq === 'DAILY') {
    return [anchor + period, anchor + period];
  }
  if (rule.freq === 'MONTHLY') {
    return [date(year, month + period, 1), date(year, month + period + 1, 1) - 1];
  }
  if (rule.freq === 'YEARLY') {
    return [date(year + period, 1, 1), date(year + period + 1, 1, 1) - 1];
  }
  let weekStart = anchor;
  while (weekday(weekStart) !== rule.wkst) {
    weekStart--;
  }
  return [weekStart + period * 7, weekStart + period * 7 + 6];
}

function expand(rule: SlowRecurrence, anchor: DayNumber, first: DayNumber, last: DayNumber): DayNumber[] {
  const all: DayNumber[] = [];
  for (let day = first; day <= last; day++) {
    all.push(day);
  }
  const start = utc(anchor);
  const plain = rule.byDay.length === 0 && rule.byMonthDay.length === 0;
  const byMonthDay =
    plain && (rule.freq === 'MONTHLY' || rule.freq === 'YEARLY') ? [start.getUTCDate()] : rule.byMonthDay;
  const byMonth =
    plain && rule.freq === 'YEARLY' && rule.byMonth.length === 0 ? [start.getUTCMonth() + 1] : rule.byMonth;
  const byDay = plain && rule.freq === 'WEEKLY' ? [weekday(anchor)] : rule.byDay;

  return all
    .filter((day) => byMonth.length === 0 || byMonth.includes(utc(day).getUTCMonth() + 1))
    .filter((day) => {
      if (byMonthDay.length === 0) {
        return true;
      }
      const [year, month] = [utc(day).getUTCFullYear(), utc(day).getUTCMonth() + 1];
      const length = date(year, month + 1, 1) - date(year, month, 1);
      return byMonthDay.some((n) => utc(day).getUTCDate() === (n > 0 ? n : length + 1 + n));
    })
    .filter((day) => byDay.length === 0 || byDay.some((code) => isNth(rule, code, day)));
}

/** Whether a day is, for example, the `2TU` of its month, or of its year in a yearly rule without months. */
function isNth(rule: SlowRecurrence, code: string, day: DayNumber): boolean {
  if (weekday(day) !== code.slice(-2)) {
    return false;
  }
  const nth = Number(code.slice(0, -2));
  if (nth === 0) {
    return true;
  }
  const [year, month] = [utc(day).getUTCFullYear(), utc(day).getUTCMonth() + 1];
  const ofYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0;
  const from = ofYear ? date(year, 1, 1) : date(year, month, 1);
  const to = ofYear ? date(year + 1, 1, 1) : date(year, month + 1, 1);
  const such: DayNumber[] = [];
  for (let other = from; other < to; other++) {
    if (weekday(other) === weekday(day)) {
      such.push(other);
    }
  }
  return such.at(nth > 0 ? nth - 1 : nth) === day;
}

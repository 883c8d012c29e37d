import type { RandomRule } from './random-rule.ts';
import { slowDays } from './recurrence.ts';
import { firstReading, wallReader } from './wall-clock.ts';

/** Whether a rule is active at a day and minute of wall time: looked up in a plain list of days. */
export type SlowRule = (day: number, minute: number) => boolean;

export function slowRule(
  { rule, recurrence, exceptions }: RandomRule,
  zone: string,
  lastDay: number,
): SlowRule {
  const start = minutes(rule.start_time);
  const end = minutes(rule.end_time);
  const from = rule.starts_on === null ? -Infinity : dayOf(rule.starts_on);
  const to = rule.ends_on === null ? Infinity : dayOf(rule.ends_on);

  let opensOn: (day: number) => boolean;
  if (recurrence) {
    const anchor = rule.starts_on === null ? wallReader(zone)(Date.parse(rule.created_at)).day : from;
    const { until } = recurrence;
    const stillOpens = (day: number): boolean => {
      if (until === null) {
        return true;
      }
      const text = `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`;
      if (until.length === 8) {
        return day <= dayOf(text);
      }
      const time = `${until.slice(9, 11)}:${until.slice(11, 13)}`;
      if (until.endsWith('Z'))
      // The exact instant matters only close to the end.
      {
        return Math.abs(day - dayOf(text)) > 3
          ? day < dayOf(text)
          : firstReading(zone, day, start) <= Date.parse(`${text}T${time}Z`);
      }
      return day < dayOf(text) || (day === dayOf(text) && start <= minutes(time));
    };
    const days = new Set(slowDays(recurrence, anchor, Math.min(lastDay, to), stillOpens));
    opensOn = (day) => days.has(day);
  } else {
    const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
    const weekday = (day: number) => names[new Date(day * 86_400_000).getUTCDay()];
    opensOn = (day) => day >= from && day <= to && rule.days!.some((code) => code === weekday(day));
  }
  const excepted = new Set(
    exceptions.map((text) =>
      text.endsWith('Z') ? wallReader(zone)(Date.parse(text)).day : dayOf(text.slice(0, 10)),
    ),
  );
  const daysLater = rule.end_day_offset || (end > start ? 0 : 1);
  const opens = (day: number) => opensOn(day) && !excepted.has(day);
  return (day, minute) => {
    // Every day on which a window that lasts until this minute or longer may have opened.
    for (let before = 0; before <= daysLater; before++) {
      const isIn = (before > 0 || minute >= start) && (before < daysLater || minute < end);
      if (isIn && opens(day - before)) {
        return true;
      }
    }
    return false;
  };
}

function minutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function dayOf(date: string): number {
  return Date.parse(`${date}T00:00Z`) / 86_400_000;
}

/** A second implementation of the precedence of rules. */
export function slowOrder(rules: readonly RandomRule[]): RandomRule[] {
  return rules.toSorted(({ rule: a }, { rule: b }) => {
    if (a.priority !== b.priority) {
      return a.priority > b.priority ? -1 : 1;
    }
    if (a.updated_at !== b.updated_at) {
      return a.updated_at > b.updated_at ? -1 : 1;
    }
    return a.id < b.id ? -1 : 1;
  });
}

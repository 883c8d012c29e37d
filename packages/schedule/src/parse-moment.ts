import { MS_PER_DAY, dayNumber, daysInMonth } from './calendar.ts';
import type { Moment } from './recurrence-rule.ts';

/** `20261231`, `20261231T180000` or `20261231T180000Z`; null when it is none of them. */
export function parseMoment(text: string): Moment | null {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/.exec(text);
  if (!match) {
    return null;
  }
  const [year, month, day, hour, minute, second] = parseNumbers(match.slice(1, 7));
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) {
    return null;
  }
  if (hour > 23 || minute > 59 || second > 60) {
    return null;
  }
  const ms = dayNumber(year, month, day) * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
  return { kind: match[4] === undefined ? 'date' : match[7] === 'Z' ? 'instant' : 'local', ms };
}

function parseNumbers(texts: readonly (string | undefined)[]) {
  const at = (index: number) => Number(texts[index] ?? 0);
  return [at(0), at(1), at(2), at(3), at(4), at(5)] as const;
}

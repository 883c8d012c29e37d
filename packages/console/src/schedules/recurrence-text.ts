/** The parts of an `rrule` that the form has fields for. */
export interface Recurrence {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  /** Weekdays from 0 (Monday); `nth` is 0 for each, 1 for the first of the month, -1 for the last. */
  weekdays: readonly { weekday: number; nth: number }[];
  /** Days of the month; negative ones count from its end. */
  monthDays: readonly number[];
  /** Months from 1. */
  months: readonly number[];
  count: number | null;
  /** `YYYY-MM-DD`. */
  until: string | null;
}

const FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export const WEEKDAY_CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const KNOWN = new Set(['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'COUNT', 'UNTIL']);

/** Reads an `rrule`; null for one with other parts or values, which only its text describes. */
export function readRecurrence(text: string): Recurrence | null {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .replace(/^RRULE:/, '')
    .split(';')) {
    const [name = '', value = ''] = part.split('=');
    if (part !== '' && name !== 'WKST' && (!KNOWN.has(name) || value === '' || parts.has(name))) {
      return null;
    }
    if (name === 'WKST' && value !== 'MO') {
      return null;
    }
    parts.set(name, value);
  }
  const freq = FREQUENCIES.find((each) => each === parts.get('FREQ'));
  const numbers = (name: string) => (parts.get(name)?.split(',') ?? []).map(Number);
  const weekdays = (parts.get('BYDAY')?.split(',') ?? []).map((day) => {
    const match = /^([+-]?\d+)?([A-Z]{2})$/.exec(day);
    return {
      weekday: WEEKDAY_CODES.findIndex((code) => code === match?.[2]),
      nth: Number(match?.[1] ?? 0),
    };
  });
  const until = parts.get('UNTIL');
  const untilDate = until === undefined ? null : /^(\d{4})(\d{2})(\d{2})$/.exec(until);
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const count = parts.has('COUNT') ? Number(parts.get('COUNT')) : null;
  const all = [...numbers('BYMONTHDAY'), ...numbers('BYMONTH'), interval, count ?? 1];
  if (
    !freq ||
    all.some((value) => !Number.isInteger(value) || value === 0) ||
    weekdays.some(({ weekday }) => weekday < 0) ||
    (until !== undefined && !untilDate)
  ) {
    return null;
  }
  return {
    freq,
    interval,
    weekdays,
    monthDays: numbers('BYMONTHDAY'),
    months: numbers('BYMONTH'),
    count,
    until: untilDate ? untilDate.slice(1).join('-') : null,
  };
}

const list = (name: string, values: readonly (string | number)[]): string[] =>
  values.length > 0 ? [`${name}=${values.join(',')}`] : [];

/** The `rrule` of these parts. */
export function writeRecurrence(recurrence: Recurrence): string {
  const { freq, interval, weekdays, monthDays, months, count, until } = recurrence;
  return [
    `FREQ=${freq}`,
    ...(interval === 1 ? [] : [`INTERVAL=${interval}`]),
    ...list('BYMONTH', months),
    ...list('BYMONTHDAY', monthDays),
    ...list(
      'BYDAY',
      weekdays.map(({ weekday, nth }) => `${nth === 0 ? '' : nth}${WEEKDAY_CODES[weekday] ?? 'MO'}`),
    ),
    ...(count === null ? [] : [`COUNT=${count}`]),
    ...(until === null ? [] : [`UNTIL=${until.replaceAll('-', '')}`]),
  ].join(';');
}

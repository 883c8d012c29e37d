import type { Rule } from '../../src/index.ts';
import { EVERY_DAY, makeRule } from '../rules.ts';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { WEEKDAYS, textOf } from './recurrence.ts';
import type { SlowRecurrence } from './recurrence.ts';

/** A random rule and, when it has an rrule, its parts, so that they need not be parsed again. */
export interface RandomRule {
  rule: Rule;
  recurrence: SlowRecurrence | null;
  /** Everything that `except_dates` and the EXDATE lines name: dates, and instants with a `Z`. */
  exceptions: string[];
}

/** Error-prone times: around midnight and the hours that offset changes skip or repeat. */
const TIMES = [
  '00:00',
  '00:01',
  '00:30',
  '01:00',
  '01:30',
  '01:59',
  '02:00',
  '02:15',
  '02:30',
  '03:00',
  '12:00',
  '22:00',
  '23:00',
  '23:30',
  '23:59',
];

export function randomTime(random: SeededRandom): string {
  if (random.chance(0.6)) {
    return random.pick(TIMES);
  }
  return `${two(random.int(0, 23))}:${two(random.int(0, 59))}`;
}

/** @param day day number near which the rule should be active */
export function randomRule(random: SeededRandom, id: string, day: number): RandomRule {
  const start = randomTime(random);
  const end = random.chance(0.1) ? '24:00' : random.chance(0.15) ? start : randomTime(random);
  const recurrence = random.chance(0.5) ? randomRecurrence(random, day) : null;
  const exceptDates = random.chance(0.3) ? randomDates(random, day) : [];
  const exdates =
    recurrence && random.chance(0.3)
      ? randomDates(random, day).map((on) => (random.chance(0.3) ? `${on}T${randomTime(random)}:00Z` : on))
      : [];
  const exdateLine = `\nEXDATE:${exdates.map((text) => text.replaceAll(/[-:]/g, '')).join(',')}`;
  const rule = makeRule({
    id,
    playlist_id: `pl_${random.int(1, 3)}`,
    start_time: start,
    end_time: end,
    days: recurrence ? null : random.some(EVERY_DAY, 0.4),
    rrule: recurrence ? textOf(recurrence) + (exdates.length > 0 ? exdateLine : '') : null,
    end_day_offset: random.chance(0.3) ? random.int(1, 6) : 0,
    except_dates: exceptDates,
    local_time: random.chance(0.3),
    priority: random.int(0, 3),
    starts_on: random.chance(0.3) ? isoDay(day + random.int(-40, 3)) : null,
    ends_on: random.chance(0.2) ? isoDay(day + random.int(-3, 20)) : null,
    created_at: new Date((day - random.int(5, 400)) * 86_400_000 + 12 * 3_600_000).toISOString(),
    updated_at: new Date((day - random.int(0, 2)) * 86_400_000).toISOString(),
  });
  return { rule, recurrence, exceptions: [...exceptDates, ...exdates] };
}

function randomDates(random: SeededRandom, day: number): string[] {
  return Array.from({ length: random.int(1, 6) }, () => isoDay(day + random.int(-9, 5)));
}

export function randomRecurrence(random: SeededRandom, day: number): SlowRecurrence {
  const freq = random.pick(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const);
  const rule: SlowRecurrence = {
    freq,
    interval: random.chance(0.5) ? 1 : random.int(2, freq === 'YEARLY' ? 3 : 5),
    count: null,
    until: null,
    byDay: [],
    byMonthDay: [],
    byMonth: random.chance(0.25) ? random.some([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 0.35) : [],
    bySetPos: [],
    wkst: random.chance(0.5) ? 'MO' : random.pick(WEEKDAYS),
  };
  if (random.chance(0.65)) {
    rule.byDay = randomByDay(random, freq);
  }
  if (freq !== 'WEEKLY' && random.chance(0.35)) {
    rule.byMonthDay = random.some([1, 2, 13, 15, 28, 29, 30, 31, -1, -2, -15, -31], 0.2);
  }
  if (rule.byDay.length + rule.byMonthDay.length + rule.byMonth.length > 0 && random.chance(0.25)) {
    rule.bySetPos = random.some([1, 2, 3, 5, -1, -2, -4], 0.25);
  }
  const end = random.int(0, 9);
  if (end < 2) {
    rule.count = random.int(1, 40);
  }
  if (end === 2) {
    rule.until = compactDay(day + random.int(-3, 8));
  }
  if (end === 3) {
    rule.until = `${compactDay(day + random.int(-2, 5))}T${randomTime(random).replace(':', '')}00`;
  }
  if (end === 4) {
    rule.until = `${compactDay(day + random.int(-2, 5))}T${randomTime(random).replace(':', '')}00Z`;
  }
  return rule;
}

function randomByDay(random: SeededRandom, freq: SlowRecurrence['freq']): string[] {
  const days = random.some(WEEKDAYS, 0.3);
  if (freq === 'DAILY' || freq === 'WEEKLY') {
    return days;
  }
  const furthest = freq === 'YEARLY' && random.chance(0.3) ? 53 : 5;
  return days.map((day) => {
    if (random.chance(0.4)) {
      return day;
    }
    const nth = random.int(1, furthest);
    return `${random.chance(0.3) ? -nth : nth}${day}`;
  });
}

export function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function compactDay(day: number): string {
  return isoDay(day).replaceAll('-', '');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

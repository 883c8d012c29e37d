import type { DayCode, Rule, ScheduleSet } from '@placard/schedule';
import { createSeededRandom } from '../support/seeded-random.ts';

export const ZONE = 'America/New_York';

const DAYS: readonly DayCode[] = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** A rule for the benchmark, and the equivalent rrule for the other libraries. */
export interface BenchRule {
  readonly rule: Rule;
  readonly rrule: string;
  readonly startMinutes: number;
  readonly lengthMinutes: number;
}

/**
 * Mixed rules: four in ten weekly, two DAILY, two WEEKLY and two MONTHLY or YEARLY recurrences; one in four runs past
 * midnight; a few have COUNT or UNTIL.
 *
 * @param windowMinutes length of each window
 */
export function mixedRules(count: number, anchorYear: number, windowMinutes: number): BenchRule[] {
  const random = createSeededRandom(7);
  return Array.from({ length: count }, (_, index): BenchRule => {
    const weekday = () => random.pick(WEEKDAYS);
    const shapes = [
      null,
      null,
      null,
      null,
      `FREQ=DAILY;INTERVAL=${random.int(1, 5)}`,
      random.int(0, 1) === 0 ? 'FREQ=DAILY;COUNT=20000' : 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR',
      `FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=${weekday()},${weekday()}`,
      `FREQ=WEEKLY;BYDAY=${weekday()};UNTIL=20401231T235959Z`,
      `FREQ=MONTHLY;BYDAY=${random.pick([1, 2, 3, 4, -1])}${weekday()}`,
      random.pick([
        'FREQ=MONTHLY;BYMONTHDAY=1,15,-1',
        'FREQ=YEARLY;BYMONTH=3,7,11;BYMONTHDAY=13',
        'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
        'FREQ=MONTHLY;BYDAY=2TU;COUNT=40',
      ]),
    ];
    const rrule = shapes[index % shapes.length]!;
    const days = [...new Set([random.pick(DAYS), random.pick(DAYS), random.pick(DAYS)])];
    const startMinutes = random.int(0, 1439);
    const rule: Rule = {
      id: `rule_${index}`,
      playlist_id: `pl_${index}`,
      start_time: formatTime(startMinutes),
      end_time: formatTime((startMinutes + windowMinutes) % 1440),
      days: rrule === null ? days : null,
      rrule,
      priority: random.int(0, 1000),
      starts_on: `${anchorYear}-01-0${random.int(1, 9)}`,
      ends_on: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    const weekly = `FREQ=WEEKLY;BYDAY=${days.map((day) => day.slice(0, 2)).join(',')}`;
    return { rule, rrule: rrule ?? weekly, startMinutes, lengthMinutes: windowMinutes };
  });
}

/** Ten rules per schedule, all for one tag. */
export function toScheduleSet(rules: readonly BenchRule[]): ScheduleSet {
  const schedules = Array.from({ length: Math.ceil(rules.length / 10) }, (_, index) => ({
    id: `sch_${index}`,
    name: `Schedule ${index}`,
    targets: [{ type: 'tag' as const, value: 'lobby' }],
    rules: rules.slice(index * 10, index * 10 + 10).map(({ rule }) => rule),
  }));
  return { timezone: ZONE, schedules };
}

function formatTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

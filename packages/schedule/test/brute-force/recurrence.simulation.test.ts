import { describe, expect, test } from 'vitest';
import { evaluateSchedules, compileSchedules } from '../../src/index.ts';
import { MANIFEST_DEVICE, makeRule, makeSet } from '../rules.ts';
import { daysByEngine } from './engine-days.ts';
import { daysByRrule, daysByTemporal, temporalIn } from './other-libraries.ts';
import { randomRecurrence } from './random-rule.ts';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { WEEKDAYS, slowDays, textOf } from './recurrence.ts';
import type { SlowRecurrence } from './recurrence.ts';

const DAYS_AHEAD = 1200;

describe('random recurrences fall on the same days', () => {
  test('as a period-by-period expansion from the anchor', () => {
    const { compared, differences } = compareDays(
      101,
      1000,
      () => true,
      (rule, anchor, to) => {
        const until = rule.until === null ? Infinity : dayOf(rule.until);
        return slowDays(rule, anchor, to, (day) => day <= until);
      },
    );
    expect(differences.slice(0, 3)).toEqual([]);
    expect(compared).toBe(1000 * DAYS_AHEAD);
  }, 60_000);

  test('also where set positions and COUNT decide, over 25 years', () => {
    const random = createSeededRandom(105);
    const differences: string[] = [];
    for (let index = 0; index < 400; index++) {
      const anchor = dayOf('19700101') + random.int(0, 70_000);
      const rule = randomRecurrence(random, anchor);
      rule.until = null;
      rule.count = random.int(1, random.pick([20, 300, 3000]));
      rule.interval = random.pick([1, 2, 3, 7, 13, 40]);
      if (random.chance(0.5)) {
        rule.byMonth = random.some([1, 2, 6, 11, 12], 0.5);
        if (rule.byDay.length === 0) {
          rule.byDay = random.some(WEEKDAYS, 0.5);
        }
        rule.bySetPos = random.some([1, 2, 3, 4, 5, 20, -1, -2, -3, -30], 0.4);
      }
      const to = anchor + 25 * 366;
      const mine = daysByEngine(textOf(rule), anchor, to);
      const theirs = slowDays(rule, anchor, to, () => true);
      if (mine.join() !== theirs.join()) {
        differences.push(`seed 105, ${textOf(rule)} from ${isoDay(anchor)}`);
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
  }, 120_000);

  test('as rrule-temporal, except for rules that it interprets differently', () => {
    const { compared, differences } = compareDays(102, 450, temporalAgrees, (rule, anchor, to) =>
      daysByTemporal(textOf(rule), anchor, to),
    );
    expect(differences.slice(0, 3)).toEqual([]);
    expect(compared).toBeGreaterThan(380 * DAYS_AHEAD);
  }, 60_000);

  test('as the rrule package, except for rules that it gets wrong', () => {
    const { compared, differences } = compareDays(103, 300, rruleAgrees, (rule, anchor, to) =>
      daysByRrule(textOf(rule), anchor, to),
    );
    expect(differences.slice(0, 3)).toEqual([]);
    expect(compared).toBeGreaterThan(90 * DAYS_AHEAD);
  }, 60_000);
});

describe('in a zone with summer time', () => {
  test('the next opening agrees with rrule-temporal', () => {
    const random = createSeededRandom(104);
    const differences: string[] = [];
    let compared = 0;
    for (let index = 0; index < 90; index++) {
      const zone = random.pick([
        'America/New_York',
        'Australia/Sydney',
        'Europe/Berlin',
        'Africa/Casablanca',
      ]);
      const recurrence = randomRecurrence(random, dayOf('20260101') + random.int(0, 300));
      recurrence.until = null;
      if (!temporalAgrees(recurrence)) {
        continue;
      }
      // By day, when no offset changes; the hours at night are tested below.
      const minutes = random.int(4 * 60, 23 * 60 - 2);
      const anchor = isoDay(dayOf('20260101') + random.int(0, 30));
      const next = nextOpenings(zone, textOf(recurrence), anchor, minutes);
      for (let ask = 0; ask < 40; ask++) {
        const atMs = Date.parse('2026-01-01T00:00Z') + random.int(0, 400 * 1440) * 60_000 + 1;
        const [mine, theirs] = next(atMs);
        compared++;
        if (mine !== theirs) {
          differences.push(
            `seed 104, ${zone}, ${textOf(recurrence)} from ${anchor} at ${minutes}: ${mine} against ${theirs}`,
          );
        }
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    expect(compared).toBeGreaterThan(70 * 40);
  }, 60_000);

  test('a start in the skipped hour begins at the jump (rrule-temporal skips the day)', () => {
    const next = nextOpenings('America/New_York', 'FREQ=DAILY', '2026-03-01', 150, 60);
    expect(next(Date.parse('2026-03-08T00:00-05:00'))).toEqual([
      '2026-03-08T07:00:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ]);
  });

  test('a start in the repeated hour opens in both passes (rrule-temporal only in the first)', () => {
    const next = nextOpenings('America/New_York', 'FREQ=DAILY', '2026-10-01', 90, 10);
    expect(next(Date.parse('2026-11-01T00:00-04:00'))).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T05:30:00.000Z',
    ]);
    expect(next(Date.parse('2026-11-01T01:45-04:00'))).toEqual([
      '2026-11-01T06:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ]);
  });
});

/** The next opening after an instant within a year: by the engine, and by rrule-temporal. */
function nextOpenings(zone: string, rrule: string, anchor: string, startMinutes: number, lengthMinutes = 1) {
  const rule = makeRule({
    rrule,
    starts_on: anchor,
    start_time: clockTime(startMinutes),
    end_time: clockTime(startMinutes + lengthMinutes),
  });
  const compiled = compileSchedules(makeSet(zone, rule));
  const temporal = temporalIn(zone, rrule, anchor, rule.start_time);
  return (atMs: number) => {
    const now = evaluateSchedules(compiled, MANIFEST_DEVICE, atMs);
    const opening = now.rule ? evaluateSchedules(compiled, MANIFEST_DEVICE, now.until!).until : now.until;
    return [opening, temporal(atMs, opening === null)].map((ms) =>
      ms === null ? 'never' : new Date(ms).toISOString(),
    );
  };
}

function clockTime(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** One test per disagreement. When one fails, a library has changed its behaviour: review it. */
describe('where the libraries differ, the engine follows the RFC', () => {
  const january2025 = dayOf('20250101');
  const engine = (text: string, days: number) =>
    daysByEngine(text, january2025, january2025 + days).map(isoDay);
  const temporal = (text: string, days: number) =>
    daysByTemporal(text, january2025, january2025 + days).map(isoDay);
  const rrule = (text: string, days: number) =>
    daysByRrule(text, january2025, january2025 + days).map(isoDay);

  test('a yearly rule may combine plain weekdays and ordinals: both count (rrule-temporal drops the plain ones)', () => {
    const text = 'FREQ=YEARLY;BYDAY=MO,2TU';
    expect(engine(text, 20)).toEqual(['2025-01-06', '2025-01-13', '2025-01-14', '2025-01-20']);
    expect(temporal(text, 20)).toEqual(['2025-01-14']);
  });

  test('so may a monthly rule (the rrule package takes the intersection: only the last Friday)', () => {
    const text = 'FREQ=MONTHLY;BYDAY=FR,-1FR';
    expect(engine(text, 30)).toEqual(['2025-01-03', '2025-01-10', '2025-01-17', '2025-01-24', '2025-01-31']);
    expect(rrule(text, 30)).toEqual(['2025-01-31']);
    expect(temporal(text, 30)).toEqual(engine(text, 30));
  });

  test('BYMONTHDAY limits the ordinal days of a yearly rule (rrule-temporal ignores BYMONTHDAY)', () => {
    const text = 'FREQ=YEARLY;BYMONTHDAY=1,14;BYDAY=2TU';
    expect(engine(text, 800)).toEqual(['2025-01-14']);
    expect(temporal(text, 800)).toEqual(['2025-01-14', '2026-01-13', '2027-01-12']);
    expect(rrule(text, 800)).toEqual(engine(text, 800));
  });

  test('a year without a 53rd Thursday is skipped (rrule-temporal counts into the next year)', () => {
    const text = 'FREQ=YEARLY;BYDAY=53TH';
    expect(engine(text, 800)).toEqual(['2026-12-31']);
    expect(temporal(text, 800)).toEqual(['2026-01-01', '2026-12-31']);
    expect(rrule(text, 800)).toEqual(engine(text, 800));
  });

  test('BYSETPOS picks from the whole first week (the rrule package from the part after the anchor)', () => {
    // 1 January 2025 is a Wednesday: the first day of that week's set, the Monday, is before the anchor.
    const text = 'FREQ=WEEKLY;BYDAY=MO,TH;BYSETPOS=1';
    expect(engine(text, 13)).toEqual(['2025-01-06', '2025-01-13']);
    expect(rrule(text, 13)).toEqual(['2025-01-02', '2025-01-06', '2025-01-13']);
    expect(temporal(text, 13)).toEqual(engine(text, 13));
  });

  test('a position before the first of the set picks nothing (the rrule package picks the first)', () => {
    const text = 'FREQ=MONTHLY;BYDAY=1WE;BYSETPOS=-4';
    expect(engine(text, 60)).toEqual([]);
    expect(rrule(text, 60)).toEqual(['2025-01-01', '2025-02-05']);
    expect(temporal(text, 60)).toEqual([]);
  });
});

function compareDays(
  seed: number,
  rules: number,
  comparable: (rule: SlowRecurrence) => boolean,
  other: (rule: SlowRecurrence, anchor: number, to: number) => number[],
) {
  const random = createSeededRandom(seed);
  const differences: string[] = [];
  let compared = 0;
  for (let index = 0; index < rules;) {
    const anchor = dayOf('20240901') + random.int(0, 900);
    const rule = randomRecurrence(random, anchor + random.int(5, 900));
    if (rule.until !== null) {
      rule.until = rule.until.slice(0, 8);
    }
    index++;
    if (!comparable(rule)) {
      continue;
    }
    const to = anchor + DAYS_AHEAD - 1;
    const mine = daysByEngine(textOf(rule), anchor, to);
    const theirs = other(rule, anchor, to);
    compared += DAYS_AHEAD;
    if (mine.join() !== theirs.join()) {
      differences.push(
        `seed ${seed}, ${textOf(rule)} from ${isoDay(anchor)}: ${mine.map(isoDay).join(' ')} against ${theirs.map(isoDay).join(' ')}`,
      );
    }
  }
  return { compared, differences };
}

function temporalAgrees(rule: SlowRecurrence): boolean {
  return (
    !(rule.freq === 'YEARLY' && rule.byMonth.length === 0 && rule.byDay.some(isOrdinal)) ||
    isPlainOrdinal(rule)
  );
}

/** Only ordinals of a year, and none that only some years have. */
function isPlainOrdinal({ byDay, byMonthDay }: SlowRecurrence): boolean {
  return byMonthDay.length === 0 && byDay.every((code) => isOrdinal(code) && !code.includes('53'));
}

/** Only unbounded rules that surely occur, because the package searches up to the year 9999. */
function rruleAgrees(rule: SlowRecurrence): boolean {
  const mixed = rule.byDay.some(isOrdinal) && !rule.byDay.every(isOrdinal);
  const rare = rule.byMonthDay.length > 0 && (rule.byDay.length > 0 || rule.interval > 1);
  return (
    rule.bySetPos.length === 0 && !mixed && !rare && !(rule.freq === 'YEARLY' && rule.byDay.some(isOrdinal))
  );
}

function isOrdinal(code: string): boolean {
  return code.length > 2;
}

function dayOf(compact: string): number {
  return (
    Date.UTC(Number(compact.slice(0, 4)), Number(compact.slice(4, 6)) - 1, Number(compact.slice(6, 8))) /
    86_400_000
  );
}

function isoDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

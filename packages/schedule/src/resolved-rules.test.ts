import { expect, test } from 'vitest';
import { MANIFEST_DEVICE, makeRule, makeSet } from '../test/rules.ts';
import { evaluateSchedules } from './evaluate-schedules.ts';
import { compileSchedules } from './compile.ts';
import type { DaySet } from './day-set.ts';

const MINUTE_MS = 60_000;

test.each(['UTC', 'Asia/Beirut', 'America/New_York'])(
  'in a year without a change no day set is searched twice, also across offset changes in %s',
  (timezone) => {
    const compiled = compileSchedules(
      makeSet(
        timezone,
        makeRule({ id: 'never', priority: 9, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }),
        makeRule({ id: 'always', start_time: '00:00', end_time: '24:00' }),
      ),
    );
    const searches = countSearches(compiled.rules.map(({ days }) => days));
    const noon = Date.UTC(2026, 10, 20, 12);
    expect(evaluateSchedules(compiled, MANIFEST_DEVICE, noon)).toMatchObject({
      rule: { id: 'always' },
      until: null,
    });
    const first = searches.count;
    for (let minute = 1; minute < 600; minute++) {
      expect(evaluateSchedules(compiled, MANIFEST_DEVICE, noon + minute * MINUTE_MS).until).toBeNull();
    }
    expect(searches.count).toBe(first);
  },
);

/** Counts the calls of `has` and `next` on the sets from now on. */
function countSearches(sets: readonly DaySet[]): { count: number } {
  const searches = { count: 0 };
  for (const set of sets) {
    const { has, next } = set;
    Object.assign(set, {
      has: (...day: Parameters<typeof has>) => (searches.count++, has(...day)),
      next: (...days: Parameters<typeof next>) => (searches.count++, next(...days)),
    });
  }
  return searches;
}

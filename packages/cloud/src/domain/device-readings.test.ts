import { expect, test } from 'vitest';
import { buildSample } from '../../test/support/paired-device.ts';
import { meetsCondition, readingsOf } from './device-readings.ts';
import type { ReadingCondition, Readings } from './device-readings.ts';

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const NOTHING: Readings = { celsius: null, freePercent: null, freeBytes: null };
const MINUTE_MS = 60_000;

/** What is known of a device that has measured so many minutes ago, by its own clock. */
const read = (minutesAgo: number, clockAheadMinutes = 0) =>
  readingsOf(
    {
      latest_sample: JSON.stringify(
        buildSample(new Date(NOW_MS - minutesAgo * MINUTE_MS).toISOString(), {
          temperature_celsius: 80,
          disk_percent: 95,
        }),
      ),
      storage: JSON.stringify({ cache_bytes: 0, free_bytes: 7, assets_held: 0, assets_missing: 0 }),
      clock_offset_ms: clockAheadMinutes * MINUTE_MS,
    },
    NOW_MS,
  );

test('a sample is known for 15 minutes, whatever the clock of the device says', () => {
  const known = { celsius: 80, freePercent: 5, freeBytes: 7 };
  expect(read(15)).toEqual(known);
  expect(read(15.1)).toEqual({ ...NOTHING, freeBytes: 7 });
  expect(read(65, -60)).toEqual(known);
  expect(read(-40, 60)).toEqual({ ...NOTHING, freeBytes: 7 });
  expect(readingsOf({ latest_sample: null, storage: null, clock_offset_ms: null }, NOW_MS)).toEqual(NOTHING);
});

const hot: ReadingCondition = { type: 'hot', celsius: 80, minutes: 0 };
const percent: ReadingCondition = { type: 'disk_below', free: 5, unit: 'percent', minutes: 0 };
const megabytes: ReadingCondition = { type: 'disk_below', free: 500, unit: 'MB', minutes: 0 };
const CASES: [string, ReadingCondition, Partial<Readings>, boolean | null, boolean | null][] = [
  ['hot at its limit', hot, { celsius: 80 }, true, true],
  ['hot a little below its limit', hot, { celsius: 78.1 }, false, true],
  ['hot two degrees below its limit', hot, { celsius: 78 }, false, false],
  ['hot without a temperature', hot, { freePercent: 1, freeBytes: 1 }, null, null],
  ['percent below the limit', percent, { freePercent: 4.9 }, true, true],
  ['percent at the limit', percent, { freePercent: 5 }, false, true],
  ['percent one point above the limit', percent, { freePercent: 6 }, false, false],
  ['percent that are not known', percent, { freeBytes: 1 }, null, null],
  ['MB below the limit', megabytes, { freeBytes: 499_999_999 }, true, true],
  ['MB at the limit', megabytes, { freeBytes: 500_000_000 }, false, true],
  ['MB a tenth above the limit', megabytes, { freeBytes: 550_000_000 }, false, false],
  ['MB that are not known', megabytes, { freePercent: 1 }, null, null],
];

test.each(CASES)('%s', (_name, condition, readings, first, again) => {
  const known = { ...NOTHING, ...readings };
  expect(meetsCondition(condition, known, false)).toBe(first);
  expect(meetsCondition(condition, known, true)).toBe(again);
});

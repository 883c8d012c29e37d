import { expect, test } from 'vitest';
import { clear, NO_FAULTS, raise, reportFaults } from './faults.ts';
import { sampleOf, thin } from './samples.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

test('a fault keeps the instant at which it began and the facts of the last time', () => {
  let list = raise(NO_FAULTS, { code: 'disk.full', by: 1, facts: { free: 1 } }, NOON);
  list = raise(list, { code: 'disk.full', by: 1, facts: { free: 0 } }, NOON + 1_000);
  list = raise(list, { code: 'cloud.unreachable', by: 1, facts: {} }, NOON - 1_000);
  expect(reportFaults(list)).toEqual([
    { code: 'cloud.unreachable', since: '2026-11-20T11:59:59.000Z' },
    { code: 'disk.full', since: '2026-11-20T12:00:00.000Z', facts: { free: 0 } },
  ]);
  expect(reportFaults(clear(list, 1, ['disk.full']))).toHaveLength(1);
});

test('nothing new leaves the list as it is, so that nobody is woken', () => {
  const full = { code: 'disk.full' as const, by: 1, facts: {} };
  const list = raise(NO_FAULTS, full, NOON);
  expect(raise(list, full, NOON + 1)).toBe(list);
  expect(clear(list, 1, ['asset.gone'])).toBe(list);
  expect(clear(list, 2)).toBe(list);
});

test('a fault that two have told is one, with what both know, and goes with the word of the last', () => {
  let list = raise(NO_FAULTS, { code: 'disk.full', by: 1, facts: { file: 'a', asset_ids: ['x'] } }, NOON);
  list = raise(list, { code: 'disk.full', by: 2, facts: { file: 'b', plays_unwritten: 3 } }, NOON + 1_000);
  list = raise(list, { code: 'asset.gone', by: 1, facts: {} }, NOON + 2_000);
  expect(reportFaults(list)).toEqual([
    {
      code: 'disk.full',
      since: '2026-11-20T12:00:00.000Z',
      facts: { file: 'a', asset_ids: ['x'], plays_unwritten: 3 },
    },
    { code: 'asset.gone', since: '2026-11-20T12:00:02.000Z' },
  ]);
  list = clear(list, 1);
  expect(reportFaults(list)).toEqual([
    { code: 'disk.full', since: '2026-11-20T12:00:01.000Z', facts: { file: 'b', plays_unwritten: 3 } },
  ]);
  expect(reportFaults(clear(list, 2))).toEqual([]);
});

test('a missing sensor stays null, a wild one is brought into bounds', () => {
  expect(
    sampleOf(
      {
        cpu_percent: 101.26,
        memory_percent: 33.333,
        disk_percent: null,
        temperature_celsius: Number.NaN,
        wifi_signal_dbm: -61,
      },
      NOON,
    ),
  ).toEqual({
    measured_at: '2026-11-20T12:00:00.000Z',
    cpu_percent: 100,
    memory_percent: 33.3,
    disk_percent: null,
    temperature_celsius: null,
    wifi_signal_dbm: -61,
    wifi_quality_percent: null,
  });
});

test('a full buffer drops every second one of its older half', () => {
  const list = Array.from({ length: 11 }, (_, index) => String(index));
  expect(thin(list, 11)).toEqual([]);
  expect(thin(list, 10)).toEqual(['1', '3', '5']);
});

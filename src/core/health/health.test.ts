import { expect, test } from 'vitest';
import { clear, NO_FAULTS, raise, reportFaults } from './faults.ts';
import { sampleOf, thin } from './samples.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

test('a fault keeps the instant at which it began and the facts of the last time', () => {
  let list = raise(NO_FAULTS, 'disk.full', { free: 1 }, NOON);
  list = raise(list, 'disk.full', { free: 0 }, NOON + 1_000);
  list = raise(list, 'cloud.unreachable', {}, NOON - 1_000);
  expect(reportFaults(list)).toEqual([
    { code: 'cloud.unreachable', since: '2026-11-20T11:59:59.000Z' },
    { code: 'disk.full', since: '2026-11-20T12:00:00.000Z', facts: { free: 0 } },
  ]);
  expect(reportFaults(clear(list, 'disk.full'))).toHaveLength(1);
});

test('nothing new leaves the list as it is, so that nobody is woken', () => {
  const list = raise(NO_FAULTS, 'disk.full', {}, NOON);
  expect(raise(list, 'disk.full', {}, NOON + 1)).toBe(list);
  expect(clear(list, 'asset.gone')).toBe(list);
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

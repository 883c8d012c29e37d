import { expect, test } from 'vitest';
import { clearFaults, NO_FAULTS, raiseFault, toReportedFaults } from './faults.ts';
import { createSample, selectSamplesToDrop } from './samples.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

test('a fault keeps the time at which it began and the latest details', () => {
  let list = raiseFault(NO_FAULTS, { code: 'disk.full', sourceId: 1, details: { free: 1 } }, NOON);
  list = raiseFault(list, { code: 'disk.full', sourceId: 1, details: { free: 0 } }, NOON + 1_000);
  list = raiseFault(list, { code: 'cloud.unreachable', sourceId: 1, details: {} }, NOON - 1_000);
  expect(toReportedFaults(list)).toEqual([
    { code: 'cloud.unreachable', since: '2026-11-20T11:59:59.000Z' },
    { code: 'disk.full', since: '2026-11-20T12:00:00.000Z', facts: { free: 0 } },
  ]);
  expect(toReportedFaults(clearFaults(list, 1, ['disk.full']))).toHaveLength(1);
});

test('without a change the list stays the same object, so that no listener runs', () => {
  const full = { code: 'disk.full' as const, sourceId: 1, details: {} };
  const list = raiseFault(NO_FAULTS, full, NOON);
  expect(raiseFault(list, full, NOON + 1)).toBe(list);
  expect(clearFaults(list, 1, ['asset.gone'])).toBe(list);
  expect(clearFaults(list, 2)).toBe(list);
});

test('a fault of two sources is reported once, with the details of both, until both have cleared it', () => {
  let list = raiseFault(
    NO_FAULTS,
    { code: 'disk.full', sourceId: 1, details: { file: 'a', asset_ids: ['x'] } },
    NOON,
  );
  list = raiseFault(
    list,
    { code: 'disk.full', sourceId: 2, details: { file: 'b', plays_unwritten: 3 } },
    NOON + 1_000,
  );
  list = raiseFault(list, { code: 'asset.gone', sourceId: 1, details: {} }, NOON + 2_000);
  expect(toReportedFaults(list)).toEqual([
    {
      code: 'disk.full',
      since: '2026-11-20T12:00:00.000Z',
      facts: { file: 'a', asset_ids: ['x'], plays_unwritten: 3 },
    },
    { code: 'asset.gone', since: '2026-11-20T12:00:02.000Z' },
  ]);
  list = clearFaults(list, 1);
  expect(toReportedFaults(list)).toEqual([
    { code: 'disk.full', since: '2026-11-20T12:00:01.000Z', facts: { file: 'b', plays_unwritten: 3 } },
  ]);
  expect(toReportedFaults(clearFaults(list, 2))).toEqual([]);
});

test('a missing sensor stays null, a value out of range is clamped', () => {
  expect(
    createSample(
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

test('a full buffer drops every second sample of its older half', () => {
  const list = Array.from({ length: 11 }, (_, index) => String(index));
  expect(selectSamplesToDrop(list, 11)).toEqual([]);
  expect(selectSamplesToDrop(list, 10)).toEqual(['1', '3', '5']);
});
